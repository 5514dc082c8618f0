"""A campaign as a file, out and in, and next year's campaign from this year's."""

import re
import tomllib
from datetime import datetime
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.html import escape

from campaign.formats.blueprint_files import toml_text
from campaign.models import Campaign, Mail, Role, RoleInvitation, Task
from campaign.models.fields import AOE
from campaign.setup.blueprint_tables import CampaignTable, TaskTable
from campaign.setup.selectors.blueprints import blueprint_of
from campaign.setup.services.blueprints import campaign_build, campaign_try
from campaign.setup.services.tasks import task_update
from tests.campaign.runs.makers import signed_in
from tests.factories import confirm_address, make_topics, make_user
from tests.places import REPOSITORY

EXAMPLE = (REPOSITORY / "docs" / "guide" / "example-campaign.toml").read_text()
HOSTILE = '"""\n[[tasks]]\r\nslug = \\u0022 \'<script>\t'


def make_from_example(**values: Any) -> Campaign:
    blueprint = {**tomllib.loads(EXAMPLE), "registration": "approved", "call": HOSTILE, **values}
    blueprint["tasks"][0].update(
        texts_for="accepted", cannot_judge_reasons="", scores_shown="means", guidelines=HOSTILE
    )
    return campaign_build(actor=make_user(), blueprint=blueprint)


def test_a_campaign_created_from_its_own_file_has_the_same_file(db) -> None:
    first = make_from_example()
    text = toml_text(blueprint_of(first))
    first.slug = "moved"
    first.save()
    second = campaign_build(actor=make_user(), blueprint=tomllib.loads(text))
    assert toml_text(blueprint_of(second)) == text
    assert second.call == HOSTILE
    task, again = first.tasks.get(), second.tasks.get()
    for name in TaskTable.model_fields.keys() - {"grades"}:
        assert getattr(again, name) == getattr(task, name), name
    assert list(again.grades.values_list("value", "label", "key", "gain", "definition")) == list(
        task.grades.values_list("value", "label", "key", "gain", "definition")
    )


@pytest.mark.parametrize(
    ("model", "table", "left_out"),
    [
        (Task, TaskTable, {"id", "campaign", "collection", "created_at"}),
        (Campaign, CampaignTable, {"id", "created_at", "logo_text"}),
    ],
)
def test_every_setting_is_in_the_file(model: Any, table: Any, left_out: set[str]) -> None:
    fields = {field.name for field in model._meta.concrete_fields if field.editable} - left_out
    assert fields - table.model_fields.keys() == set()


def test_every_problem_is_told_at_once_and_nothing_is_left(db) -> None:
    blueprint = {
        "slug": "no address",
        "title": "Velo",
        "agreements": [{"title": "A\u202eB", "text": "x"}],
        "tasks": [
            {"slug": "one", "title": "One", "measures": ["nDCG@ten"]},
            {"slug": "two", "title": "Two", "opens_at": "2027-02-02T00:00", "closes_at": "2027-01-01T00:00"},
        ],
        "assessors": ["nobody"],
    }
    with pytest.raises(ValidationError) as refusal:
        campaign_build(actor=make_user(), blueprint=blueprint)
    told = "\n".join(refusal.value.messages)
    for place in (
        "campaign, slug:",
        "agreements 1, title:",
        "task one, measures:",
        "after the opening",
        "assessors: there is no",
    ):
        assert place in told
    assert not Campaign.objects.exists()


def test_trying_a_file_tells_what_would_be_made_and_makes_nothing(db) -> None:
    outline = campaign_try(actor=make_user("olga"), blueprint=tomllib.loads(EXAMPLE))
    assert (outline.slug, [task.grades for task in outline.tasks]) == ("repair-2027", [3])
    assert outline.roles == ("olga: organiser",)
    assert not Campaign.objects.exists()


def test_a_file_is_checked_on_the_page_before_it_is_created_and_its_people_are_only_invited(db) -> None:
    asha = make_user("asha")
    client, address = signed_in(make_user("olga")), "/c/new/file/"
    text = EXAMPLE.replace("assessors = []", 'assessors = ["asha"]')
    file = SimpleUploadedFile("velo.toml", text.encode())
    page = client.post(address, {"file": file, "language": "yaml", "invites": "on"})
    assert page.status_code == 200
    assert "asha: invited as assessor" in page.content.decode()
    assert "Create the campaign" in page.content.decode()
    assert not Campaign.objects.exists()
    assert not Mail.objects.exists()
    sent = {"text": text.replace("\n", "\r\n"), "language": "toml", "create": "yes"}
    assert client.post(address, {**sent, "invites": "on"})["Location"] == "/c/repair-2027/"
    assert RoleInvitation.objects.get().user == asha
    assert set(Role.objects.values_list("user__username", "role")) == {("olga", Role.ORGANISER)}


def test_a_file_that_names_its_sender_by_user_name_or_address_is_created(db) -> None:
    olga = confirm_address(make_user("olga"))
    text = EXAMPLE.replace("organisers = []", f'organisers = ["OLGA", "{olga.email.upper()}"]')
    answer = signed_in(olga).post("/c/new/file/", {"text": text, "language": "toml", "invites": "on", "create": "yes"})
    assert answer.status_code == 302
    assert not RoleInvitation.objects.exists()


