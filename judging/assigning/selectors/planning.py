"""Plans of assignments: who would get what. The same choices in the same state give the same plan."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from campaign.models import Topic, User
from campaign.text.natural_order import natural_order
from campaign.text.plurals import listed, number_of
from judging.assigning.selectors.workload import Load, assessor_roles, conflicts, loads
from judging.core.hashed_sampling import drawn, share_draw
from judging.core.load_balancing import Judge, Work, balanced
from judging.models import Assignment, Judgment
from pooling.models import Pool, PoolEntry
from pooling.selectors.sizes import topic_sizes

HOLDS_NONE = "Topic {}: the share holds none of its documents."
REMOVED = "Topic {}: it was removed from scoring. It can be given by hand."


@dataclass(frozen=True, slots=True)
class Planned:
    """An assignment to be. `documents` of a part are what is expected, of a share what is drawn."""

    topic: Topic
    assessor: User
    documents: int
    pass_number: int = 1
    parts: int = 1
    part: int = 1
    part_seed: int = 0
    share: float | None = None
    share_seed: int = 0
    is_repeat: bool = False

    @property
    def in_words(self) -> str:
        return f"{self.topic.number} ({self.part}/{self.parts})" if self.parts > 1 else self.topic.number


@dataclass(frozen=True, slots=True)
class Plan:
    """`left_out`: what is not assigned, and why."""

    rows: tuple[Planned, ...]
    loads: tuple[Load, ...]
    left_out: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Differs where another plan would be carried out than the one that was shown."""
        rows = [
            [row.topic.pk, row.assessor.pk, row.pass_number, row.parts, row.part, row.documents] for row in self.rows
        ]
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]

    @property
    def documents(self) -> int:
        return sum(row.documents for row in self.rows)


@dataclass(frozen=True, slots=True)
class Distribution:
    """What an organiser chooses: `most`: documents above which a topic is divided into parts; `only`: numbers of topics.

    `reads`: a language that assessors must read; "" for all.
    """

    assessors: Sequence[User]
    pass_number: int = 1
    by_hours: bool = False
    avoids_conflicts: bool = False
    most: int | None = None
    reads: str = ""
    only: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Overlap:
    """A share of each topic for a second person (`assessors`), or, as hidden repeats, for its own assessor once more."""

    share: float
    seed: int
    assessors: Sequence[User] = ()
    by_hours: bool = False
    avoids_conflicts: bool = False


def distribution_plan(pool: Pool, wish: Distribution) -> Plan:
    """The topics, and parts of topics, that nobody has in this pass."""
    judging, left_out = _without_conflicts(pool, wish.assessors, avoided=wish.avoids_conflicts)
    judging = _reading(pool, judging, wish.reads.lower(), left_out)
    pieces = _free_pieces(pool, wish.pass_number, None if pool.grows else wish.most)
    pieces = [piece for piece in pieces if wish.only is None or piece[0].number in wish.only]
    removed = {piece[0].number: None for piece in pieces if piece[0].removed_at is not None}
    left_out += [REMOVED.format(number) for number in removed]
    pieces = [piece for piece in pieces if piece[0].number not in removed]
    held = _held(pool, excluded_pass=wish.pass_number)
    work = [Work(piece[3], frozenset(held[piece[0].pk])) for piece in pieces]
    known = loads(pool, judging)
    chosen = balanced(work, _judges(known, by_hours=wish.by_hours))
    people = {user.pk: user for user in judging}
    rows = []
    for (topic, parts, part, documents), who in zip(pieces, chosen, strict=True):
        if who is None:
            left_out.append(f"Topic {topic.number}: nobody of those chosen may judge it.")
        else:
            rows.append(Planned(topic, people[who], documents, wish.pass_number, parts, part))
    return Plan(tuple(rows), tuple(known), tuple(left_out))


