"""What is left of a person whose account is deleted, and what others keep."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO, StringIO
from zipfile import ZipFile

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.accounts.selectors import user_named
from campaign.log.audit import audit
from campaign.log.redaction import former_names_keep
from campaign.mail.services import mail_address, mail_user
from campaign.models import ApiToken, Archive, AuditEvent, Invitation, Mail, Membership, Role, RoleInvitation, User
from campaign.setup.selectors.log import with_names
from campaign.setup.services.people import invitation_accept, role_grant, role_invite
from campaign.teams.services.teams import team_invite
from judging.models import Assignment, Judgment
from judging.qrels.services.releases import qrels_release
from runpool.account_data.campaign import parts_of
from runpool.account_data.services.deletion import confirmations_forget, user_delete
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, confirm_address, make_received_run, make_user
from tests.judging.makers import judge, make_assignment
from tests.runpool.archive.makers import archive_of, bytes_of

pytestmark = pytest.mark.django_db
NAME, SHOWN = "wilhelmina", "Wilhelmina Zaunkönig"
ADDRESS = f"{NAME}@example.org"


def test_the_help_of_the_command_says_that_files_of_mails_stay(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("delete_user", "--help")
    assert "data folder's “mail”, stay: delete those that name the person." in " ".join(capsys.readouterr().out.split())


@pytest.fixture
def person() -> User:
    return confirm_address(make_user(NAME, display_name=SHOWN))


def texts_of_the_database() -> str:
    """Every text and every JSON of every table but the log, whose entries are never changed."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table != AuditEvent._meta.db_table:
                cursor.execute(f'SELECT * FROM "{table}"')
                found += [
                    str(value) for row in cursor.fetchall() for value in row if isinstance(value, str | dict | list)
                ]
    return "\n".join(found).casefold()


@pytest.mark.sqlite("runpool.account_data.services.deletion._take_name_out")
def test_no_table_but_the_log_holds_a_name_or_address_afterwards(cast: Cast, person: User) -> None:
    mail_user(user=person, subject=f"To {SHOWN}", body=f"Dear {SHOWN}, …")
    mail_address(address="other@x.example", subject=f"{SHOWN} has joined", body=f"{NAME} <{ADDRESS}>", reply_to=ADDRESS)
    RoleInvitation.objects.create(
        campaign=cast.campaign, email=ADDRESS, key="k", role=Role.ASSESSOR, invited_by=cast.organiser
    )
    user_delete(actor=person, user=person)
    Mail.objects.filter(
        subject="Your account is deleted"
    ).delete()  # it goes to the address, and is removed when it is sent
    texts = texts_of_the_database()
    assert NAME not in texts
    assert SHOWN.casefold() not in texts
    assert ADDRESS not in texts


def test_a_name_that_is_an_address_or_a_word_of_mails_changes_no_mail_of_others(cast: Cast) -> None:
    mail_address(address="other@x.example", subject="Confirm", body="Please confirm this.")
    Mail.objects.update(created_at=timezone.now() - timedelta(days=1))
    names = ("127.0.0.1:8000", "Confirm", "http://127.0.0.1:8000/c/x/,")
    attackers = [make_user(f"attacker-{number}", display_name=name) for number, name in enumerate(names)]
    page = f"Look at http://127.0.0.1:8000/c/x/, confirm, and write to {ADDRESS}."
    mail_address(address="other@x.example", subject="Confirm", body=page)
    sent = Mail.objects.filter(address="other@x.example").order_by("pk").values_list("subject", "body")
    before = list(sent)
    for user in attackers:
        user_delete(actor=user, user=user)
    assert list(sent.all()) == before


@pytest.mark.parametrize(("short", "long"), [("हिन्द", "हिन्दी"), ("กกก", "กกกี"), ("ada", "ada\u0323\u0301")])
def test_a_name_with_marks_is_taken_out_of_mails_whole_and_out_of_no_longer_name(
    cast: Cast, short: str, long: str
) -> None:
    person, other = make_user(display_name=short), make_user(display_name=long)
    mail_address(address="other@x.example", subject="Thanks", body=f"Thanks to {short} and {long}, {short}!")
    for user, expected in ((person, f"deleted-{person.pk}"), (other, f"deleted-{other.pk}")):
        user_delete(actor=user, user=user)
        assert expected in Mail.objects.get(address="other@x.example").body
    said = Mail.objects.get(address="other@x.example").body.splitlines()[0]
    assert said == f"Thanks to deleted-{person.pk} and deleted-{other.pk}, deleted-{person.pk}!"


