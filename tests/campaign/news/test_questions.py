"""Questions to organisers: who reads which, who is named to whom, and what becomes of them."""

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError
from django.http import Http404
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaign.mail.choices import choices_set
from campaign.models import AuditEvent, Campaign, OrganiserAnswer, OrganiserQuestion, Task
from campaign.models.mail import QUESTION
from campaign.models.written_once import WrittenOnceError
from campaign.news.selectors.questions import question_counts
from campaign.news.services.questions import (
    ANSWERED_MEANWHILE,
    MOST_QUESTIONS_A_DAY,
    question_answer,
    question_ask,
    question_withdraw,
)
from campaign.news.views.questions import QUESTIONS_ON_A_PAGE
from campaign.text import limits
from runpool.account_data.campaign import parts_of
from runpool.account_data.services.deletion import user_delete
from tests.campaign.news.makers import make_question
from tests.campaign.runs.makers import signed_in
from tests.campaign.teams.makers import Sent
from tests.factories import Cast, make_user

OTHERS = ("stranger", "other_member", "assessor")


def shown(cast: Cast, role: str) -> str:
    client = signed_in(getattr(cast, role)) if role != "anonymous" else signed_in(None)
    return client.get(cast.task.url("question_list")).content.decode()


def test_a_private_answer_is_for_its_asker_and_the_organisers_alone(cast: Cast) -> None:
    make_question(cast, text="Which stemmer?", answer="Porter, for you.", is_public=False)
    for role in ("anonymous", *OTHERS):
        assert "Which stemmer?" not in shown(cast, role)
        assert "Porter" not in shown(cast, role)
    assert "by you" in shown(cast, "member")
    assert "Porter, for you." in shown(cast, "member")
    assert str(cast.member) in shown(cast, "organiser")


def test_a_public_answer_is_for_everybody_and_names_its_asker_only_where_that_was_wanted(cast: Cast) -> None:
    make_question(cast, text="Unnamed?", answer="Yes.")
    make_question(cast, text="Named?", answer="Yes.", asker=cast.assessor, shows_name=True)
    for role in ("anonymous", "stranger", "other_member"):
        text = shown(cast, role)
        assert "Unnamed?" in text
        assert "Named?" in text
        assert f"by {cast.assessor}<" in text
        assert f"by {cast.member}<" not in text
    with Sent():
        user_delete(actor=cast.assessor, user=cast.assessor)
    assert "Named?" in shown(cast, "anonymous")
    assert "deleted-" not in shown(cast, "anonymous")
    assert f"deleted-{cast.assessor.pk}" in shown(cast, "organiser")


def test_a_correction_shows_what_it_corrects_to_those_who_could_read_that(cast: Cast) -> None:
    question = make_question(cast, answer="For you: no.", is_public=False)
    for answer in ("Everybody: no.", "Everybody: yes."):
        question_answer(actor=cast.organiser, question=question, text=answer, is_public=True)
    for role in ("anonymous", *OTHERS):
        text = shown(cast, role)
        assert "Before the correction" in text
        assert "Everybody: no." in text
        assert "For you" not in text
    assert "For you: no." in shown(cast, "member")
    assert "For you: no." in shown(cast, "organiser")
    question_answer(actor=cast.organiser, question=question, text="Sorry.", is_public=False)
    assert "Everybody" not in shown(cast, "anonymous")


def test_open_questions_are_counted_for_organisers_alone(cast: Cast) -> None:
    make_question(cast)
    make_question(cast, text="Answered?", answer="Yes.")
    make_question(cast, text="In private?", answer="Yes.", is_public=False)
    assert question_counts(cast.organiser, cast.task) == {"answered": 1, "open": 1}
    assert question_counts(cast.stranger, cast.task) == {"answered": 1}
    page = cast.task.get_absolute_url()
    assert "Answer 1 question</a>" in signed_in(cast.organiser).get(page).content.decode()
    assert "1 question without an answer" in signed_in(cast.organiser).get("/").content.decode()
    assert "Ask the organisers</a>" in signed_in(cast.stranger).get(page).content.decode()
    assert "without an answer" not in signed_in(cast.member).get(page).content.decode()