def _free_pieces(pool: Pool, pass_number: int, most: int | None) -> list[tuple[Topic, int, int, int]]:
    """Topic, parts, part and documents of what nobody has. A topic that was divided before stays divided as it was."""
    taken: dict[int, set[tuple[int, int]]] = defaultdict(set)
    active = Assignment.objects.filter(pool=pool, pass_number=pass_number, handed_over_at=None)
    for key, parts, part in active.values_list("topic", "parts", "part"):
        taken[key].add((parts, part))
    sizes = topic_sizes(pool)
    pieces: list[tuple[Topic, int, int, int]] = []
    for topic in pool.task.topics.filter(pk__in=sizes):
        size, held = sizes[topic.pk], taken[topic.pk]
        parts = next(iter(held))[0] if held else ceil(size / most) if most else 1
        pieces += [
            (topic, parts, part, round(size / parts)) for part in range(1, parts + 1) if (parts, part) not in held
        ]
    return pieces


@dataclass(frozen=True, slots=True)
class Unassigned:
    """What nobody has in the first pass: whole topics, parts of divided ones, and the documents of both.

    `removed`: further topics, which were removed from scoring and which no plan gives.
    """

    topics: int
    parts: int
    documents: int
    removed: int


def unassigned_of(pool: Pool) -> Unassigned:
    pieces = _free_pieces(pool, 1, None)
    counting = [piece for piece in pieces if piece[0].removed_at is None]
    in_parts = sum(parts > 1 for _, parts, _, _ in counting)
    documents = sum(documents for _, _, _, documents in counting)
    removed = {topic.pk for topic, _, _, _ in pieces if topic.removed_at is not None}
    return Unassigned(len(counting) - in_parts, in_parts, documents, len(removed))


def overlap_plan(pool: Pool, wish: Overlap) -> Plan:
    """The share of each assigned topic for a second person who has no pass of it, in the next free pass."""
    if pool.grows and wish.share < 1:
        return _no_share(pool)
    judging, left_out = _without_conflicts(pool, wish.assessors, avoided=wish.avoids_conflicts)
    topics, number = _first_passes(pool), _next_pass(pool)
    if wish.share < 1:
        left_out += _begun(topics)
    sizes = _drawn_sizes(pool, topics, wish)
    held = _held(pool)
    work = [Work(sizes[topic.pk], frozenset(held[topic.pk])) for topic in topics]
    known, people = loads(pool, judging), {user.pk: user for user in judging}
    chosen, rows = balanced(work, _judges(known, by_hours=wish.by_hours)), []
    for topic, who in zip(topics, chosen, strict=True):
        if not sizes[topic.pk]:
            left_out.append(HOLDS_NONE.format(topic.number))
        elif who is None:
            left_out.append(f"Topic {topic.number}: everybody of those chosen judges it already.")
        else:
            share, seed = (None, 0) if wish.share == 1 else (wish.share, wish.seed)
            rows.append(Planned(topic, people[who], sizes[topic.pk], number, share=share, share_seed=seed))
    return Plan(tuple(rows), tuple(known), tuple(left_out))


def repeats_plan(pool: Pool, wish: Overlap) -> Plan:
    """The share of each assignment of the first pass, for the same assessor once more."""
    if pool.grows:
        return _no_share(pool)
    topics, number = _first_passes(pool), _next_pass(pool)
    left_out = _begun(topics)
    sizes = _drawn_sizes(pool, topics, wish)
    left_out += [HOLDS_NONE.format(topic.number) for topic in topics if not sizes[topic.pk]]
    first = Assignment.objects.filter(pool=pool, pass_number=1, handed_over_at=None, topic__in=topics)
    rows = [
        Planned(
            one.topic,
            one.assessor,
            round(sizes[one.topic_id] / one.parts),
            number,
            one.parts,
            one.part,
            one.part_seed,
            wish.share,
            wish.seed,
            is_repeat=True,
        )
        for one in first.select_related("topic", "assessor")
        if sizes[one.topic_id]
    ]
    people = list({row.assessor.pk: row.assessor for row in rows}.values())
    return Plan(tuple(rows), tuple(loads(pool, people)), tuple(left_out))


def _no_share(pool: Pool) -> Plan:
    why = (
        f"Pool {pool.version} grows by what is judged: which documents it will have is not known, so that no share of them "
        "can be drawn. Have whole topics judged by a second person (100 %)."
    )
    return Plan((), (), (why,))


