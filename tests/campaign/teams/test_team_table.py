"""The organiser's table of teams: filters, decisions on many, mail to a selection, CSV."""

import csv
import io
import re
from uuid import uuid4

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaign.models import AuditEvent, Campaign, Mail, Notice, Registration, Run
from campaign.news.selectors.recipients import Audience
from campaign.news.services.notices import notice_write
from campaign.teams.services.allowances import allowance_give
from campaign.teams.services.teams import team_join
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit_and_check
from tests.campaign.teams.makers import Sent, make_agreement, make_asking_campaign, make_registration, owner, page
from tests.factories import Cast, confirm_address, make_task, make_user

TEXT = {"subject": "The topics are out", "text": "Dear teams,\n\nthe topics & documents are out.", "to": "owners"}


def teams_shown(cast: Cast, **filters: str) -> set[str]:
    answer = signed_in(cast.organiser).get(page("registration_list", cast.campaign), filters)
    assert answer.status_code == 200
    return set(re.findall(r'aria-label="Select ([^"]+)"', answer.content.decode()))


@pytest.mark.sqlite("campaign.teams.selectors.team_table.filtered_registrations")
def test_the_filters_show_the_teams_that_are_meant(db: None) -> None:
    cast = make_ready_cast()
    second = make_task(cast.campaign, "second")
    Registration.objects.filter(team=cast.other_team).update(state=Registration.REQUESTED)
    cast.other_team.affiliation = "University of Somewhere"
    cast.other_team.save()
    submit_and_check(cast)
    both = {cast.team.name, cast.other_team.name}
    assert teams_shown(cast) == both
    assert teams_shown(cast, state="requested") == {cast.other_team.name}
    assert teams_shown(cast, search="SOMEWHERE") == {cast.other_team.name}
    assert teams_shown(cast, runs="with") == {cast.team.name}
    assert teams_shown(cast, runs="without") == {cast.other_team.name}
    assert teams_shown(cast, runs="without", task=second.slug) == both
    assert teams_shown(cast, runs="with", task=cast.task.slug, state="refused") == set()
    assert teams_shown(cast, state="no state", task="no task", runs="perhaps") == both


def test_the_table_counts_members_and_runs_and_asks_the_database_the_same_for_many_teams(db: None) -> None:
    cast = make_ready_cast()
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    submit_and_check(cast, "good")
    submit_and_check(cast, "bad", b"nonsense\n")
    client, address = signed_in(cast.organiser), page("registration_list", cast.campaign)
    with CaptureQueriesContext(connection) as few:
        shown = client.get(address).content.decode()
    assert "1 valid, 1 rejected" in shown
    assert re.search(r'<td class="num">2</td>', shown)
    for _ in range(20):
        make_registration(cast.campaign)
    with CaptureQueriesContext(connection) as many:
        assert client.get(address).content.decode().count('aria-label="Select ') == 22
    assert len(many) == len(few)


def test_those_that_wait_stand_first(cast: Cast) -> None:
    make_registration(cast.campaign, "Zulu")
    answer = signed_in(cast.organiser).get(page("registration_list", cast.campaign)).content.decode()
    assert re.findall(r'aria-label="Select ([^"]+)"', answer)[0] == "Zulu"
    assert "1 waits for approval" in answer


def test_an_organiser_decides_on_several_teams_with_one_note(db: None) -> None:
    campaign, organiser = make_asking_campaign()
    registrations = [make_registration(campaign, name) for name in ("Alba", "Brio", "Cresta")]
    chosen = [row.pk for row in registrations[:2]]
    client, address = signed_in(organiser), page("registration_decide", campaign)
    form = client.get(address, {"chosen": chosen}).content.decode()
    assert "Alba" in form
    assert "Cresta" not in form
    values = {"chosen": ",".join(map(str, chosen)), "state": "approved", "note": "Welcome."}
    with Sent() as sent:
        answer = client.post(address, values, follow=True).content.decode()
    assert "2 teams are approved." in answer
    assert sent.addresses == sorted(owner(row.team).email for row in registrations[:2])
    assert campaign.registrations.approved().count() == 2


def test_what_stands_in_the_way_of_one_team_keeps_none_of_the_others(db: None) -> None:
    cast = make_ready_cast()
    submit_and_check(cast)
    rows = ",".join(str(row.pk) for row in cast.campaign.registrations.all())
    address = page("registration_decide", cast.campaign)
    answer = signed_in(cast.organiser).post(address, {"chosen": rows, "state": "refused"}, follow=True)
    assert "has 1 run that count" in answer.content.decode()
    assert f"{cast.other_team} is refused." in answer.content.decode()


@pytest.mark.parametrize("chosen", ["", "x", "1,2;3", "9" * 30, "0"])
def test_a_selection_that_names_nobody_is_reported(cast: Cast, chosen: str) -> None:
    client = signed_in(cast.organiser)
    for name in ("registration_decide", "registration_mail"):
        answer = client.post(page(name, cast.campaign), {"chosen": chosen, "state": "approved", **TEXT})
        assert answer.status_code == 422
        assert client.get(page(name, cast.campaign), {"chosen": chosen}).status_code == 200
    assert not Mail.objects.exists()


def test_teams_of_other_campaigns_cannot_be_chosen(cast: Cast) -> None:
    campaign, _ = make_asking_campaign()
    foreign = make_registration(campaign)
    values = {"chosen": str(foreign.pk), "state": "approved"}
    assert signed_in(cast.organiser).post(page("registration_decide", cast.campaign), values).status_code == 422
    foreign.refresh_from_db()
    assert foreign.state == Registration.REQUESTED
    with pytest.raises(ValidationError, match="not registered"):
        send(cast, registrations=[foreign])


