"""Who may read a notice, who gets it by mail, and that nobody gets it twice."""

import csv
import io
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from campaign.mail.choices import choices_set
from campaign.mail.services import SEND_MAIL
from campaign.models import Campaign, Job, Mail, Notice, Registration, Role, Run, Task, job_key
from campaign.models.mail import NOTICE
from campaign.news.selectors.recipients import Audience
from campaign.news.services.notices import notice_mail, notice_write
from campaign.teams.services.teams import team_join
from tests.campaign.news.makers import make_notice
from tests.campaign.runs.makers import signed_in
from tests.campaign.teams.makers import Sent
from tests.factories import Cast, make_received_run

WORDS = {"subject": "Topics are out", "text": "They are on the *topics* page."}


def page(name: str, cast: Cast, **more: object) -> str:
    return reverse(name, kwargs={"campaign_slug": cast.campaign.slug, **more})


def readers(cast: Cast, notice: Notice) -> set[str]:
    people = ("stranger", "member", "other_member", "assessor", "organiser")
    address = notice.get_absolute_url()
    return {name for name in people if signed_in(getattr(cast, name)).get(address).status_code == 200}


@pytest.mark.parametrize(
    ("audience", "meant"),
    [
        (Notice.EVERYBODY, {"member", "other_member", "assessor"}),
        (Notice.TEAMS, {"member", "other_member"}),
        (Notice.SUBMITTERS, {"member"}),
        (Notice.WITHOUT_RUN, {"other_member"}),
        (Notice.ASSESSORS, {"assessor"}),
    ],
)
def test_an_audience_gets_what_is_theirs_and_no_other(cast: Cast, audience: str, meant: set[str]) -> None:
    make_received_run(cast.task, cast.team, "one", b"x", state=Run.VALID)
    with Sent() as sent:
        notice = make_notice(cast, audience)
    assert sent.addresses == sorted(getattr(cast, name).email for name in meant)
    assert notice.people == len(meant)
    public = {"stranger"} if audience == Notice.EVERYBODY else set()
    assert readers(cast, notice) == meant | {"organiser"} | public
    shown = signed_in(cast.stranger).get(page("news_list", cast)).content.decode()
    assert (notice.title in shown) is (audience == Notice.EVERYBODY)
    feed = signed_in(cast.organiser).get(page("news_feed", cast)).content.decode()
    assert (notice.title in feed) is (audience == Notice.EVERYBODY)


def test_a_notice_to_the_owners_of_chosen_teams_is_theirs_alone(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    with Sent() as sent:
        notice = make_notice(cast, Notice.SELECTION, teams=[cast.team], owners_only=True)
    assert sent.addresses == [cast.member.email]
    assert readers(cast, notice) == {"member", "organiser"}


@pytest.mark.sqlite("campaign.news.services.notices._mail_once")
def test_the_job_delivered_twice_writes_one_mail_to_each(cast: Cast) -> None:
    with Sent() as sent:
        notice = make_notice(cast)
        assert notice_mail(notice.pk) == 3
        assert notice_mail(notice.pk) == 0
    assert len(sent.mails) == Mail.objects.filter(batch=notice.batch).count() == 3


def test_a_notice_to_nobody_is_refused_with_what_to_do(cast: Cast) -> None:
    Role.objects.filter(role=Role.ASSESSOR).delete()
    client = signed_in(cast.organiser)
    sent = {**WORDS, "audience": Notice.ASSESSORS, "batch": str(uuid4()), "send": "1"}
    answer = client.post(page("notice_create", cast), sent)
    assert answer.status_code == 422
    assert "Nobody would get this notice. The campaign has no assessor yet." in answer.content.decode()
    for audience, remedy in ((Notice.SUBMITTERS, "Choose all teams"), (Notice.ORGANISERS, "another audience")):
        with pytest.raises(ValidationError, match=remedy):
            make_notice(cast, audience)
    Registration.objects.update(state=Registration.REFUSED)
    with pytest.raises(ValidationError, match="approve those that ask"):
        make_notice(cast, Notice.TEAMS)
    assert not Notice.objects.exists()


def test_a_draft_campaign_tells_nobody(cast: Cast) -> None:
    Campaign.objects.update(opened_at=None)
    cast.campaign.refresh_from_db()
    with pytest.raises(ValidationError, match="Open it first"):
        make_notice(cast)
    assert not Notice.objects.exists()


def test_notices_of_a_task_in_its_set_up_are_for_organisers(cast: Cast) -> None:
    notice = make_notice(cast, task=cast.task)
    Task.objects.update(phase=Task.SETUP)
    assert readers(cast, notice) == {"organiser"}
    assert list(Notice.objects.public()) == []


def test_a_notice_is_looked_at_with_its_count_then_published_once(cast: Cast) -> None:
    choices_set(actor=cast.member, choices={NOTICE: "off"})
    client, address = signed_in(cast.organiser), page("notice_create", cast)
    counted = client.get(page("notice_recipients", cast), {"audience": Notice.TEAMS}).content.decode()
    assert "1 person</strong> would get an email" in counted
    assert "1 more" in counted
    sent = {**WORDS, "audience": Notice.TEAMS, "task": cast.task.slug, "batch": str(uuid4())}
    preview = client.post(address, sent).content.decode()
    assert "Publish and send to 1 person" in preview
    assert "<em>topics</em>" in preview
    assert "They are on the *topics* page." in preview
    assert not Notice.objects.exists()
    with Sent() as mails:
        for _ in range(2):
            client.post(address, {**sent, "send": "1"})
    notice = Notice.objects.get()
    assert mails.addresses == [cast.other_member.email]
    [mail] = mails.mails
    assert notice.get_absolute_url() in mail.body
    assert "/account/emails/unsubscribe/" in mail.extra_headers["List-Unsubscribe"]
    assert mail.extra_headers["List-Unsubscribe"].strip("<>") in mail.body
    assert readers(cast, notice) == {"member", "other_member", "organiser"}


def test_organisers_see_what_was_sent_to_whom_and_what_came_of_it(cast: Cast) -> None:
    notice = make_notice(cast, Notice.TEAMS, title="=1+1")
    notice_mail(notice.pk)
    sent, refused = Mail.objects.filter(batch=notice.batch).order_by("address")
    Mail.objects.filter(pk=sent.pk).update(sent_at=timezone.now())
    jobs = Job.objects.filter(name=SEND_MAIL, key=job_key({"mail_id": refused.pk}))
    jobs.update(state=Job.FAILED, message="The mail server refuses the address.")
    client = signed_in(cast.organiser)
    listed = client.get(page("mail_list", cast), {"notice": notice.pk}).content.decode()
    assert "2 emails" in listed
    assert "The mail server refuses the address." in listed
    rows = list(csv.DictReader(io.StringIO(client.get(page("mail_csv", cast)).getvalue().decode())))
    states = {row["address"]: row["state"] for row in rows}
    assert states == {sent.address: "sent", refused.address: "not delivered"}
    assert {row["subject"] for row in rows} == {"'=1+1"}


def test_a_notice_about_teams_of_another_campaign_is_refused(cast: Cast) -> None:
    Registration.objects.filter(team=cast.team).delete()
    audience = Audience(cast.campaign, Notice.SELECTION, teams=[cast.team])
    with pytest.raises(ValidationError, match="not registered"):
        notice_write(actor=cast.organiser, audience=audience, title="Hello", body="Words.", batch=uuid4())
