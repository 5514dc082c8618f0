"""Released files against a plain count of votes, which reads nothing but the rows of acts, decisions and pools."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from campaign.storage.reading import verified_bytes
from judging.core.resolution import POLICIES
from judging.models import Adjudication, Judgment
from judging.qrels.selectors.release_counts import drafted_counts
from judging.qrels.services.releases import qrels_release
from pooling.models import PoolEntry
from tests.draws import examples
from tests.factories import Cast
from tests.judging.replay import STEPS, Played, rolled_back

pytestmark = pytest.mark.django_db
Vote = tuple[int, Any, int, int | None]
"""Pass, time, number and grade."""


def votes_by_document(topic: int) -> dict[str, list[Vote]]:
    """Each person's vote on each document: of the first pass in which he or she graded it, the last act of that pass."""
    last: dict[tuple[int, int, str], Judgment] = {}
    for act in Judgment.objects.filter(topic=topic, assignment__is_repeat=False).order_by("judged_at", "pk"):
        last[act.assessor_id, act.pass_number, act.docno] = act
    of_person: dict[tuple[int, str], list[Vote]] = defaultdict(list)
    for (person, number, docno), act in last.items():
        if act.verdict in (Judgment.GRADED, Judgment.CANNOT_JUDGE):
            of_person[person, docno].append((number, act.judged_at, act.pk, act.grade))
    votes: dict[str, list[Vote]] = defaultdict(list)
    for (_, docno), given_ in of_person.items():
        votes[docno].append(min([vote for vote in given_ if vote[3] is not None] or given_))
    return votes


def grade_of(votes: Sequence[Vote], policy: str) -> int:
    graded = [vote for vote in votes if vote[3] is not None]
    grades = sorted(vote[3] for vote in graded if vote[3] is not None)
    if not grades:
        return -2
    count = Counter(grades)
    first = min(vote[0] for vote in graded)
    by_policy = {
        "latest": max(vote[1:] for vote in graded if vote[0] == first)[2],
        "single": grades[0] if len(grades) == 1 else -1,
        "plurality": max(count, key=lambda grade: (count[grade], grade)),
        "strict-majority": next((g for g in count if len(grades) >= 3 and 2 * count[g] > len(grades)), -1),
        "median": grades[(len(grades) - 1) // 2],
        "strictest": grades[0],
        "most-generous": grades[-1],
        "union": grades[(len(grades) - 1) // 2],
    }
    return by_policy[policy] or 0


def lines_expected(played: Played, policy: str, adjudicated: bool, cannot: str, unjudged: str) -> list[str]:
    grades = dict.fromkeys(PoolEntry.objects.filter(pool=played.pool).values_list("docno", flat=True), -1)
    grades |= {docno: grade_of(votes, policy) for docno, votes in votes_by_document(played.topic.pk).items()}
    standing = Adjudication.objects.filter(topic=played.topic).order_by("pk")
    for decision in standing if adjudicated else []:  # the last of each document stands
        grades[decision.docno] = -2 if decision.grade is None else decision.grade
    if max(grades.values()) < 0:
        return []
    as_written = {-2: cannot, -1: unjudged}
    written = {docno: as_written.get(grade, str(grade)) for docno, grade in grades.items()}
    return [f"401 0 {docno} {grade}" for docno, grade in sorted(written.items()) if grade != "left out"]


@examples(40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    STEPS,
    st.sampled_from(list(POLICIES)),
    st.booleans(),
    st.sampled_from(["-2", "-1", "left out"]),
    st.sampled_from(["-1", "left out"]),
)
def test_a_release_holds_what_the_rows_of_votes_and_decisions_give(
    cast: Cast, steps: list[tuple[Any, ...]], policy: str, adjudicated: bool, cannot: str, unjudged: str
) -> None:
    with rolled_back():
        played = Played(cast)
        for step in steps:
            played.do(step)
        expected = lines_expected(played, policy, adjudicated, cannot, unjudged)
        choice = {"policy": policy, "adjudicated": adjudicated, "cannot_judge_as": cannot, "unjudged_as": unjudged}
        release = {"actor": cast.organiser, "task": cast.task, "pool": played.pool, "leave_undecided": True}
        if not expected:
            with pytest.raises(ValidationError):
                qrels_release(**release, **choice)
            return
        qrels = qrels_release(**release, **choice)
        assert verified_bytes(str(qrels.file.name), found_by="a test").decode().splitlines() == expected
        plain = lines_expected(played, policy, adjudicated, "-2", "-1")
        told = drafted_counts(played.pool, f"adjudicated over {policy}" if adjudicated else policy)
        assert dict(told.topics["401"].grades) == Counter(int(line.split()[3]) for line in plain)
        assert (qrels.judgment_count, qrels.unjudged_count) == (told.judged, told.pairs - told.judged)