@pytest.mark.parametrize("claimed_as", ["address", "shown name"])
def test_an_address_that_an_account_only_claims_keeps_its_mails_invitations_and_entries_of_the_log(
    cast: Cast, person: User, claimed_as: str
) -> None:
    role_invite(actor=cast.organiser, campaign=cast.campaign, role=Role.ASSESSOR, email=ADDRESS)
    team_invite(actor=cast.member, team=cast.team, email=ADDRESS)
    mails = list(Mail.objects.order_by("pk").values("address", "subject", "body", "sent_at"))
    attacker = confirm_address(make_user("attacker"))
    signed_in(attacker).post(
        *{
            "address": (reverse("account_email"), {"action_add": "", "email": ADDRESS}),
            "shown name": (reverse("account_settings"), {"display_name": ADDRESS, "time_zone": "UTC"}),
        }[claimed_as]
    )
    attacker.refresh_from_db()
    user_delete(actor=attacker, user=attacker)
    assert [invitation.email for invitation in RoleInvitation.objects.all()] == [ADDRESS]
    assert [invitation.email for invitation in Invitation.objects.all()] == [ADDRESS]
    kept = Mail.objects.filter(address=ADDRESS).exclude(subject__contains="Account").order_by("pk")
    assert list(kept.values("address", "subject", "body", "sent_at")) == mails
    shown = list(with_names(AuditEvent.objects.filter(campaign=cast.campaign)))
    assert [event.data["email"] for event, _ in shown] == [ADDRESS]


def test_a_shown_name_that_is_the_user_name_of_another_stays_theirs(cast: Cast, person: User) -> None:
    role_grant(actor=cast.organiser, campaign=cast.campaign, user=person, role=Role.ASSESSOR)
    attacker = make_user("attacker", display_name=NAME.upper())
    mail_address(address="other@x.example", subject="Who judges", body=f"{NAME} judges.")
    user_delete(actor=attacker, user=attacker)
    [(shown, _)] = list(with_names(AuditEvent.objects.filter(campaign=cast.campaign)))
    assert shown.data["user"] == NAME
    assert Mail.objects.filter(body__contains=f"{NAME} judges").exists()


