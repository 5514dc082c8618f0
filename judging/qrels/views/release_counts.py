"""The counts of grades under the policy that is chosen on the page of a release, before anything is released."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from campaign.web.cache import kept
from judging.core.resolution import LATEST, OVER, as_released
from judging.forms import ReleaseForm
from judging.models import Qrels
from judging.qrels.selectors.differences import Difference, difference_to
from judging.qrels.selectors.release_counts import drafted_counts
from judging.qrels.selectors.releases import grade_counts, latest_qrels, release_draft
from judging.qrels.selectors.releasing import facts_of_release
from pooling.models import Pool

CHOICES = ("policy", "adjudicated", "cannot_judge_as", "unjudged_as")
"""The entries of the form that the counts follow."""


@dataclass(frozen=True, slots=True)
class ReleaseCounts:
    """`rows`: as of `grade_counts`. `undecided`: graded pairs without a grade by the policy. `telling_nothing`:
    topics without a relevant document, and why. `difference` None: first version."""

    policy: str
    lines: int
    grades: tuple[tuple[int, str], ...]
    rows: tuple[Mapping[str, Any], ...]
    undecided: int
    telling_nothing: Mapping[str, str]
    lowest_relevant: int
    difference: Difference | None


def chosen(form: ReleaseForm) -> dict[str, Any] | None:
    """What the form chooses of `CHOICES`; None where one of these is refused."""
    form.is_valid()
    if any(name in form.errors for name in CHOICES):
        return None
    return {name: form.cleaned_data.get(name, form.fields[name].initial) for name in CHOICES if name in form.fields}


def release_counts(pool: Pool, policy: str = LATEST, adjudicated: bool = False, **ungraded: str) -> ReleaseCounts:
    """Kept as the question of the release is, for each choice of its own."""
    policy = OVER + policy if adjudicated else policy
    before = latest_qrels(pool.task)
    grades = tuple(pool.task.grades.values_list("value", "label"))
    rests_on = (facts_of_release(pool), policy, sorted(ungraded.items()), before and before.pk, grades)
    return kept(f"judging:release-counts:{rests_on}", lambda: _counts(pool, policy, before, grades, ungraded))


def _counts(
    pool: Pool, policy: str, before: Qrels | None, grades: tuple[tuple[int, str], ...], ungraded: Mapping[str, str]
) -> ReleaseCounts:
    draft = drafted_counts(pool, policy)
    counts = as_released(draft.table, **ungraded)
    lines = int(counts["pairs"].sum())
    return ReleaseCounts(
        policy=policy,
        lines=lines,
        grades=grades,
        rows=tuple(grade_counts(counts, [value for value, _ in grades], draft.lowest_relevant)),
        undecided=draft.undecided,
        telling_nothing=draft.topics_that_tell_nothing,
        lowest_relevant=draft.lowest_relevant,
        difference=_difference(pool, policy, before, ungraded) if before is not None and lines else None,
    )


def _difference(pool: Pool, policy: str, before: Qrels, ungraded: Mapping[str, str]) -> Difference:
    return difference_to(before, as_released(release_draft(pool, policy).released, **ungraded))
