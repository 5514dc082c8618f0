"""What organisers are told to look at: grades given very quickly, the same again and again, repeats graded otherwise."""

import random
import re
from datetime import datetime, timedelta

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from campaign.models import ApiToken, Role, Task
from judging.assigning.selectors.planning import Overlap, overlap_plan
from judging.core.grade_rows import rare_rows
from judging.core.resolution import LATEST
from judging.models import Assignment
from judging.progress.selectors.alarms import DAYS, FEWEST_REPEATS, RARE, SAME_IN_A_ROW, judging_alarms, release_caution
from judging.qrels.selectors.releases import release_draft
from pooling.core.strategies.spec import PoolSpec
from tests.api.makers import ask, make_token
from tests.factories import Cast, make_collection, make_topics, make_user
from tests.judging.growing_pools import SMALL
from tests.judging.makers import assign, client_of, judge, make_assignment, make_model_assessor, make_pool

DOCNOS = [f"D{number}" for number in range(1, 81)]


def told(cast: Cast) -> list[str]:
    return [alarm.said for alarm in judging_alarms(cast.task, cast.task.grades.all())]


def page(cast: Cast) -> str:
    return " ".join(client_of(cast, "organiser").get(cast.task.url("judging_progress")).content.decode().split())


@pytest.mark.django_db
def test_grades_given_in_less_than_two_seconds_are_told_from_twenty_on(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS)
    for place, docno in enumerate(DOCNOS[:19]):
        judge(assignment, docno, place % 2, active_ms=900)
    assert told(cast) == []
    judge(assignment, "D20", 1, active_ms=900)
    assert told(cast) == ["takes 0.9 s a document (median of 20 documents in 14 days)."]
    shown = page(cast)
    assert f"<strong>{cast.assessor}</strong> takes 0.9 s a document" in shown
    assert f'?assessor={cast.assessor.username}">' in shown
    assert client_of(cast, "assessor").get(cast.task.url("judging_progress")).status_code == 403
    for docno in DOCNOS[20:40]:
        judge(assignment, docno, int(docno[1:]) % 2, active_ms=2_500)
    assert told(cast) == ["takes 1.7 s a document (median of 40 documents in 14 days)."]
    judge(assignment, "D1", 0, active_ms=9_000)
    assert told(cast) == ["takes 1.7 s a document (median of 40 documents in 14 days)."], "timed by the first grade"
    judge(assignment, "D41", 0, active_ms=2_500)
    assert told(cast) == [], "the median is 2.5 s"


@pytest.mark.django_db
def test_a_median_that_is_written_as_two_seconds_is_not_less_than_two_seconds(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS)
    for place, docno in enumerate(DOCNOS[:20]):
        judge(assignment, docno, place % 2, active_ms=1_960)
    assert told(cast) == []


@pytest.mark.django_db
def test_thirty_acts_on_one_document_are_one_judgment(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS)
    for place, docno in enumerate(DOCNOS[:12]):
        judge(assignment, docno, place % 2, active_ms=9_000)
    for number in range(SAME_IN_A_ROW):
        judge(assignment, "D13", 1, active_ms=300, note=f"seen {number}", flagged=bool(number % 2))
    assert told(cast) == []


@pytest.mark.django_db
def test_notes_on_documents_that_were_judged_long_ago_make_no_row(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS)
    long_ago = long_before(DAYS)
    for docno in DOCNOS[:40]:
        judge(assignment, docno, 1, active_ms=9_000, judged_at=long_ago)
    for place, docno in enumerate(DOCNOS[40:60]):
        judge(assignment, docno, place % 2, active_ms=9_000)
    for docno in DOCNOS[:40]:
        judge(assignment, docno, 1, active_ms=300, note="a note")
    assert told(cast) == []


@pytest.mark.django_db
def test_a_row_is_told_where_it_is_rare_at_the_share_of_its_grade_and_files_are_not_looked_at(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS)
    for docno in DOCNOS[:20]:
        judge(assignment, docno, 1)
    for place, docno in enumerate(DOCNOS[20:40]):
        judge(assignment, docno, place % 2, active_ms=5_000)
    for docno in DOCNOS[40 : 40 + SAME_IN_A_ROW - 2]:
        judge(assignment, docno, 1, active_ms=5_000)
    assert told(cast) == [], "29 at the desk, 20 without a time"
    judge(assignment, "D70", 1, active_ms=5_000)
    label = cast.task.grades.get(value=1).label
    said = (
        f"gave the same grade, 1 {label}, to 30 documents in a row in topic 401. They gave it to 80% of the "
        "documents there: by chance, so long a row is unlikely."
    )
    assert told(cast) == [said]
    remedy = "Read some of these documents yourself, or have the whole topic judged by a second assessor."
    assert f"{said} {remedy}" in page(cast)
    second = make_user("second")
    Role.objects.create(campaign=cast.campaign, user=second, role=Role.ASSESSOR)
    assert not overlap_plan(assignment.pool, Overlap(0.2, 1, [second])).rows, "a share is drawn before judging begins"
    assert overlap_plan(assignment.pool, Overlap(1, 1, [second])).rows, "the whole topic can still be given"


