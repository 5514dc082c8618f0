"""What the page of a release says before the organiser confirms it."""

from dataclasses import dataclass

from django.db.models import Count, Max, QuerySet

from campaign.text.plurals import number_of
from campaign.web.cache import kept
from judging.core.resolution import LATEST, OVER, POLICIES, VOTES_FOR_MAJORITY
from judging.core.samples import Sample
from judging.models import Adjudication, Assignment
from judging.qrels.selectors.release_counts import DraftCounts, drafted_counts
from judging.qrels.selectors.releases import release_draft
from judging.qrels.selectors.sample_labels import sample_consequences
from judging.selectors.judged_documents import judgments_version
from pooling.models import Pool
from pooling.selectors.duplicates import search_of
from pooling.selectors.samples import is_sample
from pooling.selectors.sizes import entry_count, pool_key

TOPICS_NAMED = 50


@dataclass(frozen=True, slots=True)
class ReleaseQuestion:
    """`consequences`: in words. `topics_that_tell_nothing`: as in `DraftCounts`. `most_votes`: grades of the pair that has most.

    `decisions`: documents on which an adjudicator decided.
    """

    has_grades: bool
    consequences: tuple[str, ...]
    topics_that_tell_nothing: dict[str, str]
    most_votes: int
    decisions: int


def release_question(pool: Pool, policy: str = LATEST, *, adjudicated: bool) -> ReleaseQuestion:
    """What a release by this policy would hold; of a policy that does not exist, which its form refuses, by the usual one.

    Kept until something is judged, added, assigned or handled otherwise: a large pool takes seconds to be read.
    """
    policy = policy if policy in POLICIES else LATEST
    policy = OVER + policy if adjudicated and _standing_decisions(pool).exists() else policy
    return kept(f"judging:release:{policy}:{facts_of_release(pool)}", lambda: _question(pool, policy))


def facts_of_release(pool: Pool) -> str:
    """What the draft of a release rests on, beside the policy."""
    search = search_of(pool)
    rests_on = (
        [entry_count(one) for one in pool.task.pools.filter(version__lte=pool.version)],
        judgments_version(pool.task),
        Assignment.objects.filter(pool=pool, finished_at=None).count(),
        pool.task.lowest_relevant_grade,
        _decisions(pool).aggregate(count=Count("pk"), last=Max("pk")),
        search and (search.handling, search.found_at.timestamp()),
    )
    return f"{pool_key(pool)}:{rests_on}"


def _question(pool: Pool, policy: str) -> ReleaseQuestion:
    draft = drafted_counts(pool, policy)
    sample = release_draft(pool, policy).sample if is_sample(pool) else None
    return ReleaseQuestion(
        has_grades=bool(draft.graded),
        consequences=tuple(_consequences(draft, sample, policy)),
        topics_that_tell_nothing=draft.topics_that_tell_nothing,
        most_votes=max(draft.votes, default=0),
        decisions=_standing_decisions(pool).count(),
    )


def _decisions(pool: Pool) -> "QuerySet[Adjudication]":
    return Adjudication.objects.filter(topic__task=pool.task_id)


def _standing_decisions(pool: Pool) -> "QuerySet[Adjudication]":
    return _decisions(pool).filter(is_current=True).exclude(verdict=Adjudication.WITHDRAWN)


def _consequences(draft: DraftCounts, sample: Sample | None, policy: str) -> list[str]:
    pairs = f"{draft.judged:,} of {number_of(draft.pairs, 'topic-document pair')}"
    lines = [
        f"{pairs} {has_or_have(draft.judged)} a grade.",
        f"Relevant (grade {draft.lowest_relevant} or above): {draft.relevant:,}.",
        f"Runs are scored on {number_of(len(draft.graded), 'topic')}, those with at least one grade.",
    ]
    if draft.taken:
        lines.append(
            f"{number_of(draft.taken, 'grade')} taken from near-identical documents; a second file names both."
        )
    if draft.unjudged:
        lines.append(
            f"Not judged: {number_of(draft.unjudged, 'pair')}, released as -1, never as 0. You can have them left out below."
        )
    if draft.cannot_judge:
        lines.append(
            f"Could not be judged: {number_of(draft.cannot_judge, 'pair')}, released as -2. You can choose otherwise below."
        )
    if draft.unfinished:
        lines.append(
            f"{number_of(draft.unfinished, 'assignment')} {'is' if draft.unfinished == 1 else 'are'} not finished."
        )
    lines += sample_consequences(sample)
    if left_out := draft.topics_left_out:
        pairs_left_out = number_of(draft.pairs - draft.pairs_released, "pair")
        topics_left_out = f"{number_of(len(left_out), 'topic')} without any grade, left out with {pairs_left_out}"
        more = f" and {len(left_out) - TOPICS_NAMED:,} more" if len(left_out) > TOPICS_NAMED else ""
        lines.append(f"{topics_left_out}: {', '.join(left_out[:TOPICS_NAMED])}{more}.")
    if draft.topics_that_tell_nothing:
        lines.append(
            f"Without a relevant document: {number_of(len(draft.topics_that_tell_nothing), 'topic')}. "
            "AP, P, R, RR and bpref are 0 there for every run, and lower every mean. You can leave such topics out below."
        )
    if draft.pairs_of_few_votes:
        lines.append(_few_votes(draft, policy))
    lines.append("A released version cannot be changed; judging can go on, and a later release is a new version.")
    return lines


def has_or_have(count: int) -> str:
    return "has" if count == 1 else "have"


def _few_votes(draft: DraftCounts, policy: str) -> str:
    """What the policies make of pairs with fewer votes than a majority needs."""
    counts = f"Pairs with fewer than {VOTES_FOR_MAJORITY} grades: {draft.pairs_of_few_votes:,} of {sum(draft.votes.values()):,}."
    if max(draft.votes) < 2:
        return (
            f"{counts} No pair has two, so all policies but strict-majority give the same; that one gives none a grade."
        )
    return (
        f"{counts} Of two different grades plurality takes the higher, median the lower, strict-majority none. "
        f"The numbers here are by {policy}."
    )