def test_a_file_that_names_an_address_tells_nobody_whether_it_is_of_an_account(db) -> None:
    of_account, of_nobody = confirm_address(make_user("asha")).email, "nobody@example.org"
    client, outlines = signed_in(make_user("olga")), []
    for address in (of_account, of_nobody):
        text = EXAMPLE.replace("assessors = []", f'assessors = ["{address}"]')
        page = client.post("/c/new/file/", {"text": text, "language": "toml", "invites": "on"})
        assert (page.status_code, f"{address}: invited as assessor" in page.content.decode()) == (200, True)
        outlines.append(re.sub(r'csrf\w*" value="\w+"', "", page.content.decode().replace(address, "")))
    assert outlines[0] == outlines[1]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"language": "toml"}, "Choose a file, or write its text below."),
        ({"language": "toml", "text": "slug = "}, "not sound TOML"),
        ({"language": "yaml", "text": "slug: a\ntitle: <b>x</b>\ncolour: red"}, "colour is unknown"),
        ({"language": "toml", "text": 'slug = "a b"\ntitle = "<i>"', "create": "yes"}, "campaign, slug:"),
        ({"language": "yaml", "text": 'slug: a\ntitle: T\ncall: "b\\0"', "create": "yes"}, "holds a NUL character"),
        ({"language": "yaml", "text": 'slug: a\ntitle: T\norganisers: !!set {"\\ud800": null}'}, "holds a set (!!set)"),
    ],
)
def test_a_wrong_file_stays_on_the_page_with_its_problems(db, sent: dict[str, str], told: str) -> None:
    page = signed_in(make_user()).post("/c/new/file/", sent)
    assert page.status_code == 422
    assert told in page.content.decode()
    assert "<title>Error: " in page.content.decode()
    assert 'aria-invalid="true"' in page.content.decode()
    assert escape(sent.get("text", "")) in page.content.decode()
    assert not Campaign.objects.exists()


def test_next_years_campaign_has_the_set_up_and_no_data_with_dates_a_year_later(db) -> None:
    source = make_from_example(title="Repair 2027")
    make_topics(source.tasks.get(), ["1"])
    olga = make_user("olga")
    Role.objects.create(campaign=source, user=olga, role=Role.ORGANISER)
    Role.objects.create(campaign=source, user=make_user("asha"), role=Role.ASSESSOR)
    client, address = signed_in(olga), f"/c/{source.slug}/edit/copy/"
    page = client.get(address).content.decode()
    assert "Repair 2028" in page
    assert "repair-2028" in page
    assert "15 Mar 2028, 23:59" in page
    answer = client.post(address, {"title": "Repair 2028", "slug": "repair-2028", "dates": "shifted", "invites": "on"})
    assert answer["Location"] == "/c/repair-2028/"
    copy = Campaign.objects.get(slug="repair-2028")
    task = copy.tasks.get()
    assert task.closes_at == datetime(2028, 3, 15, 23, 59, tzinfo=AOE)
    assert (task.phase, task.topics.count(), copy.opened_at, copy.agreements.count()) == (Task.SETUP, 0, None, 1)
    assert RoleInvitation.objects.filter(campaign=copy, role=Role.ASSESSOR).get().user.username == "asha"
    assert list(copy.roles.values_list("user__username", flat=True)) == ["olga"]
    again = client.post(address, {"title": "Repair", "slug": "repair-2028", "dates": "empty"})
    assert again.status_code == 422
    client.post(address, {"title": "Repair", "slug": "repair-3", "dates": "empty"})
    assert Task.objects.get(campaign__slug="repair-3").closes_at is None


def test_the_file_of_a_campaign_is_for_its_organisers(cast: Any) -> None:
    address = f"/c/{cast.campaign.slug}/edit/campaign.toml"
    assert signed_in(cast.assessor).get(address).status_code == 403
    answer = signed_in(cast.organiser).get(address)
    assert tomllib.loads(answer.content.decode())["slug"] == cast.campaign.slug
    assert cast.assessor.username not in answer.content.decode()


def test_long_lists_are_refused_before_anything_is_made_and_what_was_sent_is_not_told_back_whole(db) -> None:
    actor = make_user(is_staff=True)
    base = {"slug": "long", "title": "Long"}
    many = {"organisers": ["a"] * 1_001, "tasks": [{"slug": "t", "title": "T"}] * 201}
    with pytest.raises(ValidationError) as refused:
        campaign_build(actor=actor, blueprint=base | many)
    assert refused.value.messages == ["organisers has more than 1,000 entries.", "tasks has more than 200 entries."]
    with pytest.raises(ValidationError) as refused:
        campaign_build(actor=actor, blueprint=base | {"time_zone": "x" * 100_000})
    assert max(len(told) for told in refused.value.messages) == 501
    with pytest.raises(ValidationError) as refused:
        campaign_build(actor=actor, blueprint=base | {"organisers": [["a"]] * 300})
    assert len(refused.value.messages) == 101
    assert refused.value.messages[-1] == "Not shown here: 200 further problems."


def test_a_task_with_as_many_measures_as_its_page_takes_has_a_file_that_makes_it_again(db) -> None:
    first = make_from_example()
    measures = [f"P@{cutoff}" for cutoff in range(1, 251)]
    task_update(actor=first.roles.get().user, task=first.tasks.get(), measures=measures)
    blueprint = blueprint_of(Campaign.objects.get())
    again = campaign_build(actor=make_user(), blueprint={**blueprint, "slug": "again"})
    assert again.tasks.get().measures == measures
    blueprint["tasks"][0]["measures"] = [f"P@{cutoff}" for cutoff in range(1, 2_001)]
    with pytest.raises(ValidationError) as refused:
        campaign_build(actor=make_user(), blueprint={**blueprint, "slug": "third"})
    assert [message.split(";")[0] for message in refused.value.messages] == [
        "task ad-hoc, measures: Write at most 10,000 characters"
    ]