@pytest.mark.django_db
def test_rows_of_pools_that_grow_are_not_told_for_they_bring_what_is_likely_relevant_first(cast: Cast) -> None:
    [topic] = make_topics(cast.task, ["401"])
    make_collection(cast.task, DOCNOS)
    spec = PoolSpec.with_defaults("maxmean", SMALL, seed=7).to_json()
    pool = make_pool(cast.task, {topic: DOCNOS}, cast.organiser, spec=spec)
    assignment = assign(pool, topic, cast.assessor, cast.organiser)
    for place, docno in enumerate(DOCNOS[:50]):
        judge(assignment, docno, place % 2 if place < 20 else 0, active_ms=5_000)
    assert told(cast) == []


@pytest.mark.django_db
def test_rows_of_one_grade_alone_and_rows_of_two_weeks_ago_are_not_told(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS)
    for docno in DOCNOS[:40]:
        judge(assignment, docno, 0, active_ms=5_000)
    assert told(cast) == [], "nothing else was given: the topic may hold nothing else"
    other = assign(assignment.pool, assignment.topic, cast.organiser, cast.organiser)
    for place, docno in enumerate(DOCNOS[:70]):
        judge(other, docno, place % 2 if place < 30 else 0, active_ms=5_000, judged_at=long_before(DAYS))
    assert told(cast) == []


def long_before(days: int) -> datetime:
    return timezone.now() - timedelta(days=days, hours=1)


def named(grades: dict[str, list[int]]) -> bool:
    return bool(rare_rows(grades, at_least=SAME_IN_A_ROW, rarity=RARE))


@pytest.mark.parametrize("share", [0.8, 0.85, 0.9, 0.95])
def test_honest_assessors_are_hardly_ever_named_however_often_the_page_is_read(share: float) -> None:
    """1,000 judgments on topics of 100 documents, whose shares differ; the page is read ten times a topic."""
    draw, campaigns, wrong = random.Random(int(share * 100)), 100, 0
    for _ in range(campaigns):
        grades: dict[str, list[int]] = {}
        is_named = False
        for topic in range(10):
            of_topic = min(0.99, draw.gauss(share, 0.05))
            grades[str(topic)] = []
            for _ in range(10):
                grades[str(topic)] += [0 if draw.random() < of_topic else draw.randint(1, 3) for _ in range(10)]
                is_named = is_named or named(grades)
        wrong += is_named
    assert wrong <= campaigns * 0.05


@pytest.mark.parametrize("share", [0.8, 0.95])
def test_honest_assessors_of_one_long_topic_are_hardly_ever_named(share: float) -> None:
    draw, campaigns = random.Random(int(share * 100)), 300
    honest = [[0 if draw.random() < share else 1 for _ in range(1_000)] for _ in range(campaigns)]
    assert sum(named({"401": grades}) for grades in honest) <= campaigns * 0.05


def test_who_presses_one_key_for_sixty_documents_after_a_mixed_start_is_named() -> None:
    draw = random.Random(60)
    for _ in range(100):
        start = [0 if draw.random() < 0.6 else draw.randint(1, 3) for _ in range(60)]
        assert named({"401": start + [0] * 60, "402": [0, 1, 0, 0, 2] * 20})
        assert named({"401": [0 if draw.random() < 0.7 else 1 for _ in range(300)] + [0] * 60})


@pytest.mark.django_db
def test_hidden_repeats_that_got_another_grade_are_named_with_both_grades(cast: Cast) -> None:
    first = make_assignment(cast, DOCNOS)
    again = assign(first.pool, first.topic, cast.assessor, cast.organiser, pass_number=2)
    Assignment.objects.filter(pk=again.pk).update(is_repeat=True)
    again.refresh_from_db()
    for docno in DOCNOS[:8]:
        judge(first, docno, 1)
    for docno in DOCNOS[: FEWEST_REPEATS - 1]:
        judge(again, docno, 0 if docno in ("D1", "D2") else 1)
    assert told(cast) == [], "four repeats tell little"
    judge(again, "D5", 1)
    assert told(cast) == [], "who is told of a repeat that is still being judged judges the rest otherwise"
    Assignment.objects.filter(pk=again.pk).update(finished_at=timezone.now())
    assert told(cast) == ["gave 2 of 5 hidden repeats another grade than before."]
    shown = page(cast)
    assert shown.count(": 1, then 0") == 2
    history = cast.task.url("judgment_history", topic_number=first.topic.number)
    assert f'<a href="{history}?docno=D1">' in shown
    for docno in ("D6", "D7"):
        judge(again, docno, 1)
    Assignment.objects.filter(pk=again.pk).update(finished_at=timezone.now())
    assert told(cast) == [], "2 of 7 are less than a third"


