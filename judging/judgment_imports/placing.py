"""Whose assignment each line of a file of judgments belongs to, and under which UUID it is stored."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from campaign.collection.selectors.missing_keys import missing_in
from campaign.formats.near_keys import OF_POOL, FirstHints
from campaign.formats.problems import ProblemLog, visible
from campaign.models import Role, Task
from campaign.models.lookalikes import folded
from judging.core.modes.registry import judging_mode
from judging.desk.services.judgments import Act
from judging.desk.services.submissions import is_at, place_of, undoes_the_same
from judging.judgment_imports.reading import FileJudgment
from judging.judgments.selectors.assigned_documents import drawn_entries_of, entries_of
from judging.models import Assignment, Judgment

T = TypeVar("T")
IN_A_QUERY = 5_000
STATED = ("verdict", "grade", "note", "reason", "flagged")
"""By what a line is compared with a judgment of the same UUID, besides its moment, its answers and what it takes back."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A line with the assignment that it belongs to, as the act that is stored."""

    line: FileJudgment
    assignment: Assignment
    act: Act

    @property
    def uuid(self) -> UUID:
        return self.act.uuid

    @property
    def place(self) -> tuple[object, ...]:
        own = self.assignment
        return own.topic_id, own.assessor_id, own.pass_number, self.line.docno

    def is_like(self, stored: Judgment, sent: Judgment | None, undone: Judgment | None) -> bool:
        """Whether the line says what is stored; line ends in notes are as the file has them.

        `sent`: what would be stored of the line today, None if it could not be. `undone`: what it takes back, if that is here.
        """
        act = self.act
        if place_of(stored) != self.place:
            return False
        if not undoes_the_same(act, stored, undone) or not is_at(act.judged_at, stored, undone):
            return False
        if stored.undoes is not None:  # what it says besides is what it left
            return True
        said = act if sent is None else sent
        same = all(_plain(getattr(said, name)) == _plain(getattr(stored, name)) for name in STATED)
        return same and (self._has_answers_of(stored) or (sent is not None and sent.details == stored.details))

    def says(self, judgment: Judgment) -> bool:
        return (self.act.verdict, self.act.grade) == (judgment.verdict, judgment.grade)

    def repeats(self, stored: Judgment) -> bool:
        """Whether an import has stored the same, but for the UUID; a line without a moment was given that of its import."""
        is_then = self.act.judged_at in (None, stored.judged_at)
        same = all(_plain(getattr(self.act, name)) == _plain(getattr(stored, name)) for name in STATED)
        return stored.input_method == Judgment.IMPORT and is_then and same and self._has_answers_of(stored)

    def _has_answers_of(self, stored: Judgment) -> bool:
        mode = judging_mode(self.assignment.pool.task.judging_mode)
        return dict(self.act.answers) == dict(mode.answers_of(stored.details))

    def add(self, problems: ProblemLog, code: str, message: str, remedy: str, **about: Any) -> None:
        problems.add(code, message, remedy, line=self.line.line, excerpt=self.line.text, **about)


def _plain(value: Any) -> Any:
    return "\n".join(value.splitlines()) if isinstance(value, str) else value


def assigned(task: Task, lines: Sequence[FileJudgment], problems: ProblemLog) -> list[tuple[FileJudgment, Assignment]]:
    """Each line with its assessor's assignment: of several, that to the newest pool that has the document."""
    by_key: dict[tuple[str, str], list[Assignment]] = defaultdict(list)
    assignments = Assignment.objects.filter(pool__task=task).select_related("pool__task__campaign", "topic", "assessor")
    for one in assignments.order_by("-pool__version", "pk"):
        by_key[one.topic.number, one.assessor.username].append(one)
    roles = Role.objects.filter(campaign=task.campaign_id, role=Role.ASSESSOR)
    assessors = set(roles.values_list("user__username", flat=True))
    names = {**{folded(name): name for name in assessors}, **{name: name for name in assessors}}
    passes: dict[tuple[str, str], list[FileJudgment]] = defaultdict(list)
    groups: dict[tuple[str, str, int | None], list[FileJudgment]] = defaultdict(list)
    for given in lines:
        known = names.get(given.assessor) or names.get(folded(given.assessor))
        line = replace(given, assessor=known or given.assessor)
        if found := _why_not(line, by_key, assessors):
            problems.add(*found, line=line.line, excerpt=line.text)
        else:
            groups[line.topic, line.assessor, line.pass_number].append(line)
            passes[line.topic, line.assessor].append(line)
    places: dict[int, Assignment] = {}
    hints = FirstHints()
    for (topic, assessor, pass_number), group in groups.items():
        choice = [one for one in by_key[topic, assessor] if pass_number in (None, one.pass_number)]
        before = (line for line in passes[topic, assessor] if (line.pass_number or 1) < (pass_number or 1))
        earlier = {line.docno for line in before if line.was_judged}
        places |= _places(group, choice, earlier, hints, problems)
    placed = (line for group in groups.values() for line in group if line.line in places)
    return [(line, places[line.line]) for line in sorted(placed, key=lambda line: line.line)]