def _first_passes(pool: Pool) -> list[Topic]:
    assigned = Assignment.objects.filter(pool=pool, pass_number=1).values("topic")
    return list(pool.task.topics.filter(pk__in=assigned))


def _next_pass(pool: Pool) -> int:
    numbers = Assignment.objects.filter(pool=pool).values_list("pass_number", flat=True)
    return max(numbers, default=0) + 1


def _begun(topics: list[Topic]) -> list[str]:
    """Take topics whose judging has begun out of the list, and say so: a seed could be chosen by what was judged."""
    judged = set(Judgment.objects.filter(topic__in=topics).values_list("topic", flat=True).distinct())
    begun = [topic for topic in topics if topic.pk in judged]
    topics[:] = [topic for topic in topics if topic.pk not in judged]
    return [f"Topic {topic.number}: its judging has begun. Shares are drawn before that." for topic in begun]


def _drawn_sizes(pool: Pool, topics: Sequence[Topic], wish: Overlap) -> dict[int, int]:
    if wish.share == 1:
        return topic_sizes(pool)
    docnos: dict[int, list[str]] = {topic.pk: [] for topic in topics}
    entries = PoolEntry.objects.filter(pool=pool, topic__in=topics).order_by()
    for topic, docno in entries.values_list("topic_id", "docno").iterator(chunk_size=10_000):
        docnos[topic].append(docno)
    draw = share_draw(wish.seed, wish.share)
    return {topic.pk: len(drawn([draw], topic.number, docnos[topic.pk])) for topic in topics}


def _held(pool: Pool, excluded_pass: int | None = None) -> Mapping[int, set[int]]:
    """By topic, who has it in some pass of any pool of the task, but for this one."""
    held: dict[int, set[int]] = defaultdict(set)
    rows = Assignment.objects.filter(pool__task=pool.task_id, is_repeat=False).exclude(pass_number=excluded_pass or 0)
    for topic, assessor in rows.values_list("topic", "assessor"):
        held[topic].add(assessor)
    return held


def _without_conflicts(pool: Pool, assessors: Sequence[User], *, avoided: bool) -> tuple[list[User], list[str]]:
    found = conflicts(pool, assessors) if avoided else {}
    out = [
        f"{user}: a member of {found[user.pk]}, whose runs are in the pool." for user in assessors if user.pk in found
    ]
    return [user for user in assessors if user.pk not in found], out


def _reading(pool: Pool, assessors: list[User], language: str, left_out: list[str]) -> list[User]:
    """Those who read the language by their role; who does not is named in `left_out`."""
    if not language:
        return assessors
    read = {role.user_id: role.languages_read for role in assessor_roles(pool.task)}
    reading = [user for user in assessors if language in read.get(user.pk, [])]
    others = [user for user in assessors if user not in reading]
    left_out += [f"{user}: reads {listed(read.get(user.pk, [])) or 'no language that is known'}." for user in others]
    return reading


def _judges(known: Iterable[Load], *, by_hours: bool) -> list[Judge[int]]:
    return [Judge(load.user.pk, load.documents, load.seconds if by_hours else 1.0) for load in known]


@dataclass(frozen=True, slots=True)
class Gets:
    """What one assessor gets by a plan, and has with it."""

    load: Load
    rows: tuple[Planned, ...]

    @property
    def documents(self) -> int:
        return sum(row.documents for row in self.rows)

    @property
    def hours(self) -> float:
        return self.documents * self.load.seconds / 3600

    @property
    def in_all(self) -> int:
        return self.load.documents + self.documents

    @property
    def topics(self) -> str:
        """Numbers of topics with their parts."""
        return ", ".join(sorted((row.in_words for row in self.rows), key=natural_order))


def who_gets_what(plan: Plan) -> list[Gets]:
    by_user: dict[int, list[Planned]] = defaultdict(list)
    for row in plan.rows:
        by_user[row.assessor.pk].append(row)
    return [Gets(load, tuple(by_user[load.user.pk])) for load in plan.loads]


def in_words(plan: Plan) -> str:
    assignments = number_of(len(plan.rows), "assignment")
    people = number_of(len({row.assessor.pk for row in plan.rows}), "assessor")
    return f"{assignments} for {people}, {number_of(plan.documents, 'document')}"