def test_the_confirmation_goes_to_the_address_and_the_cleaning_then_removes_it(
    person: User, django_capture_on_commit_callbacks: Callable
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        user_delete(actor=person, user=person)
    assert [message.to for message in mail.outbox] == [[ADDRESS]]
    confirmations_forget()
    assert not Mail.objects.filter(address=ADDRESS).exists()


def test_the_log_stays_and_shows_the_number_in_place_of_the_name(cast: Cast, person: User) -> None:
    event = audit(cast.organiser, "grant", cast.task, campaign=cast.campaign, user=NAME, email=ADDRESS)
    user_delete(actor=person, user=person)
    [(shown, _)] = list(with_names([AuditEvent.objects.get(pk=event.pk)]))
    assert shown.data == {"user": f"deleted-{person.pk}", "email": f"deleted-{person.pk}"}
    log = signed_in(cast.organiser).get(reverse("campaign_log", kwargs={"campaign_slug": cast.campaign.slug}))
    assert NAME not in log.content.decode()


def test_what_is_only_spelt_like_a_former_name_stays_in_the_log(cast: Cast, person: User) -> None:
    others = {"title": NAME, "tag": NAME, "team": NAME, "docno": NAME, "reason": SHOWN, "changes": {"tag": ["x", NAME]}}
    people = {"user": NAME, "from": NAME, "to": NAME, "assessor": NAME, "contact": ["", ADDRESS]}
    event = audit(cast.organiser, "update", cast.task, campaign=cast.campaign, **others, **people)
    user_delete(actor=person, user=person)
    [(shown, _)] = list(with_names([AuditEvent.objects.get(pk=event.pk)]))
    number = f"deleted-{person.pk}"
    assert {name: shown.data[name] for name in others} == others
    assert {name: shown.data[name] for name in people} == dict.fromkeys(people, number) | {"contact": ["", number]}


def test_an_entry_of_the_log_means_the_account_that_had_the_name_when_it_was_written(cast: Cast, person: User) -> None:
    role_grant(actor=cast.organiser, campaign=cast.campaign, user=person, role=Role.ASSESSOR)
    user_delete(actor=person, user=person)
    newcomer = make_user(NAME)
    role_grant(actor=cast.organiser, campaign=cast.campaign, user=newcomer, role=Role.ASSESSOR)
    number = f"deleted-{person.pk}"
    shown = [event.data["user"] for event, _ in with_names(AuditEvent.objects.filter(verb="grant").order_by("pk"))]
    assert shown == [number, NAME]
    for people, names in ((Archive.NAMES, [number, NAME]), (Archive.PSEUDONYMS, ["(left out)", "assessor-2"])):
        archived = ZipFile(BytesIO(bytes_of(archive_of(cast.campaign, cast.organiser, people=people))))
        rows = [json.loads(line) for line in archived.read("audit.jsonl").splitlines()]
        assert [row["data"]["user"] for row in rows if row["verb"] == "grant"] == names
    user_delete(actor=newcomer, user=newcomer)
    shown = [event.data["user"] for event, _ in with_names(AuditEvent.objects.filter(verb="grant").order_by("pk"))]
    assert shown == [number, f"deleted-{newcomer.pk}"]


def test_an_address_that_a_person_gave_up_before_is_theirs_in_the_log_and_later_that_of_its_next_owner(
    cast: Cast, person: User
) -> None:
    second = "zaunkoenig@example.org"
    EmailAddress.objects.create(user=person, email=second, verified=True)
    before = audit(cast.organiser, "update", cast.task, campaign=cast.campaign, contact=["", second])
    signed_in(person).post(reverse("account_email"), {"action_remove": "", "email": second})
    assert not EmailAddress.objects.filter(email=second).exists()
    EmailAddress.objects.create(user=cast.stranger, email=second, verified=True)
    after = audit(cast.organiser, "update", cast.task, campaign=cast.campaign, contact=["", second])
    events = AuditEvent.objects.filter(pk__in=[before.pk, after.pk]).order_by("pk")
    assert [event.data["contact"][1] for event, _ in with_names(events)] == [second, second]
    user_delete(actor=person, user=person)
    assert [event.data["contact"][1] for event, _ in with_names(events)] == [f"deleted-{person.pk}", second]


@pytest.mark.parametrize("of_another", [False, True])
def test_an_address_at_which_a_person_read_an_invitation_goes_with_the_account_unless_it_is_anothers(
    cast: Cast, person: User, of_another: bool
) -> None:
    address = "institute@example.org"
    if of_another:
        EmailAddress.objects.create(user=cast.stranger, email=address, verified=True)
    invitation = role_invite(actor=cast.organiser, campaign=cast.campaign, role=Role.ASSESSOR, email=address)
    invitation_accept(actor=person, invitation=invitation, key=invitation.key)
    team_invite(actor=cast.member, team=cast.team, email=address)
    Invitation.objects.update(accepted_by=person, accepted_at=timezone.now())
    user_delete(actor=person, user=person)
    shown = {event.data["email"] for event, _ in with_names(AuditEvent.objects.filter(data__has_key="email"))}
    assert shown == {address if of_another else f"deleted-{person.pk}"}


def test_the_copy_of_ones_own_data_names_no_deleted_account(cast: Cast, person: User) -> None:
    role_invite(actor=cast.organiser, campaign=cast.campaign, role=Role.ASSESSOR, email=ADDRESS)
    user_delete(actor=person, user=person)
    [log] = [part for part in parts_of(cast.organiser) if part.name == "log"]
    assert [row["data"]["email"] for row in log.rows()] == [f"deleted-{person.pk}"]


def test_judgments_stay_with_their_notes_and_the_qrels_are_made_of_them(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2"])
    judge(assignment, "D1", 2, note="clear")
    judge(assignment, "D2", 0)
    user_delete(actor=cast.assessor, user=cast.assessor)
    kept = Judgment.objects.get(docno="D1")
    assert (kept.note, str(kept.assessor)) == ("clear", f"deleted-{cast.assessor.pk}")
    qrels = qrels_release(actor=cast.organiser, task=cast.task, pool=assignment.pool)
    assert qrels.judgment_count == 2


def test_open_topics_are_in_the_way_until_they_are_given_back(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2"])
    judge(assignment, "D1", 2)
    with pytest.raises(ValidationError, match="1 topic left to judge"):
        user_delete(actor=cast.assessor, user=cast.assessor)
    user_delete(actor=cast.assessor, user=cast.assessor, release=True)
    assignment.refresh_from_db()
    assert assignment.is_handed_over


def test_a_topic_of_which_nothing_is_judged_is_assigned_to_nobody_afterwards(cast: Cast) -> None:
    make_assignment(cast, ["D1"])
    user_delete(actor=cast.assessor, user=cast.assessor, release=True)
    assert not Assignment.objects.exists()


def test_the_last_organiser_of_a_campaign_hands_it_over_first(cast: Cast) -> None:
    with pytest.raises(ValidationError, match=f"last organiser of {cast.campaign}"):
        user_delete(actor=cast.organiser, user=cast.organiser, release=True)
    Role.objects.create(campaign=cast.campaign, user=make_user(), role=Role.ORGANISER)
    assert user_delete(actor=cast.organiser, user=cast.organiser).deleted_at is not None


def test_the_only_owner_of_a_team_with_members_names_another_one_first(cast: Cast) -> None:
    owner = Membership.objects.filter(team=cast.team, is_owner=True).get().user
    Membership.objects.get_or_create(team=cast.team, user=make_user())
    with pytest.raises(ValidationError, match="only owner of the team"):
        user_delete(actor=owner, user=owner, release=True)


def test_the_last_member_of_a_team_with_runs_leaves_it_only_when_that_is_agreed_to(cast: Cast) -> None:
    make_received_run(cast.task, cast.team, "bm25", b"1 Q0 a 1 2.0 bm25\n")
    Membership.objects.filter(team=cast.team).exclude(user=cast.member).delete()
    Membership.objects.filter(team=cast.team).update(is_owner=True)
    with pytest.raises(ValidationError, match="last member of the team"):
        user_delete(actor=cast.member, user=cast.member)
    user_delete(actor=cast.member, user=cast.member, release=True)
    assert cast.team.runs.count() == 1


def test_the_last_superuser_stays() -> None:
    root = make_user("root", is_superuser=True)
    with pytest.raises(ValidationError, match="last superuser"):
        user_delete(actor=None, user=root)


def test_a_second_deletion_changes_nothing(person: User) -> None:
    first = user_delete(actor=person, user=person).deleted_at
    assert user_delete(actor=None, user=person).deleted_at == first
    assert AuditEvent.objects.filter(verb="delete account").count() == 1


def test_neither_password_nor_a_new_one_by_mail_brings_the_account_back(client: Client, person: User) -> None:
    person.set_password("of old 7")
    person.save()
    user_delete(actor=person, user=person)
    for login in (NAME, ADDRESS, f"deleted-{person.pk}"):
        client.post(reverse("account_login"), {"login": login, "password": "of old 7"})
        assert "_auth_user_id" not in client.session
    mail.outbox.clear()
    client.post(reverse("account_reset_password"), {"email": ADDRESS})
    person.refresh_from_db()
    assert not person.has_usable_password()
    assert user_named(ADDRESS) is None
    assert not EmailAddress.objects.filter(email=ADDRESS).exists()


def test_other_browsers_and_tokens_work_no_more(person: User) -> None:
    elsewhere = signed_in(person)
    elsewhere.post(reverse("token_list"), {"name": "laptop", "scope": "read", "lifetime": "30"})
    user_delete(actor=person, user=person)
    assert elsewhere.get(reverse("account_settings")).status_code == 302
    assert not ApiToken.objects.filter(user=person).exists()


def test_the_page_says_what_stays_and_wants_the_password(person: User) -> None:
    person.set_password("of old 7")
    person.save()
    client = signed_in(person)
    page = client.get(reverse("account_delete")).content.decode()
    assert "under a number in place of your name" in page
    assert "out of this site's reach" in page
    refused = client.post(reverse("account_delete"), {"password": "wrong"})
    assert refused.status_code == 422
    person.refresh_from_db()
    assert person.deleted_at is None
    assert client.post(reverse("account_delete"), {"password": "of old 7"}).status_code == 302
    person.refresh_from_db()
    assert person.deleted_at is not None


def test_the_page_of_a_last_organiser_has_no_button_but_the_way_to_settle_it(cast: Cast) -> None:
    page = signed_in(cast.organiser).get(reverse("account_delete")).content.decode()
    assert f'href="{cast.campaign.get_absolute_url()}"' in page
    assert "Delete my account" not in page


def test_the_command_says_what_is_in_the_way_and_deletes_nothing_then(cast: Cast) -> None:
    with pytest.raises(CommandError, match="Nothing was deleted"):
        call_command("delete_user", cast.organiser.username)
    with pytest.raises(CommandError, match="organiser"):
        call_command("delete_user", cast.organiser.username, "--dry-run")
    out = StringIO()
    call_command("delete_user", cast.stranger.username, "--dry-run", stdout=out)
    assert out.getvalue() == "nothing is in the way\n"
    out = StringIO()
    call_command("delete_user", cast.stranger.username, stdout=out)
    assert f"deleted-{cast.stranger.pk}" in out.getvalue()


@pytest.mark.sqlite("campaign.models.user.User.Meta")
def test_a_name_that_somebody_took_beforehand_is_not_given_twice(person: User) -> None:
    make_user(f"deleted-{person.pk}")
    assert user_delete(actor=person, user=person).username == f"deleted-{person.pk}_"


@pytest.mark.sqlite("campaign.log.redaction.former_names_keep")
def test_a_name_is_kept_once_however_it_was_written(person: User) -> None:
    former_names_keep(person, {"Ada", "ada"})
    former_names_keep(person, {"ADA"})
    assert person.former_names.count() == 1
