"""What is new for each person: on its page, at home and behind the bell; nothing that its reader may not open."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Notice, OrganiserQuestion, Registration, Role, Run, Task, User
from campaign.models.mail import NOTICE, RESULTS
from campaign.news.selectors.recipients import Audience
from campaign.news.services.notices import notice_store
from campaign.news.services.questions import question_answer
from campaign.news.views.questions import QUESTIONS_ON_A_PAGE
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS, PUBLIC
from evaluation.models import Leaderboard
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from judging.models import Assignment
from runpool.overview.selectors.whats_new import MOST_TOLD, TOLD_FOR, new_count, whats_new
from tests.campaign.news.makers import make_question
from tests.conftest import MadeOnce
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import (
    Cast,
    make_campaign,
    make_cast,
    make_received_run,
    make_task,
    make_team,
    make_topics,
    make_user,
)
from tests.judging.makers import assign, client_of, make_pool

pytestmark = pytest.mark.django_db
LATER = timedelta(hours=1)


def make_board(cast: Cast, number: int, audience: str) -> Leaderboard:
    """As the first one, for others, published now."""
    first = Leaderboard.objects.get(task=cast.task, number=1)
    values = {
        field.attname: getattr(first, field.attname) for field in Leaderboard._meta.fields if not field.primary_key
    }
    own = {"number": number, "audience": audience, "published_at": timezone.now()}
    [board] = Leaderboard.objects.bulk_create([Leaderboard(**{**values, **own})])
    return board


def make_run(cast: Cast, tag: str, state: str = Run.VALID) -> Run:
    return make_received_run(cast.task, cast.team, tag, b"1 Q0 a 1 1 x\n", state=state)


def make_news() -> Cast:
    """Something of each kind."""
    cast = make_cast(measures=["AP"])
    [one, two] = make_topics(cast.task, ["1", "2"])
    make_qrels(cast.task, {"1": {"a": 1}, "2": {"a": 1}}, cast.organiser)
    make_valid_run(cast.task, cast.team, "good", {"1": ["a"], "2": ["a"]})
    task_score(task=cast.task, report=lambda done, total: None)
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    make_run(cast, "poor", Run.REJECTED)
    pool = make_pool(cast.task, {one: ["a"], two: ["a"]}, cast.organiser)
    for topic in (one, two):
        assign(pool, topic, cast.assessor, cast.organiser)
    make_question(cast, answer="No.", is_public=False)
    make_question(cast, cast.other_member, answer="Yes.", text="Are numbers kept?")
    make_question(cast, cast.assessor, text="Is spelling corrected?")
    return cast


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[Cast]:
    with made_once(make_news) as cast:
        yield cast


@pytest.fixture
def cast(made: Cast, db: None) -> Cast:
    caches["bulk"].clear()
    for user in (made.organiser, made.assessor, made.member, made.other_member, made.stranger):
        user.refresh_from_db()
    return made


def told(user: User) -> set[str]:
    return {entry.text for entry in whats_new(user)}


@pytest.mark.sqlite("runpool.overview.selectors.whats_new._told")
def test_each_person_is_told_what_concerns_them(cast: Cast) -> None:
    board, public = "Leaderboard 1 is published", "The organisers answered a question"
    answered = "Your question is answered"
    assert told(cast.member) == {board, public, answered, "Run good is valid", "Run poor is rejected"}
    assert told(cast.other_member) == {board, answered}
    assert told(cast.assessor) == {board, public, "2 topics are assigned to you"}
    assert told(cast.organiser) == {"A question waits for an answer"}, "they published the board and wrote the answers"
    assert told(cast.stranger) == {board, f"{cast.campaign} is open"}


def test_every_entry_leads_to_a_page_that_opens_and_is_on_the_page(cast: Cast) -> None:
    for tag in ("fine", "better"):
        make_run(cast, tag)
    Assignment.objects.order_by("pk").last().delete()  # type: ignore[union-attr]
    entries = 0
    for role in ("organiser", "assessor", "member", "other_member", "stranger"):
        client, page = client_of(cast, role), client_of(cast, role).get(reverse("whats_new")).content.decode()
        for entry in whats_new(getattr(cast, role)):
            assert client.get(entry.url.partition("#")[0]).status_code == 200, entry
            assert entry.text in page
            entries += 1
    assert entries == 13
    assert {"3 runs of yours are valid"} <= told(cast.member)
    assert "Topic 1 is assigned to you" in told(cast.assessor)


def test_what_is_closed_to_somebody_is_not_told(cast: Cast) -> None:
    make_board(cast, 2, PARTICIPANTS)
    make_board(cast, 3, ANONYMOUS)
    assert "3 leaderboards are published" in told(cast.member)
    assert "2 leaderboards are published" in told(cast.other_member), "no run in the task"
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.SETUP)
    assert told(cast.member) == set()
    assert len(told(cast.assessor)) == 3
    Role.objects.filter(user=cast.assessor).delete()
    assert told(cast.assessor) == {f"{cast.campaign} is open"}
    Campaign.objects.filter(pk=cast.campaign.pk).update(opened_at=None)
    assert told(cast.stranger) == set()


@pytest.mark.parametrize("field", ["archived_at", "deleted_at"])
def test_archived_and_deleted_campaigns_are_out(cast: Cast, field: str) -> None:
    closed = {"closed_at": timezone.now()} if field == "archived_at" else {}
    if field == "deleted_at":
        Task.objects.filter(pk=cast.task.pk).update(deleted_at=timezone.now())
    Campaign.objects.filter(pk=cast.campaign.pk).update(**{field: timezone.now()}, **closed)
    for user in (cast.organiser, cast.assessor, cast.member, cast.stranger):
        assert told(user) == set()


def test_hidden_repeats_are_told_to_nobody_and_a_second_opinion_as_a_first_one(cast: Cast) -> None:
    [first, second] = Assignment.objects.order_by("pk")
    other = make_user()
    assign(first.pool, first.topic, other, cast.organiser, pass_number=2)
    assert "Topic 1 is assigned to you" in told(other)
    before = whats_new(cast.assessor)
    values = {"pool": first.pool, "assessor": cast.assessor, "assigned_by": cast.organiser, "pass_number": 2}
    for topic in (first.topic, second.topic):
        Assignment.objects.create(topic=topic, is_repeat=True, **values)
    assert whats_new(cast.assessor) == before


def test_an_answer_in_private_is_told_to_its_asker_and_a_later_one_hides_the_question(cast: Cast) -> None:
    public = OrganiserQuestion.objects.get(asked_by=cast.other_member)
    question_answer(actor=cast.organiser, question=public, text="Wait.", is_public=False)
    assert "The organisers answered a question" not in told(cast.member) | told(cast.assessor)
    assert "Your question is answered" in told(cast.other_member)


def test_notices_are_told_to_those_who_take_part_and_not_to_their_writer(cast: Cast) -> None:
    audience = Audience(cast.campaign, Notice.EVERYBODY, kind=NOTICE, task=cast.task, but=cast.organiser)
    notice = notice_store(audience, title="Topics are out", body="Here.", batch=uuid4())
    for user in (cast.member, cast.assessor):
        assert [entry.url for entry in whats_new(user) if entry.text == "Topics are out"] == [notice.get_absolute_url()]
    assert "Topics are out" not in told(cast.organiser) | told(cast.stranger)
    of_assessors = Audience(cast.campaign, Notice.ASSESSORS, kind=NOTICE)
    notice_store(of_assessors, title="To you alone", body="Here.", batch=uuid4())
    assert ("2 notices" in told(cast.assessor), "Topics are out" in told(cast.member)) == (True, True)
    notice_store(replace(audience, kind=RESULTS), title="Leaderboard 1", body="Here.", batch=uuid4())
    assert "Topics are out" in told(cast.member), "a board is an entry by itself"


def test_a_request_is_told_to_organisers_and_its_decision_to_the_team(cast: Cast) -> None:
    asker = make_user()
    team = make_team("Fresh", members=(asker,))
    values = {"campaign": cast.campaign, "team": team, "registered_by": asker}
    request = Registration.objects.create(**values, state=Registration.REQUESTED)
    [entry] = [entry for entry in whats_new(cast.organiser) if entry.text == "Fresh asks to take part"]
    assert client_of(cast, "organiser").get(entry.url).status_code == 200
    assert "Fresh asks to take part" not in told(cast.member) | told(cast.assessor) | told(asker)
    decided = {"decided_by": cast.organiser, "decided_at": timezone.now()}
    for state, text in ((Registration.APPROVED, "Fresh takes part now"), (Registration.REFUSED, "Fresh was refused")):
        Registration.objects.filter(pk=request.pk).update(state=state, **decided)
        assert text in told(asker)
        assert told(cast.organiser) == {"A question waits for an answer"}
    Campaign.objects.filter(pk=cast.campaign.pk).update(opened_at=None)
    assert told(asker) == set()


def test_an_answer_leads_to_the_page_that_shows_its_question(cast: Cast) -> None:
    first = OrganiserQuestion.objects.earliest("pk")
    for number in range(QUESTIONS_ON_A_PAGE):
        OrganiserQuestion.objects.create(task=cast.task, asked_by=cast.member, text=str(number))
    [url] = [entry.url for entry in whats_new(cast.member) if entry.text == "Your question is answered"]
    assert f'id="question-{first.pk}"' in client_of(cast, "member").get(url).content.decode()


def test_the_list_ends_after_some_days_and_some_entries(cast: Cast) -> None:
    Run.objects.filter(tag="good").update(state_changed_at=timezone.now() - TOLD_FOR - LATER)
    assert "Run good is valid" not in told(cast.member)
    for number in range(MOST_TOLD + 5):
        make_campaign(f"later-{number}")
    assert len(whats_new(cast.stranger)) == MOST_TOLD
    assert new_count(cast.stranger) == "9+"


def test_who_takes_part_is_told_of_boards_of_their_campaigns_alone(cast: Cast) -> None:
    outsider = make_user()
    campaign = make_campaign(is_open=False)
    assert "Leaderboard 1 is published" in told(outsider)
    Role.objects.create(campaign=campaign, user=outsider, role=Role.ORGANISER)
    assert told(outsider) == {f"{cast.campaign} is open"}
    Registration.objects.create(campaign=cast.campaign, team=make_team(members=(outsider,)), registered_by=outsider)
    assert told(outsider) == {"Leaderboard 1 is published", "The organisers answered a question"}


def test_what_was_seen_is_marked_by_a_post_alone_and_what_came_since_stays_new(cast: Cast) -> None:
    client, page, seen = client_of(cast, "member"), reverse("whats_new"), reverse("whats_new_seen")
    assert (new_count(cast.member), count(client)) == ("5", "5")
    shown = client.get(page)
    assert count(client) == "5", "to look at the page changes nothing"
    until = shown.context["newest"].at.isoformat()
    make_board(cast, 2, PUBLIC)
    assert client.post(seen, {"until": until}).url == page
    assert count(client) == "1"
    shown = client.get(page).content.decode()
    assert re.findall(r"(\w+)</span></span>", shown.partition("<ul")[2]).count("new") == 1
    assert count(client_of(cast, "other_member")) != ""
    client.post(seen, {"until": (timezone.now() + timedelta(days=9)).isoformat()})
    client.post(seen, {"until": until})
    assert (count(client), "Mark all as seen" in client.get(page).content.decode()) == ("", False)
    make_run(cast, "next")
    assert count(client) == "1", "nobody has seen what is still to come"


def count(client: Client) -> str:
    caches["bulk"].clear()
    answer = client.get(reverse("whats_new_count"))
    assert answer.status_code == (200 if answer.content else 204)
    return answer.content.decode().partition("<")[0]


@pytest.mark.parametrize("until", ["", "yesterday", "2026-13-45T00:00:00Z", "2026-01-01T00:00:00", "\x00", "9" * 5000])
def test_a_moment_that_is_none_marks_nothing_and_says_what_to_do(cast: Cast, until: str) -> None:
    client = client_of(cast, "member")
    answer = client.post(reverse("whats_new_seen"), {"until": until}, follow=True)
    assert "Nothing is marked: the form did not say up to when. Load this page again." in answer.content.decode()
    assert count(client) == "5"


def test_home_shows_what_is_not_seen_and_the_desk_has_no_bell(cast: Cast) -> None:
    def home() -> str:
        return client.get(reverse("home")).content.decode()

    client = client_of(cast, "member")
    assert "All that is new" in home()
    news = home().partition('id="news"')[2].partition("</section>")[0]
    assert news.count('<li class="entry">') == 3
    assert "Leaderboard 1 is published" not in news, "the next steps lead there"
    assert reverse("whats_new_count") in home()
    [until] = re.findall('name="until" value="([^"]*)"', news)
    assert client.post(reverse("whats_new_seen"), {"until": until, "back": "home"}).url == reverse("home")
    assert "All that is new" not in home()
    assert 'class="bell"' not in client_of(cast, "anonymous").get(reverse("home")).content.decode()
    desk = client_of(cast, "assessor").get(cast.task.url("desk", topic_number="1"))
    assert (desk.status_code, 'class="bell"' in desk.content.decode()) == (200, False)


def test_an_empty_list_says_what_will_stand_there(cast: Cast) -> None:
    Campaign.objects.update(opened_at=timezone.now() - TOLD_FOR - LATER)
    newcomer = make_user()
    Role.objects.create(campaign=make_campaign(is_open=False), user=newcomer, role=Role.ASSESSOR)
    client = Client()
    client.force_login(newcomer, backend="allauth.account.auth_backends.AuthenticationBackend")
    assert "For 30 days, this page shows published leaderboards" in client.get(reverse("whats_new")).content.decode()


def test_the_bell_is_one_statement_and_the_list_three_however_much_is_new(cast: Cast) -> None:
    def asked() -> tuple[int, int]:
        caches["bulk"].clear()
        with CaptureQueriesContext(connection) as counted:
            new_count(cast.member)
        with CaptureQueriesContext(connection) as listed:
            whats_new(cast.member)
        return len(counted), len(listed)

    assert asked()[0] == 1
    for number in range(5):
        task = make_task(make_campaign(), slug=f"more-{number}")
        Registration.objects.create(campaign=task.campaign, team=cast.team, registered_by=cast.member)
        make_received_run(task, cast.team, f"more-{number}", b"1 Q0 a 1 1 x\n", state=Run.VALID)
    make_campaign()
    assert asked() == (1, 3)
    with CaptureQueriesContext(connection) as again:
        assert new_count(cast.member) == "9+"
    assert len(again) == 0, "kept for a minute"
