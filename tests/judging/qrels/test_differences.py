"""What a release changes: counts under the chosen policy, and the difference to the version before."""

from random import Random
from typing import Any

import polars as pl
import pytest

from judging.core.qrels_changes import changes_by_topic, grades_in_both, table_of_grades
from judging.models import Assignment, Qrels
from judging.qrels.selectors.differences import released_difference
from judging.qrels.selectors.releases import grade_counts, released_table
from judging.qrels.services.releases import qrels_release
from judging.qrels.views.release_counts import release_counts
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_topics, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment

SCHEMA = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
DRAWS = 50


def drawn(random: Random) -> dict[tuple[str, str], int]:
    pairs = [(topic, docno) for topic in "12" for docno in "abcdef" if random.random() < 0.7]
    return {pair: random.randint(-2, 2) for pair in pairs}


def frame(grades: dict[tuple[str, str], int]) -> pl.DataFrame:
    rows = [(*pair, grade) for pair, grade in grades.items()]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


@pytest.mark.parametrize("seed", range(DRAWS))
def test_the_difference_equals_that_of_two_dictionaries(seed: int) -> None:
    random = Random(seed)
    old, new = drawn(random), drawn(random)
    both = grades_in_both(frame(old), frame(new))
    pairs = sorted(old.keys() | new.keys())
    assert both.rows() == [(*pair, old.get(pair), new.get(pair)) for pair in pairs]
    counted = table_of_grades(both)
    assert sum(counted.values()) == len(pairs)
    for (before, after), count in counted.items():
        assert count == sum((old.get(pair), new.get(pair)) == (before, after) for pair in pairs)
    assert changes_by_topic(both).rows() == [row for topic in "12" if any((row := changes(topic, old, new))[1:])]


def changes(topic: str, old: dict[tuple[str, str], int], new: dict[tuple[str, str], int]) -> tuple[str, int, int, int]:
    before = {pair for pair in old if pair[0] == topic}
    after = {pair for pair in new if pair[0] == topic}
    changed = sum(old[pair] != new[pair] for pair in before & after)
    return topic, len(after - before), len(before - after), changed


@pytest.mark.django_db
def test_the_page_of_a_version_shows_the_difference_to_the_one_before(cast: Cast) -> None:
    make_topics(cast.task, ["1", "10", "2"])
    first = make_qrels(cast.task, {"1": {"a": 2, "b": 0}, "10": {"x": 1}, "2": {"y": 1}}, cast.organiser)
    second = make_qrels(cast.task, {"1": {"b": 1, "c": -1}, "10": {"x": 0}, "2": {"y": 1}}, cast.organiser)
    found = released_difference(first, second)
    assert (found.added, found.gone, found.changed, found.same) == (1, 1, 2, 1)
    assert found.topics == (("1", 1, 1, 1), ("10", 0, 0, 1))
    assert found.grades == (None, -1, 0, 1, 2)
    assert found.rows[2] == (0, ((0, False), (0, False), (0, True), (1, False), (0, False)))
    page = client_of(cast, "organiser").get(second.get_absolute_url()).content.decode()
    assert "Difference to v1" in page
    assert "2 topics with a difference" in page
    assert "Difference to" not in client_of(cast, "organiser").get(first.get_absolute_url()).content.decode()


@pytest.mark.django_db
def test_a_reader_sees_no_difference_to_a_version_that_is_not_published(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    make_qrels(cast.task, {"1": {"a": 2}}, cast.organiser)
    second = make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    Qrels.objects.filter(pk=second.pk).update(published_at=second.released_at)
    answer = client_of(cast, "stranger").get(second.get_absolute_url())
    assert answer.status_code == 200
    assert "Difference to" not in answer.content.decode()


def words(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


@pytest.fixture
def twice_judged(cast: Cast) -> Assignment:
    assignment = make_assignment(cast, ["D1", "D2", "D3"])
    second = assign(assignment.pool, assignment.topic, make_user(), cast.organiser, 2)
    judge(assignment, "D1", 0)
    judge(second, "D1", 3)
    judge(assignment, "D2", 1)
    judge(assignment, "D3", None)
    return assignment


def counted(cast: Cast, **choice: str) -> str:
    url = cast.task.url("qrels_release_counts")
    return words(client_of(cast, "organiser").get(url, choice, headers={"HX-Request": "true"}))


@pytest.mark.django_db
def test_the_counts_are_those_that_the_release_by_the_same_choice_has(cast: Cast, twice_judged: Assignment) -> None:
    for choice in (
        {"policy": "latest"},
        {"policy": "most-generous", "unjudged_as": "left out"},
        {"policy": "single", "cannot_judge_as": "left out"},
    ):
        asked: dict[str, Any] = {"cannot_judge_as": "-2", "unjudged_as": "-1", **choice}
        counts = release_counts(twice_judged.pool, **asked)
        qrels = qrels_release(
            actor=cast.organiser, task=cast.task, pool=twice_judged.pool, leave_undecided=True, **asked
        )
        table = released_table(qrels, "overall")
        assert counts.lines == table.height
        assert list(counts.rows) == grade_counts(table, [value for value, _ in counts.grades], counts.lowest_relevant)


@pytest.mark.django_db
def test_counts_follow_the_choice_and_tell_the_difference_to_the_version_before(
    cast: Cast, twice_judged: Assignment
) -> None:
    assert "Difference to" not in counted(cast, policy="latest")
    qrels_release(actor=cast.organiser, task=cast.task, pool=twice_judged.pool)
    assert "The same lines as in v1" in counted(cast, policy="latest")
    other = counted(cast, policy="most-generous", cannot_judge_as="left out")
    assert "By <strong>most-generous</strong>: 2 lines in the file" in other
    assert "1 topic with a difference" in other
    assert "once the runs are scored with it" in other
    judge(twice_judged, "D3", 2)
    assert "3 lines in the file" in counted(cast, policy="most-generous", cannot_judge_as="left out")


@pytest.mark.django_db
def test_counts_name_what_the_release_would_refuse(cast: Cast, twice_judged: Assignment) -> None:
    assert "no document gets a grade" in counted(cast, policy="strict-majority")
    assert "1 graded pair without a grade by this policy" in counted(cast, policy="single")
    assert "choose one of the policies" in counted(cast, policy="majority")


@pytest.mark.django_db
def test_without_scripts_a_button_shows_the_counts_and_releases_nothing(cast: Cast, twice_judged: Assignment) -> None:
    client, url = client_of(cast, "organiser"), cast.task.url("qrels_release")
    answer = client.post(url, {"policy": "most-generous", "note": "kept as typed", "show": "1"})
    assert answer.status_code == 200
    assert "By <strong>most-generous</strong>" in words(answer)
    assert "kept as typed" in words(answer)
    assert not Qrels.objects.exists()
    assert client.post(url, {"policy": "most-generous"}).status_code == 302