@pytest.mark.django_db
def test_alarms_come_to_an_open_page_every_minute_and_with_no_more_statements_than_the_page_itself(
    cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    assignment, url, client = (
        make_assignment(cast, DOCNOS),
        cast.task.url("judging_progress"),
        client_of(cast, "organiser"),
    )
    before = client.get(url).content.decode()
    [asks] = re.findall(r'<div id="alarms"\s+data-live\s+hx-get="([^"]+)"\s+hx-trigger="every 60s"[^>]+></div>', before)
    for place, docno in enumerate(DOCNOS[:20]):
        judge(assignment, docno, place % 2, active_ms=900)
    with CaptureQueriesContext(connection) as taken:
        assert "Alarms</h2>" in client.get(url).content.decode()
    with django_assert_max_num_queries(len(taken)):
        asked = client.get(asks, headers={"HX-Request": "true", "HX-Target": "alarms"}).content.decode()
    assert "takes 0.9 s a document" in asked
    part = client.get(url, headers={"HX-Request": "true", "HX-Target": "progress"}).content.decode()
    assert 'id="progress"' in part
    assert "Alarms</h2>" not in part, "the part that comes every 10 s is made without them"


def lines_about_alarms(cast: Cast, role: str, address: str) -> list[str]:
    """The links of a page that lead to the alarms, without their words for screen readers alone."""
    shown = client_of(cast, role).get(address).content.decode()
    return re.findall(r'<a [^>]*href="[^"]*/judging/#alarms"[^>]*>\s*([^<]*[^<\s])', shown)


@pytest.mark.django_db
def test_organisers_read_of_alarms_at_home_on_the_task_and_before_a_release_and_nobody_else_does(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS)
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.JUDGING)
    home, card, release = reverse("home"), cast.task.url("judging_card"), cast.task.url("qrels_release")
    judge(assignment, "D80", 1, active_ms=900)
    assert [lines_about_alarms(cast, "organiser", address) for address in (home, card, release)] == [[], [], []]
    caches["bulk"].clear()
    for place, docno in enumerate(DOCNOS[:20]):
        judge(assignment, docno, place % 2, active_ms=900)
    assert lines_about_alarms(cast, "organiser", home) == ["Read 1 alarm"]
    assert lines_about_alarms(cast, "organiser", card) == ["Read 1 alarm"]
    assert lines_about_alarms(cast, "organiser", release) == ["Page Judging"]
    said = "1 alarm about this task on the page Judging: read it before you release qrels."
    assert said in client_of(cast, "organiser").get(release).content.decode()
    api = f"campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}"
    draft = f"{api}/qrels-draft"
    assert ask(draft, make_token(cast.organiser)).json()["consequences"][0] == said
    for role in ("assessor", "member", "stranger", "anonymous"):
        for address in (home, card, cast.task.get_absolute_url(), cast.task.url("my_topics"), reverse("whats_new")):
            assert "alarm" not in client_of(cast, role).get(address, follow=True).content.decode()
        assert client_of(cast, role).get(release).status_code in (302, 403, 404)
    tokens = [make_token(user, scope) for user in (cast.assessor, cast.member) for scope in ApiToken.SCOPES]
    for token in (*tokens, make_model_assessor(cast.task, cast.organiser)[1], ""):
        assert ask(draft, token).status_code in (401, 403, 404)
        parts = ("judging/progress", "judging/assignments", "assignments", "qrels")
        asked = ["campaigns", api, *(f"{api}/{part}" for part in parts), "model-assessor", "model-assessor/topics"]
        for address in (*asked, home, card, release):
            assert "alarm" not in ask(address, token).content.decode()
    Task.objects.filter(pk=cast.task.pk).update(phase=Task.SCORES)
    assert lines_about_alarms(cast, "organiser", home) == [], "the judgments are released"
    assert lines_about_alarms(cast, "organiser", release) == ["Page Judging"]


@pytest.mark.django_db
def test_a_release_of_a_new_pool_tells_of_alarms_of_an_earlier_one_whose_grades_it_takes(cast: Cast) -> None:
    assignment = make_assignment(cast, DOCNOS[:20])
    for place, docno in enumerate(DOCNOS[:20]):
        judge(assignment, docno, place % 2, active_ms=900)
    newest = make_pool(cast.task, {assignment.topic: ["D21"]}, cast.organiser, version=2)
    judge(assign(newest, assignment.topic, cast.assessor, cast.organiser), "D21", 1, active_ms=9_000)
    assert release_caution(cast.task).startswith("1 alarm about this task ")
    draft = release_draft(newest, LATEST)
    assert draft.judged == 21
