"""Texts that teams accept, and the record of it."""

import csv
import hashlib
import io

import pytest
from django.core.exceptions import ValidationError

from campaign.models import Acceptance, Agreement, AuditEvent, Registration
from campaign.setup.services.agreements import agreement_create, agreement_replace, agreement_retire
from campaign.teams.selectors.acceptances import lacking_registrations, missing_agreements
from campaign.teams.services.acceptances import agreements_accept
from campaign.teams.services.registrations import team_register
from runpool.overview.selectors.home import next_steps_of
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit
from tests.campaign.teams.makers import make_agreement, page
from tests.factories import Cast, make_cast, make_team


def test_registering_asks_for_each_agreement_and_writes_down_who_accepted_what_when(cast: Cast) -> None:
    terms, conduct = (make_agreement(cast.campaign, cast.organiser, title) for title in ("Terms", "Conduct"))
    team = make_team("Nova", members=(cast.stranger,))
    client, register = signed_in(cast.stranger), page("campaign_register", cast.campaign)
    assert "The words of Terms." in client.get(register).content.decode()
    refused = client.post(register, {"team": team.pk, f"agreement-{terms.pk}": "on"})
    assert refused.status_code == 422
    assert "Accept “Conduct”" in refused.content.decode()
    assert not Registration.objects.filter(team=team).exists()
    assert not Acceptance.objects.exists()
    client.post(register, {"team": team.pk, f"agreement-{terms.pk}": "on", f"agreement-{conduct.pk}": "on"})
    assert Registration.objects.filter(team=team, state=Registration.APPROVED).exists()
    [first, _] = Acceptance.objects.all()
    assert (first.agreement, first.team, first.accepted_by) == (terms, team, cast.stranger)
    assert first.text_sha256 == hashlib.sha256(terms.text.encode()).hexdigest()
    assert AuditEvent.objects.filter(verb="accept").count() == 2


def test_the_service_lets_no_team_in_that_has_not_accepted_all(cast: Cast) -> None:
    terms = make_agreement(cast.campaign, cast.organiser)
    team = make_team(members=(cast.stranger,))
    with pytest.raises(ValidationError, match="Accept every agreement") as refused:
        team_register(actor=cast.stranger, team=team, campaign=cast.campaign)
    assert set(refused.value.message_dict) == {"agreements"}
    assert not team.registrations.exists()
    team_register(actor=cast.stranger, team=team, campaign=cast.campaign, accepted=[terms])


def test_an_agreement_after_the_registration_keeps_the_team_from_submitting_until_it_is_accepted(db: None) -> None:
    cast = make_ready_cast()
    terms = make_agreement(cast.campaign, cast.organiser, "New terms")
    with pytest.raises(ValidationError, match="New terms"):
        submit(cast)
    [todo] = [todo for todo in next_steps_of(cast.member) if todo.step.label == "Read and accept"]
    client = signed_in(cast.member)
    register = client.get(todo.step.url).content.decode()
    assert "Accept the new agreement" in register
    accept = page("registration_accept", cast.campaign, team_slug=cast.team.slug)
    refused = client.post(accept)
    assert refused.status_code == 422
    assert "Not accepted." in refused.content.decode()
    back = cast.task.url("run_create")
    assert client.post(accept, {f"agreement-{terms.pk}": "on", "next": back})["Location"] == back
    assert submit(cast).pk
    assert "Accept the new agreement" not in client.get(todo.step.url).content.decode()


def test_the_way_back_after_accepting_never_leaves_the_site(cast: Cast) -> None:
    terms = make_agreement(cast.campaign, cast.organiser)
    accept = page("registration_accept", cast.campaign, team_slug=cast.team.slug)
    form = {f"agreement-{terms.pk}": "on", "next": "https://evil.example/"}
    answer = signed_in(cast.member).post(accept, form)
    assert answer["Location"] == page("campaign_register", cast.campaign)


def test_another_wording_is_another_agreement_to_be_accepted_anew(cast: Cast) -> None:
    old = make_agreement(cast.campaign, cast.organiser)
    agreements_accept(actor=cast.member, team=cast.team, campaign=cast.campaign, agreements=[old])
    client = signed_in(cast.organiser)
    client.post(
        page("agreement_edit", cast.campaign, agreement_id=old.pk), {"title": old.title, "text": "Other words."}
    )
    old.refresh_from_db()
    [new] = missing_agreements(cast.team, cast.campaign)
    assert (new.text, old.text, old.retired_at is not None) == ("Other words.", "The words of Data usage.", True)
    assert Acceptance.objects.get().agreement == old
    with pytest.raises(ValidationError, match="retired already"):
        agreement_replace(actor=cast.organiser, agreement=old, title="x", text="y")


def test_the_same_words_are_not_asked_for_twice(cast: Cast) -> None:
    old = agreement_create(actor=cast.organiser, campaign=cast.campaign, title="Terms", text="One\r\ntwo\r\n")
    assert old.text == "One\ntwo"
    with pytest.raises(ValidationError, match="Nothing is changed"):
        agreement_replace(actor=cast.organiser, agreement=old, title="Terms", text="One\r\ntwo")
    assert Agreement.objects.get().retired_at is None


