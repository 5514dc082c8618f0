"""Topics by assessors of one pass, for the page on which they are ticked: who has what, how far it is, what is left to give."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Max

from campaign.models import Topic, User
from judging.assigning.selectors.workload import Load, conflicts, loads
from judging.models import Assignment
from judging.progress.selectors.progress import Progress, progress_of
from judging.progress.selectors.progress_counts import shares_of
from pooling.models import Pool

Ticks = frozenset[tuple[int, int]]
"""Keys of a topic and an assessor."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What an assessor has of a topic: `own` in this pass; `elsewhere`: in another pass, which bars this one.

    `part_of_others`: the topic is given in parts, which are chosen by hand. `is_done`: nothing of it is left to give.
    """

    assessor: User
    own: tuple[Progress, ...]
    elsewhere: int = 0
    part_of_others: bool = False
    is_done: bool = False
    is_ticked: bool = False

    @property
    def judged(self) -> int:
        return sum(one.judged for one in self.own)

    @property
    def total(self) -> int:
        return sum(one.total for one in self.own)


@dataclass(frozen=True, slots=True)
class GridRow:
    """`holder`: who judges the topic on in this pass, from whom a tick takes it over; "" in a pool that grows."""

    topic: Topic
    documents: int
    holder: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """The work of an assessor in this pool, now and with the ticks; `team`: whose runs are in the pool, of its members."""

    load: Load
    ticked: int
    team: str

    @property
    def hours(self) -> float:
        return self.load.hours

    @property
    def documents_then(self) -> int:
        return self.load.documents + self.ticked

    @property
    def hours_then(self) -> float:
        return self.documents_then * self.load.seconds / 3600


def grid_rows(
    pool: Pool,
    pass_number: int,
    topics: Sequence[Topic],
    people: Sequence[User],
    sizes: Mapping[int, int],
    ticks: Ticks,
) -> list[GridRow]:
    """The queries do not grow with topics or people."""
    held = _held(pool, pass_number, topics)
    elsewhere = _elsewhere(pool, pass_number, topics)
    rows = []
    for topic in topics:
        own = held[topic.pk]
        active = [one for some in own.values() for one in some if not one.assignment.is_handed_over]
        in_parts = any(one.assignment.parts > 1 for one in active)
        is_done = bool(active) and not any(one.left_to_all or one.is_open for one in active)
        holders = [] if pool.grows else [str(one.assignment.assessor) for one in active]
        cells = tuple(
            Cell(
                person,
                tuple(one for one in own.get(person.pk, ()) if not one.assignment.is_handed_over),
                elsewhere.get((topic.pk, person.pk), 0),
                in_parts,
                is_done,
                (topic.pk, person.pk) in ticks,
            )
            for person in people
        )
        rows.append(GridRow(topic, sizes.get(topic.pk, 0), ", ".join(dict.fromkeys(holders)), cells))
    return rows


def passes_of(pool: Pool) -> int:
    """The last pass in which somebody has a topic of the pool; 0 before any."""
    last: int | None = Assignment.objects.filter(pool=pool).aggregate(last=Max("pass_number"))["last"]
    return last or 0


def columns(pool: Pool, people: Sequence[User], sizes: Mapping[int, int], ticks: Ticks) -> list[Column]:
    teams, ticked = conflicts(pool, people), _documents(sizes, ticks)
    return [Column(load, ticked[load.user.pk], teams.get(load.user.pk, "")) for load in loads(pool, people)]


def _documents(sizes: Mapping[int, int], ticks: Iterable[tuple[int, int]]) -> dict[int, int]:
    documents: dict[int, int] = defaultdict(int)
    for topic, assessor in ticks:
        documents[assessor] += sizes.get(topic, 0)
    return documents


def _held(pool: Pool, pass_number: int, topics: Collection[Topic]) -> dict[int, dict[int, list[Progress]]]:
    """By topic and assessor; those that were handed over are among them."""
    rows = Assignment.objects.filter(pool=pool, pass_number=pass_number, topic__in=topics)
    held: dict[int, dict[int, list[Progress]]] = defaultdict(lambda: defaultdict(list))
    for one in progress_of(rows.select_related("pool__task", "topic", "assessor").order_by("pk"), shares_of([pool])):
        held[one.assignment.topic_id][one.assignment.assessor_id].append(one)
    return held


def _elsewhere(pool: Pool, pass_number: int, topics: Collection[Topic]) -> dict[tuple[int, int], int]:
    others = Assignment.objects.filter(pool__task=pool.task_id, topic__in=topics, is_repeat=False)
    rows = others.exclude(pass_number=pass_number).values_list("topic", "assessor", "pass_number")
    return {(topic, assessor): number for topic, assessor, number in rows}
