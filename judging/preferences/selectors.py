"""Where the tournaments of a task stand, and what is known of each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import polars as pl
from django.db.models import QuerySet
from django.urls import reverse

from campaign.models import Task, Topic, User
from campaign.navigation import Step, Todo
from campaign.storage.reading import verified_bytes
from campaign.text.collation import by_numbers
from campaign.text.natural_order import natural_order
from campaign.text.plurals import number_of
from judging.models import PreferenceAct, PreferenceAssignment, PreferenceOrder, Qrels
from judging.preferences.consistency import Consistency, consistency
from judging.preferences.files import best_documents, read_order
from judging.preferences.tournament import Pair, State, Tournament
from judging.qrels.selectors.releases import released_table


class Standing:
    """The answers of one assignment that count, whichever way and in which order they came in."""

    def __init__(self, assignment: PreferenceAssignment, acts: Iterable[PreferenceAct]) -> None:
        self.assignment = assignment
        self.tournament = tournament_of(assignment)
        self.acts = sorted(acts, key=lambda act: act.answered_at)

    @cached_property
    def counting(self) -> dict[Pair, PreferenceAct]:
        """By pair: the last answer by time that was not taken back, in the order of time."""
        undone = {act.undoes for act in self.acts}
        found: dict[Pair, PreferenceAct] = {}
        for act in self.acts:
            if act.answer != PreferenceAct.WITHDRAWN and act.uuid not in undone:
                found.pop((act.left, act.right), None)
                found[act.left, act.right] = act
        return found

    @cached_property
    def answers(self) -> dict[Pair, str]:
        return {pair: act.answer for pair, act in self.counting.items()}

    @cached_property
    def state(self) -> State:
        return self.tournament.state(self.answers)

    @property
    def last(self) -> PreferenceAct | None:
        """What undoing takes back."""
        return next(reversed(self.counting.values()), None)

    @cached_property
    def consistency(self) -> Consistency:
        first = {pair: answer for pair, answer in self.answers.items() if pair == self.tournament.sides(*pair)}
        again = {pair: answer for pair, answer in self.answers.items() if pair not in first}
        return consistency(first, again)

    @property
    def in_words(self) -> str:
        if self.state.is_finished:
            return "done"
        return "under way" if self.answers else "not begun"

    @property
    def tone(self) -> str:
        if self.state.is_finished:
            return "good"
        return "working" if self.answers else "waiting"

    @property
    def chosen(self) -> int:
        """How many of the pairs, as shown first, were answered by one of the two sides."""
        return self.consistency.left + self.consistency.right

    def facts(self) -> dict[str, Any]:
        """How the order of the topic came about, as a release keeps it."""
        one = self.assignment
        levels = self.state.levels or ()
        return {
            "topic": one.topic.number,
            "documents": len(one.documents),
            "grade": one.grade,
            "levels": len(levels),
            "ordered_levels": self.state.ordered,
            "best": one.best,
            "seed": one.seed,
            "control_percent": one.control_percent,
            "comparisons": len(self.state.asked),
            "bound": self.tournament.bound,
            **asdict(self.consistency),
        }


def tournament_of(assignment: PreferenceAssignment) -> Tournament:
    return Tournament(tuple(assignment.documents), assignment.seed, assignment.best, assignment.control_percent / 100)


def standing_of(assignment: PreferenceAssignment) -> Standing:
    return Standing(assignment, assignment.acts.order_by("pk"))


def standings_of(qrels: Qrels) -> list[Standing]:
    """Of all topics that are compared under these qrels, in natural order."""
    rows = qrels.preference_assignments.select_related("topic", "assessor", "qrels").prefetch_related("acts")
    found = [Standing(one, one.acts.all()) for one in rows]
    return sorted(found, key=lambda one: natural_order(one.assignment.topic.number))


def compared_qrels(task: Task) -> Qrels | None:
    """The newest version of the qrels in which documents are compared."""
    return Qrels.objects.filter(task=task, preference_assignments__isnull=False).order_by("-version").first()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A topic that can be compared: its documents of the best grade, and how many pairs put them in order at most."""

    topic: Topic
    grade: int
    documents: tuple[str, ...]
    bound: int


def candidates(qrels: Qrels) -> list[Candidate]:
    """The topics of these qrels that have a relevant document and are not compared yet, in natural order."""
    table = best_documents(released_table(qrels, "overall"), qrels.lowest_relevant_grade)
    taken = set(qrels.preference_assignments.values_list("topic__number", flat=True))
    topics = {topic.number: topic for topic in qrels.task.topics.all() if topic.number not in taken}
    grouped = table.filter(pl.col("topic").is_in(list(topics))).group_by("topic", maintain_order=True)
    found = []
    for number, grade, docnos in grouped.agg(pl.col("grade").first(), pl.col("docno")).iter_rows():
        bound = Tournament(tuple(docnos), seed=0).bound
        found.append(Candidate(topics[number], grade, tuple(docnos), bound))
    return sorted(found, key=lambda one: natural_order(one.topic.number))


def preference_assignments_of(user: User, task: Task | None = None) -> "QuerySet[PreferenceAssignment]":
    own = PreferenceAssignment.objects.filter(assessor=user)
    own = own.select_related("qrels__task__campaign", "qrels__task__collection", "topic", "assessor")
    return own if task is None else own.filter(qrels__task=task)


def next_of(assignment: PreferenceAssignment) -> PreferenceAssignment | None:
    own = preference_assignments_of(assignment.assessor, assignment.qrels.task).filter(finished_at=None)
    return own.exclude(pk=assignment.pk).order_by(by_numbers("topic__number")).first()


def preference_desk_url(assignment: PreferenceAssignment) -> str:
    address = {**assignment.qrels.task.address, "topic_number": assignment.topic.number}
    return f"{reverse('preference_desk', kwargs=address)}?assignment={assignment.pk}"


def orders_of(task: Task) -> "QuerySet[PreferenceOrder]":
    return task.preference_orders.select_related("qrels", "released_by").order_by("-version")


def order_table(order: PreferenceOrder) -> pl.DataFrame:
    """topic, docno, level of a released order."""
    return read_order(verified_bytes(str(order.file.name), found_by="a reading of preferences"))


def order_levels(order: PreferenceOrder) -> dict[str, list[list[str]]]:
    """By topic: the docnos of each level, the best level first."""
    found: dict[str, list[list[str]]] = {}
    grouped = order_table(order).group_by("topic", "level", maintain_order=True).agg(pl.col("docno"))
    for topic, _, docnos in grouped.iter_rows():
        found.setdefault(topic, []).append(docnos)
    return found


def preferences_to_judge(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    own = preference_assignments_of(user).filter(qrels__task__in=tasks, finished_at=None)
    counts: dict[int, int] = {}
    for task_id in own.order_by().values_list("qrels__task", flat=True):
        counts[task_id] = counts.get(task_id, 0) + 1
    for task in tasks:
        if count := counts.get(task.pk):
            topics = number_of(count, "topic")
            step = Step(f"Compare documents of {topics}", task.url("my_preferences"))
            yield Todo(task, f"{topics} of yours with documents to compare", step)