def test_who_read_the_old_wording_while_it_was_replaced_is_shown_the_new_one(cast: Cast) -> None:
    old = make_agreement(cast.campaign, cast.organiser)
    new = agreement_replace(actor=cast.organiser, agreement=old, title="Terms", text="Other words.")
    with pytest.raises(ValidationError, match="has changed a moment ago"):
        agreements_accept(actor=cast.member, team=cast.team, campaign=cast.campaign, agreements=[old])
    accept = page("registration_accept", cast.campaign, team_slug=cast.team.slug)
    answer = signed_in(cast.member).post(accept, {f"agreement-{old.pk}": "on"})
    assert answer.status_code == 422
    assert "Other words." in answer.content.decode()
    assert list(missing_agreements(cast.team, cast.campaign)) == [new]


def test_a_retired_agreement_is_asked_of_nobody_and_stays_on_record(cast: Cast) -> None:
    old = make_agreement(cast.campaign, cast.organiser)
    agreements_accept(actor=cast.member, team=cast.team, campaign=cast.campaign, agreements=[old])
    client = signed_in(cast.organiser)
    client.post(page("agreement_retire", cast.campaign, agreement_id=old.pk))
    assert not missing_agreements(cast.other_team, cast.campaign).exists()
    listed = client.get(page("agreement_list", cast.campaign)).content.decode()
    assert "accepted by 1 team;" in listed
    assert (
        "retired already"
        in client.post(page("agreement_retire", cast.campaign, agreement_id=old.pk), follow=True).content.decode()
    )
    with pytest.raises(ValidationError):
        agreement_retire(actor=cast.organiser, agreement=old)


def test_only_members_accept_and_only_agreements_of_the_campaign(cast: Cast) -> None:
    terms = make_agreement(cast.campaign, cast.organiser)
    with pytest.raises(ValidationError, match="Only a member"):
        agreements_accept(actor=cast.organiser, team=cast.team, campaign=cast.campaign, agreements=[terms])
    foreign = make_agreement((another := make_cast()).campaign, another.organiser)
    with pytest.raises(ValidationError, match="has changed"):
        agreements_accept(actor=cast.member, team=cast.team, campaign=cast.campaign, agreements=[foreign])
    assert not Acceptance.objects.exists()


def test_accepting_twice_leaves_the_first_record(cast: Cast) -> None:
    terms = make_agreement(cast.campaign, cast.organiser)
    for _ in range(2):
        agreements_accept(actor=cast.member, team=cast.team, campaign=cast.campaign, agreements=[terms])
    assert Acceptance.objects.count() == AuditEvent.objects.filter(verb="accept").count() == 1


def test_the_organiser_sees_who_has_not_accepted(cast: Cast) -> None:
    terms = make_agreement(cast.campaign, cast.organiser)
    agreements_accept(actor=cast.member, team=cast.team, campaign=cast.campaign, agreements=[terms])
    assert [row.team for row in lacking_registrations(cast.campaign.registrations.all())] == [cast.other_team]
    listed = signed_in(cast.organiser).get(page("agreement_list", cast.campaign)).content.decode()
    assert "not yet accepted by 1 team" in listed
    table = page("registration_list", cast.campaign) + "?agreement_missing=on&state=approved"
    answer = signed_in(cast.organiser).get(table).content.decode()
    assert cast.other_team.name in answer
    assert f"Tick {cast.team.name}" not in answer


def test_the_record_is_a_csv_that_a_spreadsheet_opens_safely(cast: Cast) -> None:
    terms = make_agreement(cast.campaign, cast.organiser, "=1+1")
    agreements_accept(actor=cast.member, team=cast.team, campaign=cast.campaign, agreements=[terms])
    answer = signed_in(cast.organiser).get(page("agreement_record", cast.campaign))
    assert answer["Content-Type"].startswith("text/csv")
    [row] = csv.DictReader(io.StringIO(answer.content.decode()))
    assert row["title"] == "'=1+1"
    assert row["text_sha256"] == hashlib.sha256(terms.text.encode()).hexdigest()
    assert (row["team"], row["user"], row["email"]) == (cast.team.name, cast.member.username, cast.member.email)
    assert row["accepted_at"] == Acceptance.objects.get().accepted_at.isoformat()


def test_the_text_of_an_agreement_is_sanitised(cast: Cast) -> None:
    text = "Be *fair*. <script>alert(1)</script> [x](javascript:alert(1))"
    agreement_create(actor=cast.organiser, campaign=cast.campaign, title="<b>Terms</b>", text=text)
    make_team(members=(cast.stranger,))
    shown = signed_in(cast.stranger).get(page("campaign_register", cast.campaign)).content.decode()
    assert "<em>fair</em>" in shown
    assert "<script>alert" not in shown
    assert 'href="javascript' not in shown
    assert "<b>Terms" not in shown


@pytest.mark.parametrize(
    "bad", [{"title": "", "text": "x"}, {"title": "x", "text": " "}, {"title": "x" * 121, "text": "x"}]
)
def test_an_agreement_has_a_title_and_a_text(cast: Cast, bad: dict[str, str]) -> None:
    answer = signed_in(cast.organiser).post(page("agreement_list", cast.campaign), bad)
    assert answer.status_code == 422
    with pytest.raises(ValidationError):
        agreement_create(actor=cast.organiser, campaign=cast.campaign, **bad)
    assert not Agreement.objects.exists()


def test_an_agreement_of_another_campaign_is_not_found(cast: Cast) -> None:
    foreign = make_agreement((another := make_cast()).campaign, another.organiser)
    for name in ("agreement_edit", "agreement_retire"):
        address = page(name, cast.campaign, agreement_id=foreign.pk)
        assert signed_in(cast.organiser).post(address, {"title": "x", "text": "y"}).status_code == 404
