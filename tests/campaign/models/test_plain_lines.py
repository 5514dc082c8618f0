"""Titles and other lines stand in mails, tables and terminals: nothing in them may end the line or hide."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from campaign.accounts.services.accounts import account_update
from campaign.models import Campaign, Mail, Team, User
from campaign.models.lookalikes import NO_WEB_ADDRESS
from campaign.setup.services.agreements import agreement_create
from campaign.setup.services.campaigns import campaign_create, campaign_update
from campaign.setup.services.people import role_invite
from campaign.setup.services.tasks import task_create
from campaign.teams.services.teams import team_create, team_invite, team_update
from tests.campaign.news.makers import make_milestone
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast

BAD = [
    "Alba\n\nYour account is closed: https://evil.example/",
    "Alba\x1b[2J",
    "Alba\u202etxt",
    "Alba\u2028B",
    "Alba\tB",
    "\u3164",
    "\ufeffAlba",
    "Alba\U000e0041",
    "A" + "\u0301" * 60,
]


@pytest.mark.parametrize("line", BAD)
def test_no_line_of_a_campaign_a_task_or_a_team_breaks_or_hides(cast: Cast, line: str) -> None:
    grades = [{"value": 0, "label": "no", "gain": 0}, {"value": 1, "label": line, "gain": 1}]
    made = [
        lambda: campaign_create(actor=cast.organiser, slug="hostile", title=line),
        lambda: campaign_create(actor=cast.organiser, slug="hostile", title="A", summary=line),
        lambda: task_create(actor=cast.organiser, campaign=cast.campaign, slug="hostile", title=line),
        lambda: task_create(actor=cast.organiser, campaign=cast.campaign, slug="b", title="A", grades=grades),
        lambda: agreement_create(actor=cast.organiser, campaign=cast.campaign, title=line, text="A"),
        lambda: team_create(actor=cast.stranger, name="Hostile", affiliation=line),
    ]
    for make in made:
        with pytest.raises(ValidationError, match="on one line"):
            make()
    assert not Campaign.objects.filter(slug="hostile").exists()


def test_an_affiliation_cannot_write_a_mail_of_its_own_into_an_invitation(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="on one line"):
        team_update(actor=cast.member, team=cast.team, name=cast.team.name, affiliation=BAD[0])
    team_invite(actor=cast.member, team=cast.team, email="new@example.org")
    assert "evil.example" not in Mail.objects.get(address="new@example.org").body


@pytest.mark.parametrize("text", ["Win at http://evil.example", "WWW.evil.example", "a\uff1a\uff0f\uff0fevil.example"])
def test_no_name_that_stands_in_mails_to_strangers_holds_a_web_address(cast: Cast, text: str) -> None:
    made = [
        lambda: campaign_create(actor=cast.organiser, slug="hostile", title=text),
        lambda: team_create(actor=cast.stranger, name=text),
        lambda: team_create(actor=cast.stranger, name="Hostile", affiliation=text),
        lambda: account_update(actor=cast.stranger, display_name=text, time_zone="", single_keys=True),
        lambda: User(username="www.evil.example", password="x").full_clean(),
    ]
    for make in made:
        with pytest.raises(ValidationError, match=NO_WEB_ADDRESS):
            make()


def test_names_from_before_the_rule_keep_nothing_else_from_being_changed(cast: Cast, client: Client) -> None:
    bad = "Two (www.two.example)"
    type(cast.campaign).objects.update(title=bad)
    type(cast.team).objects.update(affiliation=bad)
    type(cast.member).objects.filter(pk=cast.member.pk).update(display_name=bad)
    campaign = campaign_update(actor=cast.organiser, campaign=cast.campaign, summary="Another one.")
    assert (campaign.title, campaign.summary) == (bad, "Another one.")
    cast.team.refresh_from_db()
    cast.team.full_clean()
    client.force_login(cast.member)
    sent = {"display_name": bad, "time_zone": "Asia/Tokyo"}
    assert client.post(reverse("account_settings"), sent).status_code == 302
    assert client.post(reverse("account_settings"), {**sent, "display_name": f"{bad} 2"}).status_code == 422
    with pytest.raises(ValidationError, match="Leave the web address out"):
        campaign_update(actor=cast.organiser, campaign=campaign, title=f"{bad} 2")


def test_nobody_is_invited_under_a_name_with_a_web_address_that_an_archive_brought(cast: Cast) -> None:
    bad = "Win at http://evil.example"
    Campaign.objects.update(title=bad)
    cast.campaign.refresh_from_db()
    with pytest.raises(ValidationError, match="Change this name first"):
        role_invite(actor=cast.organiser, campaign=cast.campaign, role="assessor", email="new@example.org")
    for row, column in ((Team, "affiliation"), (Team, "name"), (User, "display_name")):
        kept = row.objects.get(pk=(cast.team if row is Team else cast.member).pk)
        row.objects.filter(pk=kept.pk).update(**{column: bad})
        with pytest.raises(ValidationError, match="Change this name first"):
            team_invite(actor=User.objects.get(pk=cast.member.pk), team=cast.team, email="new@example.org")
        row.objects.filter(pk=kept.pk).update(**{column: getattr(kept, column)})
    assert not Mail.objects.filter(address="new@example.org").exists()


def test_the_form_of_a_campaign_says_what_is_wrong_with_its_title(cast: Cast) -> None:
    form = {"title": BAD[0], "slug": "hostile", "time_zone": "UTC", "registration": "open"}
    answer = signed_in(cast.organiser).post(reverse("campaign_create"), form)
    assert answer.status_code == 422
    assert "Write this on one line" in answer.content.decode()


@pytest.mark.parametrize("link", ["https://user:key@evil.example/", "https://evil.example\\@example.org/", "http://@x"])
def test_a_milestone_links_no_address_that_leads_elsewhere_than_it_begins(cast: Cast, link: str) -> None:
    with pytest.raises(ValidationError):
        make_milestone(cast.campaign, link=link)


def test_words_of_every_language_are_plain_lines(cast: Cast) -> None:
    title = "می‌خواهم · 検索 · Straße · 👩‍🔬"
    assert campaign_create(actor=cast.organiser, slug="plain", title=title).title == title