def _why_not(
    line: FileJudgment, by_key: Mapping[tuple[str, str], Sequence[Assignment]], assessors: Collection[str]
) -> tuple[str, str, str] | None:
    """Code, message and remedy of what is wrong with assessor, topic or pass; None where nothing is."""
    name, topic = visible(line.assessor), visible(line.topic)
    if not line.assessor:
        return "assessor_missing", "The line names no assessor.", "Add who judged the document, by user name."
    if line.assessor not in assessors:
        return "assessor_unknown", f"The campaign has no assessor {name}.", "Correct the name, or give them the role."
    passes = {one.pass_number for one in by_key.get((line.topic, line.assessor), ())}
    if not passes:
        return (
            "topic_not_assigned",
            f"Topic {topic} is not assigned to {name}.",
            "Assign it first, or correct the line.",
        )
    if line.pass_number is None and len(passes) > 1:
        named = " and ".join(map(str, sorted(passes)))
        return (
            "pass_missing",
            f"{name} judges topic {topic} in the passes {named}.",
            "Add which of them is meant, as “pass”.",
        )
    if line.pass_number is not None and line.pass_number not in passes:
        message = f"Topic {topic} is not assigned to {name} in pass {line.pass_number}."
        return "topic_not_assigned", message, "Assign it in this pass first, or correct the line."
    return None


def _places(
    group: Sequence[FileJudgment],
    choice: Sequence[Assignment],
    earlier: set[str],
    hints: FirstHints,
    problems: ProblemLog,
) -> dict[int, Assignment]:
    """By the number of the line; `choice` are assignments of one assessor, topic and pass, the newest pool first.

    `earlier`: what the assessor judged in earlier passes by the file, which a hidden repeat may repeat.
    """
    by_document: dict[str, Assignment] = {}
    for assignment in choice:
        for docnos in _chunks({line.docno for line in group} - by_document.keys()):
            found = entries_of(assignment).filter(docno__in=docnos).values_list("docno", flat=True)
            by_document |= dict.fromkeys(found, assignment)
            if assignment.is_repeat and (repeated := earlier & set(docnos)):
                drawn = drawn_entries_of(assignment).filter(docno__in=repeated).values_list("docno", flat=True)
                by_document |= dict.fromkeys(drawn, assignment)
    for line in group:
        if line.docno not in by_document:
            where = (
                "in the pool"
                if all(one.is_whole for one in choice)
                else f"among the documents of {visible(line.assessor)}"
            )
            near = hints.hint(line.docno, missing_in(entries_of(choice[0]), "docno"), OF_POOL)
            message = f"Document {visible(line.docno)} is not {where} of topic {visible(line.topic)}.{near}"
            remedy = "Correct the docno, take the line out, or add the document to the pool first."
            problems.add("docno_not_pooled", message, remedy, line=line.line, excerpt=line.text)
    return {line.line: by_document[line.docno] for line in group if line.docno in by_document}