def test_organisers_get_one_mail_and_the_asker_one_for_each_answer(cast: Cast) -> None:
    with Sent() as sent:
        question = make_question(cast, text="Which stemmer?")
        make_question(cast, text="Which stemmer?")
    assert sent.addresses == [cast.organiser.email]
    assert "Which stemmer?" in sent.mails[0].body
    with Sent() as sent:
        for text in ("Porter.", "Porter.", "Krovetz."):
            question_answer(actor=cast.organiser, question=question, text=text, is_public=False)
    assert sent.addresses == [cast.member.email] * 2
    assert "corrected their answer" in sent.mails[1].body
    for person in (cast.organiser, cast.member):
        choices_set(actor=person, choices={QUESTION: "off"})
    with Sent() as sent:
        make_question(cast, text="Another?", answer="Yes.")
    assert sent.addresses == [cast.member.email]  # who asked waits for it


def test_the_same_text_is_the_same_question_while_it_is_open_and_shows_the_name_alike(cast: Cast) -> None:
    open_one = make_question(cast, shows_name=True)
    assert make_question(cast, shows_name=True) == open_one
    with pytest.raises(ValidationError, match="Withdraw that question first"):
        make_question(cast)
    question_answer(actor=cast.organiser, question=open_one, text="No.", is_public=True)
    with Sent() as sent:
        assert make_question(cast) != open_one
    assert sent.addresses == [cast.organiser.email]


def test_a_question_is_withdrawn_by_its_asker_until_it_is_answered(cast: Cast) -> None:
    question = make_question(cast)
    with pytest.raises(PermissionDenied):
        question_withdraw(actor=cast.assessor, question=question)
    assert signed_in(cast.member).post(cast.task.url("question_withdraw", question_id=question.pk)).status_code == 302
    assert not OrganiserQuestion.objects.exists()
    with pytest.raises(Http404):
        question_answer(actor=cast.organiser, question=question, text="Late.", is_public=True)
    answered = make_question(cast, answer="No.")
    with pytest.raises(ValidationError, match="is answered"):
        question_withdraw(actor=cast.member, question=answered)
    with pytest.raises(ProtectedError):
        answered.delete()


def test_nobody_changes_a_question_or_deletes_an_answer(cast: Cast) -> None:
    question = make_question(cast, answer="No.")
    question.text = "Another"
    with pytest.raises(WrittenOnceError):
        question.save()
    with pytest.raises(WrittenOnceError):
        OrganiserAnswer.objects.all().delete()
    with pytest.raises(IntegrityError), transaction.atomic():
        OrganiserAnswer.objects.all()._raw_delete("default")  # type: ignore[attr-defined]


def test_an_answer_that_another_organiser_gave_meanwhile_is_read_first(cast: Cast) -> None:
    question = make_question(cast, answer="No.")
    sent = {"text": "Yes.", "audience": "everybody", "seen": 0}
    page = signed_in(cast.organiser).post(cast.task.url("question_answer", question_id=question.pk), sent)
    assert page.status_code == 422
    assert ANSWERED_MEANWHILE in page.content.decode()
    returned = page.context["form"]
    again = {name: returned[name].value() for name in sent}
    assert again == {**sent, "seen": 1}
    assert signed_in(cast.organiser).post(page.request["PATH_INFO"], again).status_code == 302


def test_who_reads_an_answer_is_chosen_each_time_and_said_in_a_sentence(cast: Cast) -> None:
    question = make_question(cast, cast.assessor)
    address = cast.task.url("question_answer", question_id=question.pk)
    client = signed_in(cast.organiser)
    page = client.get(address).content.decode()
    assert "checked" not in page.partition('name="audience"')[2].partition("</fieldset>")[0]
    assert "also without an account: all teams, assessors and readers" in page
    assert "An assessor asks." in page
    assert client.post(address, {"text": "Yes."}).status_code == 422
    assert not OrganiserAnswer.objects.exists()
    of_member = make_question(cast, text="Mine?")
    page = client.get(cast.task.url("question_answer", question_id=of_member.pk)).content.decode()
    assert "An assessor asks." not in page


def test_questions_are_refused_beyond_a_limit_and_of_closed_campaigns(cast: Cast) -> None:
    for text in ("", " \n", "x" * (limits.ORGANISER_QUESTION + 1)):
        with pytest.raises(ValidationError):
            question_ask(actor=cast.member, task=cast.task, text=text)
    for number in range(MOST_QUESTIONS_A_DAY):
        make_question(cast, text=f"Number {number}?")
    with pytest.raises(ValidationError, match="Go on tomorrow"):
        make_question(cast, text="One more?")
    assert OrganiserQuestion.objects.count() == MOST_QUESTIONS_A_DAY
    for number in range(MOST_QUESTIONS_A_DAY + 1):
        make_question(cast, cast.organiser, text=f"Asked often {number}?")
    Campaign.objects.filter(pk=cast.campaign.pk).update(closed_at=timezone.now())
    assert signed_in(cast.assessor).post(cast.task.url("question_ask"), {"text": "Late?"}).status_code == 403
    answer = signed_in(cast.organiser).post(cast.task.url("question_ask"), {"text": "Late?"})
    assert answer.status_code == 422
    assert "takes no new questions" in answer.content.decode()
    for page in (cast.task.get_absolute_url(), cast.task.url("question_list")):
        assert "Ask the organisers</a>" not in signed_in(cast.member).get(page).content.decode()


