"""User names, names of teams and run tags: unlike each other, and refused in one wording."""

from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction
from django.test import Client

from campaign.models import Run, Task, Team, User
from campaign.models.run import TAG_NOT_FREE
from campaign.runs.services.submission import run_submit
from campaign.teams.services.teams import team_create, team_update
from tests.api.makers import make_token
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, make_received_run, make_user

PASSWORD = "a long password"
CYRILLIC_A = "\u0410"


def sign_up(name: str) -> list[str]:
    values = {"username": name, "email": f"{len(name)}x@example.org", "password1": PASSWORD, "password2": PASSWORD}
    answer = Client().post("/account/signup/", values)
    return [] if answer.status_code == 302 else answer.context["form"].errors.get("username", [])


@pytest.mark.parametrize(
    "name",
    [
        "eve@example.org",
        "al\u200bba",
        "p\u0430ul",
        "ALBA",
        "\u0410\u04cf\u042c\u0430",
        "alb\u0430",
        "\uff41lba",
        "a b",
        "a/b",
    ],
)
def test_a_user_name_that_misleads_is_refused_at_the_sign_up_and_by_the_command(db: None, name: str) -> None:
    make_user("alba")
    assert sign_up(name)
    with pytest.raises(CommandError):
        call_command("create_user", name, stdout=StringIO())
    assert User.objects.count() == 1


def test_user_names_of_other_alphabets_are_welcome(db: None) -> None:
    assert sign_up("Ольга") == []


def test_an_old_user_with_an_odd_name_still_saves_the_settings(db: None) -> None:
    user = make_user("old@example.org")
    answer = signed_in(user).post("/account/settings/", {"display_name": "Old", "time_zone": ""}, follow=True)
    assert "Saved." in answer.content.decode()
    mixed = signed_in(user).post("/account/settings/", {"display_name": "P\u0430ul", "time_zone": ""})
    assert mixed.status_code == 422


@pytest.mark.parametrize("name", ["alba", f"{CYRILLIC_A}\u04cf\u042c\u0430", "Ａlba", " Alba"])
def test_a_team_cannot_look_like_another(db: None, name: str) -> None:
    team_create(actor=make_user(), name="Alba")
    other = team_create(actor=(owner := make_user()), name="Brio")
    for act in (
        lambda: team_create(actor=make_user(), name=name),
        lambda: team_update(actor=owner, team=other, name=name),
    ):
        with pytest.raises(ValidationError, match="This name is not free"):
            act()
    with pytest.raises(IntegrityError), transaction.atomic():
        Team.objects.create(name=name, slug="another")


def test_a_team_may_change_the_case_of_its_own_name(db: None) -> None:
    team = team_create(actor=(owner := make_user()), name="Alba")
    assert team_update(actor=owner, team=team, name="ALBA").name == "ALBA"


def test_a_team_that_takes_another_name_takes_its_look(db: None) -> None:
    team = team_create(actor=(owner := make_user()), name="Alba")
    assert team_update(actor=owner, team=team, name="Cresta").name_skeleton == "cresta"
    assert team_create(actor=owner, name="ALBA").name_skeleton == "alba"


def submit(cast: Cast, tag: str) -> Run:
    file = ContentFile(b"1 Q0 a 1 1.0 x\n")
    return run_submit(actor=cast.member, task=cast.task, team=cast.team, tag=tag, file=file, file_name="x.txt")


@pytest.mark.parametrize("tag", ["bm25", "BM25", "\u042c\u043c25"])
@pytest.mark.parametrize("of", ["team", "other_team"])
def test_a_tag_that_is_not_free_is_told_in_one_wording_whoever_has_it(cast: Cast, tag: str, of: str) -> None:
    Task.objects.update(tag_pattern=r"\S+")
    cast.task.refresh_from_db()
    make_received_run(cast.task, getattr(cast, of), "bm25", b"")
    with pytest.raises(ValidationError) as refused:
        submit(cast, tag)
    assert refused.value.message_dict["tag"] == [TAG_NOT_FREE]
    campaign, task = cast.campaign.slug, cast.task.slug
    url = f"/api/v1/campaigns/{campaign}/tasks/{task}/runs"
    answer = Client().post(
        url,
        {"team": cast.team.slug, "tag": tag, "file": ContentFile(b"1 Q0 a 1 1.0 x\n", "x.txt")},
        HTTP_AUTHORIZATION=f"Bearer {make_token(cast.member)}",
    )
    assert (answer.status_code, answer.json()["detail"]) == (422, TAG_NOT_FREE)


def test_tags_that_differ_in_digits_and_letters_are_two(cast: Cast) -> None:
    for tag in ("bm25-l1", "bm25-11", "bm25-ll", "bm25-O", "bm25-0"):
        assert submit(cast, tag).tag == tag


@pytest.mark.parametrize(
    ("tag", "told"), [("b\u200bm", "invisible"), ("b\u043c25", "alphabets"), ("ｂm25", "variants of plain ones")]
)
def test_a_tag_that_misleads_is_refused_with_what_to_do(cast: Cast, tag: str, told: str) -> None:
    Task.objects.update(tag_pattern=r"\S+")
    cast.task.refresh_from_db()
    with pytest.raises(ValidationError, match=told):
        submit(cast, tag)