def named(task: Task, lines: Sequence[tuple[FileJudgment, Assignment]]) -> list[Placed]:
    """Each line as an act with its UUID.

    A line without one has a UUID that follows from what it says, so that the same file twice stores nothing twice. The UUID of
    a judgment of another task, from whose export the file is, gives another one that follows from it; so it stays if that other
    task is deleted later.
    """
    sent = {uuid for line, _ in lines for uuid in (line.uuid, line.values.get("undoes")) if uuid is not None}
    of_task = {uuid: uuid_of(f"{task.pk} {uuid}") for uuid in sent}
    stored = stored_by_uuid([*sent, *of_task.values()])
    foreign = {uuid for uuid in sent if uuid in stored and stored[uuid].topic.task_id != task.pk}
    here = {uuid: own for uuid, own in of_task.items() if uuid in foreign or own in stored}
    placed = []
    for line, own in lines:
        made = uuid_of(f"{task.pk} {own.assessor_id} {own.pass_number} {line.text_and_count}")
        uuid = made if line.uuid is None else here.get(line.uuid, line.uuid)
        undoes: UUID | None = line.values.get("undoes")
        undoes = undoes if undoes is None else here.get(undoes, undoes)
        changed = {"undoes": undoes, "input_method": Judgment.IMPORT, "is_placed": True}
        placed.append(Placed(line, own, line.act(uuid, **changed)))
    return placed


def uuid_of(said: str) -> UUID:
    """The UUID of a judgment that came without one: the same each time, and none that an assessor could compute.

    Who sends a judgment of their own under the UUID of one of another assessor is refused, and would so learn what that one
    says.
    """
    return UUID(bytes=salted_hmac("judging.uuids", said, algorithm="sha256").digest()[:16], version=5)


def undone_later(placed: Sequence[Placed], stored: Mapping[UUID, Judgment], problems: ProblemLog) -> None:
    """Errors of lines that take back what comes after them; those that take back nothing of theirs are warned of.

    An export without the history has no judgments that were taken back: what a line states is stored then.
    """
    places = {uuid: place_of(judgment) for uuid, judgment in stored.items()} | {one.uuid: one.place for one in placed}
    lines: dict[UUID, int] = {}
    for one in placed:
        lines.setdefault(one.uuid, one.line.line)  # a line that stands twice, in exports that were joined, is its first
    takes_back = [(one, one.act.undoes) for one in placed if one.act.undoes is not None]
    for one, undone in takes_back:
        if lines.get(undone, 0) >= one.line.line:
            message = f"The line takes back the judgment of line {lines[undone]}, which comes after it."
            one.add(problems, "judgment_order", message, "Put the judgments in the order in which they were made.")
    for code, message, remedy, count in (
        (
            "judgment_undoes_unknown",
            "What these judgments take back is neither in the file nor here: they are stored as what they state.",
            "To keep the history, send the file of all judgments.",
            sum(undone not in places for _, undone in takes_back),
        ),
        (
            "judgment_undoes_other",
            "What these judgments take back is of another document, assessor or pass: they are stored as what they state.",
            "Check the column undoes.",
            sum(undone in places and places[undone] != one.place for one, undone in takes_back),
        ),
    ):
        if count:
            problems.add(code, message, remedy, severity="warning", times=count)


def stored_by_uuid(uuids: Iterable[UUID]) -> dict[UUID, Judgment]:
    found: dict[UUID, Judgment] = {}
    for some in _chunks(set(uuids)):
        found |= {one.uuid: one for one in Judgment.objects.filter(uuid__in=some).select_related("topic")}
    return found


def current_judgments(assignment: Assignment, docnos: Collection[str]) -> dict[str, Judgment]:
    """By docno, what counts of the assessor in this pass."""
    return {one.docno: one for one in _own(assignment).filter(docno__in=docnos, is_current=True)}


def acts_besides(assignment: Assignment, docnos: Collection[str], uuids: Set[UUID]) -> set[str]:
    """The documents that the assessor has judged here in this pass by other acts than these."""
    stored = _own(assignment).filter(docno__in=docnos).values_list("uuid", "docno")
    return {docno for uuid, docno in stored if uuid not in uuids}


def _own(assignment: Assignment) -> "QuerySet[Judgment]":
    own = {"topic": assignment.topic_id, "assessor": assignment.assessor_id, "pass_number": assignment.pass_number}
    return Judgment.objects.filter(**own)


def _chunks(values: Collection[T]) -> Iterable[list[T]]:
    listed = list(values)
    return (listed[start : start + IN_A_QUERY] for start in range(0, len(listed), IN_A_QUERY))
