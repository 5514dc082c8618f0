"""Which topics enter means and tests, which are for feedback, and which runs rank: asked by all that shows a board."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Q

from campaign.models import Run, Task, Topic
from campaign.text.natural_order import natural_order
from campaign.text.plurals import number_of
from campaign.web.asking_once import once
from judging.models import Qrels
from pooling.selectors.sizes import drawn_sizes


@dataclass(frozen=True, slots=True)
class RemovedTopic:
    """A topic that an organiser removed from scoring. `after_scores`: when scores with it had been computed already."""

    number: str
    reason: str
    after_scores: bool

    def to_json(self) -> dict[str, Any]:
        return {"topic": self.number, "reason": self.reason, "after_scores": self.after_scores}


@dataclass(frozen=True, slots=True)
class WhatCounts:
    """The topics of one version of the qrels, in its order. `counting`: enter means and tests; `feedback`: shown in the round."""

    counting: list[str]
    feedback: list[str]
    removed: list[RemovedTopic] = field(default_factory=list)

    @property
    def left_out(self) -> list[str]:
        """Topics of the qrels that enter no mean and no test, sorted as texts: what evaluations are compared by."""
        return sorted([*self.feedback, *(topic.number for topic in self.removed)])

    @property
    def in_words(self) -> str:
        """As `45 of 50 topics: 3 removed from scoring, 2 for feedback`; without the number of all where all count."""
        counting = len(self.counting)
        why = []
        if self.removed:
            why.append(f"{len(self.removed)} removed from scoring")
        if self.feedback:
            why.append(f"{len(self.feedback)} for feedback")
        if not why:
            return number_of(counting, "topic")
        return f"{counting} of {number_of(counting + len(self.left_out), 'topic')}: {', '.join(why)}"


def what_counts(task: Task, qrels: Qrels) -> WhatCounts:
    """What counts now of the topics of the qrels; a topic that is removed is not for feedback either."""
    removed, feedback = {}, set()
    for number, removed_at, reason, after_scores in once((what_counts, task.pk), lambda: list(_marked_topics(task))):
        if removed_at is None:
            feedback.add(number)
        else:
            removed[number] = RemovedTopic(number, reason, after_scores)
    topics: list[str] = qrels.topics
    return WhatCounts(
        counting=[topic for topic in topics if topic not in removed and topic not in feedback],
        feedback=[topic for topic in topics if topic in feedback],
        removed=[removed[topic] for topic in topics if topic in removed],
    )


def topics_known(qrels: Qrels) -> int:
    """The number of topics of a version of the qrels: those with grades, scored or not, and those of its pool as it was drawn."""
    graded = {*qrels.topics, *qrels.topics_not_scored}
    if qrels.pool is None:
        return len(graded)
    pooled = Topic.objects.filter(pk__in=drawn_sizes(qrels.pool).by_topic.keys()).values_list("number", flat=True)
    return len(graded.union(pooled))


def _marked_topics(task: Task) -> Iterable[tuple[str, datetime | None, str, bool]]:
    marked = task.topics.filter(Q(removed_at__isnull=False) | Q(is_feedback=True)).order_by()
    return marked.values_list("number", "removed_at", "removal_reason", "removed_after_scores")


def feedback_topics(task: Task) -> list[str]:
    """The topics of the feedback set, whether there are judgments of them or not, in their order."""
    chosen = task.topics.filter(is_feedback=True, removed_at__isnull=True).order_by("position")
    return list(chosen.values_list("number", flat=True))


AFTER_QRELS = "after the qrels: participants could see relevance judgments before it was sent"
NOT_NAMED = "not ranked: its team left it out before the publication"


def why_not_ranked(run: Run) -> str:
    """Why a valid run does not stand among the others on boards; empty if it does."""
    if run.after_qrels:
        return AFTER_QRELS
    return "" if run.is_ranked else NOT_NAMED


def runs_not_ranked(task: Task) -> list[Run]:
    """Valid runs that are listed below boards and never rank, by tag."""

    def found() -> list[Run]:
        ranking = task.runs.ranking().values("pk")
        unranked = task.runs.valid().exclude(pk__in=ranking).select_related("team", "task__campaign")
        return sorted(unranked, key=lambda run: natural_order(run.tag))

    return once((runs_not_ranked, task.pk), found)


def said_of_what_counts(counts: WhatCounts, unranked: Sequence[Run], *, names: bool = True) -> dict[str, Any]:
    """What a published board keeps of it. Without `names`: of a board that names no runs."""
    said: dict[str, Any] = {}
    if counts.removed:
        said["topics_removed"] = [topic.to_json() for topic in counts.removed]
    if counts.feedback:
        said["topics_for_feedback"] = counts.feedback
    if unranked and names:
        said["runs_not_ranked"] = [
            {"tag": run.tag, "team": run.team.name, "why": why_not_ranked(run)} for run in unranked
        ]
    elif unranked:
        said["runs_not_ranked"] = [{"tag": "", "team": "", "why": why_not_ranked(run)} for run in unranked]
    return said
