"""Whatever happens to pools, assignments and the order of acts: qrels follow from the acts alone, and every state comes again."""

from typing import Any

import pytest
from django.core.cache import caches
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from judging.core.modes.registry import judging_mode
from judging.core.resolution import POLICIES
from judging.judgments.selectors.at_revision import judgments_as_of
from judging.judgments.selectors.own_documents import items, unjudged
from judging.judgments.selectors.votes import acts_of
from judging.models import Assignment, Judgment
from judging.progress.selectors.progress_counts import Share, own_counts, shares_of
from judging.qrels.selectors.release_counts import TopicCounts, drafted_counts
from judging.selectors.judged_documents import judgments_version
from pooling.models import Pool
from tests.draws import examples
from tests.factories import Cast
from tests.judging.replay import DOCUMENTS, GRADES, STEPS, Played, rolled_back

pytestmark = pytest.mark.django_db


def qrels_of(cast: Cast, **until: Any) -> list[str]:
    """By every policy, of the judgments of now or of an earlier state."""
    of_task = Judgment.objects.filter(topic__task=cast.task)
    acts = acts_of(judgments_as_of(of_task, **until)) if until else acts_of(current(cast))
    mode = judging_mode(cast.task.judging_mode)
    return [mode.qrels(acts, policy).overall.write_csv() for policy in POLICIES]


def current(cast: Cast) -> Any:
    return Judgment.objects.filter(topic__task=cast.task, is_current=True)


def drafts() -> list[dict[str, TopicCounts]]:
    """What the page of a release says of each pool, and of the newest by a second policy."""
    pools = list(Pool.objects.select_related("task").order_by("version"))
    asked = [*((pool, "adjudicated over median") for pool in pools), (pools[-1], "latest")]
    return [dict(drafted_counts(pool, policy).topics) for pool, policy in asked]


def shares() -> dict[tuple[int, int, int], Share]:
    return shares_of(Pool.objects.select_related("task"))


def desks() -> dict[int, tuple[int, int]]:
    """What each desk is told after a save: judged and left."""
    rows = Assignment.objects.select_related("pool__task", "topic", "assessor")
    return {row.pk: (counts.judged, counts.left) for row in rows for counts in [own_counts(row)]}


def documents_of_desks() -> dict[int, tuple[int, int]]:
    """The same, counted among the documents that each desk lists."""
    rows = Assignment.objects.select_related("pool__task", "topic", "assessor")
    return {row.pk: (sum(item.is_judged for item in items(row)), unjudged(row).count()) for row in rows}


@examples(8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_what_is_kept_of_acts_equals_what_is_counted_and_every_state_comes_again(
    cast: Cast, django_capture_on_commit_callbacks: Any, steps: list[tuple[Any, ...]]
) -> None:
    with rolled_back():
        caches["bulk"].clear()
        played = Played(cast)
        states: dict[int, list[str]] = {}
        now = qrels_of(cast)
        for place, step in enumerate(steps, start=1):
            before, version, acts = now, judgments_version(played.cast.task), Judgment.objects.count()
            is_last = place == len(steps)  # drafts and desks are dear: what is kept of them is looked at once
            is_looked_at = (len(steps) - place) % 2 == 0  # what is kept must hold over several steps too
            if is_last:
                with django_capture_on_commit_callbacks(execute=True):
                    _ = drafts(), desks()
            with django_capture_on_commit_callbacks(execute=True):
                played.do(step)
                kept, told = (shares(), drafts() if is_last else []), desks() if is_last else {}
            if is_looked_at:
                with django_capture_on_commit_callbacks(execute=True):
                    caches["bulk"].clear()
                    assert kept == (shares(), drafts() if is_last else [])
            assert not is_last or told == documents_of_desks()
            assert (judgments_version(played.cast.task) != version) == (Judgment.objects.count() > acts)
            now = qrels_of(cast)
            if step[0] not in ("act", "undo"):
                assert now == before or step[0] == "again"
            last = Judgment.objects.order_by("pk").last()
            if last is not None:
                states[last.pk] = now
        assert {act: qrels_of(cast, number=act) for act in states} == states


@examples(5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(DOCUMENTS), GRADES, st.integers(0, 2)), min_size=1, max_size=8), st.randoms())
def test_acts_that_arrive_in_another_order_and_twice_give_the_same_qrels(
    cast: Cast, told: list[tuple[str, int | None, int]], chance: Any
) -> None:
    acts = [("act", who, docno, grade, minute, False) for minute, (docno, grade, who) in enumerate(told)]
    results = []
    for order in (acts, chance.sample(acts, len(acts))):
        with rolled_back():
            played = Played(cast)
            for step in order:
                played.do(step)
                played.do(("again", chance.randrange(20)))
            results.append(qrels_of(cast))
    assert results[0] == results[1]