def test_nobody_asks_about_a_task_that_they_do_not_see(cast: Cast) -> None:
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.SETUP)
    with pytest.raises(Http404):
        make_question(cast, cast.stranger)
    question = make_question(cast, cast.assessor)
    assert "assessors and organisers now" in (
        signed_in(cast.organiser).get(cast.task.url("question_answer", question_id=question.pk)).content.decode()
    )


def test_the_log_tells_of_questions_without_their_texts_and_people_get_theirs(cast: Cast) -> None:
    make_question(cast, text="Secret words?", answer="Secret answer.")
    events = AuditEvent.objects.filter(object_type="organiserquestion").order_by("pk")
    assert [event.verb for event in events] == ["ask", "answer"]
    assert all("Secret" not in str(event.data) for event in events)
    own = {part.name: list(part.rows()) for part in parts_of(cast.member)}
    assert [row["text"] for row in own["questions"]] == ["Secret words?"]
    assert [(row["question.text"], row["text"]) for row in own["answers_to_you"]] == [
        ("Secret words?", "Secret answer.")
    ]
    answered = {part.name: list(part.rows()) for part in parts_of(cast.organiser)}
    assert [row["text"] for row in answered["answers"]] == ["Secret answer."]


def test_a_list_of_questions_needs_as_many_statements_for_many_as_for_one(cast: Cast) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert "Number 0?" in shown(cast, "stranger")
        return len(asked)

    make_question(cast, text="Number 0?", answer="Yes.")
    few = statements()
    for number in range(1, 5):
        make_question(cast, make_user(), text=f"Number {number}?", answer="Yes.")
    assert statements() == few


def test_a_mail_leads_to_the_page_of_the_list_that_shows_the_question(cast: Cast) -> None:
    with Sent() as sent:
        oldest = make_question(cast, text="The oldest?")
        rows = [
            OrganiserQuestion(task=cast.task, asked_by=cast.member, text=f"Number {number}?")
            for number in range(2 * QUESTIONS_ON_A_PAGE)
        ]
        OrganiserQuestion.objects.bulk_create(rows)
        question_answer(actor=cast.organiser, question=oldest, text="Yes.", is_public=False)
    to_organiser, to_asker = (
        next(line for line in mail.body.splitlines() if "/questions/" in line) for mail in sent.mails
    )
    assert to_organiser == to_asker
    address, _, anchor = to_organiser.removeprefix(settings.SITE_URL).partition("#")
    for reader in (cast.organiser, cast.member):
        assert f'id="{anchor}"' in signed_in(reader).get(address).content.decode()
    for named in ("0", "9" * 18, "9" * 40, "x", "-1", "\u0663"):
        assert signed_in(None).get(cast.task.url("question_list"), {"question": named}).status_code == 200


@pytest.mark.parametrize("role", ["member", "organiser"])
def test_a_closed_campaign_offers_and_takes_no_withdrawal_of_a_question(cast: Cast, role: str) -> None:
    asker = getattr(cast, role)
    question = make_question(cast, asker)
    assert "Withdraw<" in shown(cast, role)
    Campaign.objects.filter(pk=cast.campaign.pk).update(closed_at=timezone.now())
    assert "Withdraw<" not in shown(cast, role)
    assert signed_in(asker).get(cast.task.url("question_withdraw", question_id=question.pk)).status_code == 302
    with pytest.raises(ValidationError, match="is closed"):
        question_withdraw(actor=asker, question=OrganiserQuestion.objects.get())


def test_an_archived_campaign_offers_no_answer(cast: Cast) -> None:
    make_question(cast)
    pages = (cast.task.url("question_list"), cast.task.get_absolute_url())
    assert all("Answer" in signed_in(cast.organiser).get(page).content.decode() for page in pages)
    Campaign.objects.filter(pk=cast.campaign.pk).update(closed_at=timezone.now(), archived_at=timezone.now())
    for page in pages:
        text = signed_in(cast.organiser).get(page).content.decode()
        assert "/answer/" not in text
        assert "Answer 1 question" not in text