def test_answers_go_to_an_address_that_the_organiser_has_confirmed_only(cast: Cast) -> None:
    with Sent():
        send(cast)
    assert [mail.reply_to for mail in Mail.objects.filter(batch__isnull=False)] == ["", ""]


def test_a_mail_is_looked_at_then_sent_once_to_each_person(cast: Cast) -> None:
    confirm_address(cast.organiser)
    team_join(actor=cast.other_member, key=cast.team.invitation_key)
    client, address = signed_in(cast.organiser), page("registration_mail", cast.campaign)
    form = client.get(address, {"all": "1"}).content.decode()
    hidden = dict(re.findall(r'type="hidden" name="(chosen|batch)" value="([^"]+)"', form))
    values = {**hidden, **TEXT, "to": "members"}
    preview = client.post(address, values).content.decode()
    assert "Send to 2 people" in preview
    assert not Mail.objects.filter(batch__isnull=False).exists()
    assert "Preview the email" in client.post(address, {**values, "edit": "1"}).content.decode()
    with Sent() as sent:
        for _ in range(2):
            answer = client.post(address, {**values, "send": "1"}, follow=True)
            assert "Sent to 2 people." in answer.content.decode()
    assert sent.addresses == sorted([cast.member.email, cast.other_member.email])
    assert all(message.reply_to == [cast.organiser.email] for message in sent.mails)
    assert all("the topics & documents are out." in message.body for message in sent.mails)
    assert AuditEvent.objects.get(verb="write notice").data["mails"] == 2


def send(
    cast: Cast, registrations: list[Registration] | None = None, owners_only: bool = True, **values: object
) -> int:
    chosen = list(cast.campaign.registrations.all()) if registrations is None else registrations
    teams = [registration.team for registration in chosen]
    audience = Audience(cast.campaign, Notice.SELECTION, teams=teams, owners_only=owners_only)
    values = {"title": "Hello", "body": "Words.", "batch": uuid4(), **values}
    return notice_write(actor=cast.organiser, audience=audience, **values).people


def test_owners_alone_or_all_members(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    assert send(cast) == 2
    assert send(cast, owners_only=False) == 3


def test_a_mail_to_those_that_match_the_filter_reaches_only_them(cast: Cast) -> None:
    make_registration(cast.campaign, "Nova")
    form = signed_in(cast.organiser).get(page("registration_mail", cast.campaign), {"all": "1", "state": "requested"})
    assert "Write to 1 team" in form.content.decode()
    assert "Nova" in form.content.decode()


def test_a_form_that_was_sent_sends_no_other_text(cast: Cast) -> None:
    batch = uuid4()
    with Sent():
        assert send(cast, batch=batch) == send(cast, batch=batch) == 2
    with pytest.raises(ValidationError, match="Another notice was sent"):
        send(cast, batch=batch, body="Other words.")
    assert Mail.objects.count() == 2


def test_people_with_one_address_get_one_mail_and_those_without_none(cast: Cast) -> None:
    twin = make_user()
    for user, email in ((twin, cast.member.email.upper()), (cast.other_member, "")):
        user.email = email
        user.save()
    team_join(actor=twin, key=cast.team.invitation_key)
    assert send(cast, owners_only=False) == 1
    with pytest.raises(ValidationError, match="No member of these teams"):
        send(cast, registrations=[cast.other_team.registrations.get()])


def test_a_subject_of_several_lines_is_one_line(cast: Cast) -> None:
    with Sent():
        send(cast, title="Hello\nBcc: everybody@example.org")
    assert {message.subject for message in mail.outbox[-2:]} == {"Hello Bcc: everybody@example.org"}


def test_the_table_is_a_csv_under_the_same_filter(db: None) -> None:
    cast = make_ready_cast()
    submit_and_check(cast)
    cast.team.affiliation = "=cmd()"
    cast.team.save()
    more = {"extra_runs": 2, "extra_attempts": 30, "extra_gib": 4}
    allowance_give(actor=cast.organiser, task=cast.task, team=cast.team, **more, closes_at=None, reason="Fire")
    make_agreement(cast.campaign, cast.organiser, "Terms")
    organiser = signed_in(cast.organiser)
    answer = organiser.get(page("registration_csv", cast.campaign), {"runs": "with"})
    [row] = csv.DictReader(io.StringIO(answer.content.decode()))
    slug = cast.task.slug
    assert (row["team"], row["affiliation"], row["members"], row["state"]) == (
        cast.team.name,
        "'=cmd()",
        "1",
        "approved",
    )
    assert (row[f"{slug}:valid"], row[f"{slug}:rejected"], row[f"{slug}:extra_runs"]) == ("1", "0", "2")
    assert (row[f"{slug}:extra_uploads_a_day"], row[f"{slug}:extra_gb_a_day"]) == ("30", "4")
    shown = organiser.get(page("registration_list", cast.campaign)).content.decode()
    for words in ("2 extra runs", "30 more uploads a day", "4 GB more a day"):
        assert words in shown
    assert row["agreements_missing"] == "Terms"
    assert row["last_run"] == Run.objects.get().submitted_at.isoformat()


def test_a_campaign_without_teams_says_what_to_do_first(db: None) -> None:
    campaign, organiser = make_asking_campaign(is_open=False)
    client = signed_in(organiser)
    assert "Open the campaign" in client.get(page("registration_list", campaign)).content.decode()
    Campaign.objects.update(opened_at="2026-01-01T00:00Z")
    assert (
        "Teams register on the page of the campaign" in client.get(page("registration_list", campaign)).content.decode()
    )
    assert "No team matches" in client.get(page("registration_list", campaign), {"search": "x"}).content.decode()
