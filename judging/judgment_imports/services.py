"""Judgments of several assessors from a file: checked by a job, and stored by another once an organiser confirms.

Both jobs do the same with the file; the first one only tries whether each judgment could be stored.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.collection.services.imports import (
    PREVIEWED,
    ImportJobs,
    encoding_of,
    import_file,
    import_finish,
    import_finish_check,
    import_refuse,
    shortened,
)
from campaign.database import clock
from campaign.formats.problems import ProblemLog, visible
from campaign.log.audit import audit
from campaign.models import Import, Task
from campaign.permissions import held_organised_campaign_or_404
from campaign.text.plurals import number_of
from judging.core.modes.registry import judging_mode
from judging.desk.services.judgments import Outcome, as_stored, judgments_record, judgments_try
from judging.desk.services.submissions import in_words
from judging.judgment_imports.placing import (
    Placed,
    acts_besides,
    assigned,
    current_judgments,
    named,
    stored_by_uuid,
    undone_later,
)
from judging.judgment_imports.reading import CORRECT, FileJudgment, read_judgments
from judging.models import Assignment, Judgment
from pooling.services.growth import topic_lock

JUDGMENTS_JOBS = ImportJobs(check="check judgments", apply="apply judgments")
AT_ONCE = 500
"""Documents of an assignment whose judgments are stored together."""
WORDS = 400
Step = Callable[..., list[Outcome]]


@dataclass(slots=True)
class Counts:
    """What becomes of the lines: `new` are stored, `known` are here already; `uuids` of all of them.

    `again`: new ones that say what an import said under another UUID, as after the restoration of an archive.
    """

    uuids: Set[UUID]
    new: int = 0
    known: int = 0
    again: int = 0
    assessors: set[int] = field(default_factory=set)


def judgments_check(import_: Import) -> None:
    problems = ProblemLog()
    lines = _read(import_, problems)
    counts = _each(import_.task, lines, judgments_try, problems)
    if problems.ok and counts.known:
        message = (
            f"{number_of(counts.known, 'judgment')} of the file {'is' if counts.known == 1 else 'are'} here already."
        )
        problems.add("judgments_known", message, "They stay as they are.", severity="warning")
    if problems.ok and counts.again:
        message = f"{number_of(counts.again, 'judgment')} of the file would be stored a second time."
        remedy = (
            "An earlier import has stored the same under another UUID, as in a task that was restored from an archive. "
            "If it was this file, nothing of it needs to be imported."
        )
        problems.add("judgments_again", message, remedy, severity="warning", times=counts.again)
    found: dict[str, Any] = {"new": counts.new, "known": counts.known, "assessors": len(counts.assessors)}
    found["confirm"] = f"Import {number_of(counts.new, 'judgment')}"
    import_finish_check(
        import_,
        format="judgments",
        records=len(lines),
        preview=[_previewed(line) for line in lines[:PREVIEWED]],
        problems=problems,
        found=found,
    )


def judgments_apply(import_: Import) -> None:
    """Store all judgments in the transaction that finishes the import, or none and report what became invalid meanwhile."""
    problems = ProblemLog()
    lines = _read(import_, problems)
    try:
        with transaction.atomic():
            _store(import_, lines, problems)
            import_finish(import_)
    except ValidationError as refusal:
        if problems.ok:
            for message in refusal.messages:
                problems.add("judgments_refused", message, "Nothing was imported.")
        import_refuse(import_, problems)


def _store(import_: Import, lines: Sequence[FileJudgment], problems: ProblemLog) -> None:
    actor, task = import_.created_by, import_.task
    held_organised_campaign_or_404(actor, task.campaign)
    _lock(task, {line.topic for line in lines})
    # Imports have a limit of their own.
    counts = _each(task, lines, partial(judgments_record, is_limited=False), problems)
    if not problems.ok:
        raise ValidationError("The file has errors: nothing was stored.")
    facts = {"judgments": counts.new, "known": counts.known, "assessors": len(counts.assessors)}
    audit(
        actor,
        "import judgments",
        import_,
        campaign=task.campaign,
        **facts,
        file=import_.file_name,
        sha256=import_.sha256,
    )


def _lock(task: Task, topics: set[str]) -> None:
    """All that storing will lock, in the order in which the desks of these topics do it."""
    keys = [key for number, key in task.topics.order_by("pk").values_list("number", "pk") if number in topics]
    for key in keys:
        topic_lock(key)
    for key in keys:
        list(Assignment.objects.select_for_update(of=("self",)).filter(topic=key).order_by("pk").values_list("pk"))


def _read(import_: Import, problems: ProblemLog) -> list[FileJudgment]:
    with import_file(import_) as file:
        lines = read_judgments(file, judging_mode(import_.task.judging_mode), problems, encoding_of(import_))
    now = clock.now()
    for line in lines:
        if any((line.values.get(name) or now) > now for name in ("judged_at", "shown_at")):
            message = f"The judgment is of the future: here it is {now:%Y-%m-%d %H:%M:%S} UTC."
            problems.add("judgment_in_future", message, CORRECT, line=line.line, excerpt=line.text)
    return lines


def _each(task: Task, lines: Sequence[FileJudgment], step: Step, problems: ProblemLog) -> Counts:
    """Do the step with all lines that are not stored yet; only tried where a line has an error."""
    if why := task.campaign.why_closed:
        problems.add("campaign_closed", why, "Reopen the campaign, then send the file again.")
    placed = named(task, assigned(task, lines, problems))
    counts = Counts({one.uuid for one in placed}, assessors={one.assignment.assessor_id for one in placed})
    new = _not_stored(task, placed, counts, problems)
    if problems.ok or step is judgments_try:
        for part in _parts(new):
            _do(part, step, counts, problems)
    return counts


def _not_stored(task: Task, placed: Sequence[Placed], counts: Counts, problems: ProblemLog) -> list[Placed]:
    """Those that are new. The same judgment twice, here or in the file, is one; another under the same UUID is an error."""
    stored = stored_by_uuid(uuid for one in placed for uuid in (one.uuid, one.act.undoes) if uuid is not None)
    others = _others(placed, stored)
    first: dict[UUID, Placed] = {}
    for one in placed:
        known, before = stored.get(one.uuid), first.setdefault(one.uuid, one)
        if known is not None and one.line.line in others:
            message = f"The UUID {one.uuid} is that of a judgment that is stored: {in_words(known)}."
            one.add(problems, "judgment_uuid_taken", message, "It stays as it is. Give another judgment another UUID.")
        elif (before.assignment.pk, before.line.values) != (one.assignment.pk, one.line.values):
            message = f"The line has the UUID of line {before.line.line} and says something else."
            one.add(problems, "judgment_uuid_twice", message, "Give each judgment a UUID of its own.")
        elif known is not None or before is not one:
            counts.known += 1
    again = (
        one for uuid, one in first.items() if uuid in stored and stored[uuid].undoes and one.line.line not in others
    )
    for part in _parts(again):
        _name_other_ends([(one, stored[one.uuid]) for one in part], counts, problems)
    undone_later(placed, stored, problems)
    return [one for uuid, one in first.items() if uuid not in stored]


def _others(placed: Sequence[Placed], stored: Mapping[UUID, Judgment]) -> set[int]:
    """The numbers of lines that say something else than what is stored under their UUID."""
    found: set[int] = set()
    for part in _parts(one for one in placed if one.uuid in stored):
        again = as_stored(part[0].assignment, [one.act for one in part])
        for one, sent in zip(part, again, strict=True):
            undone = None if one.act.undoes is None else stored.get(one.act.undoes)
            if not one.is_like(stored[one.uuid], sent, undone):
                found.add(one.line.line)
    return found


def _parts(placed: Iterable[Placed]) -> Iterator[list[Placed]]:
    """By assignment in the order of the file, all that is about a document together: an act may take back another one on it."""
    by_assignment: dict[int, dict[str, list[Placed]]] = defaultdict(lambda: defaultdict(list))
    for one in placed:
        by_assignment[one.assignment.pk][one.line.docno].append(one)
    for by_document in by_assignment.values():
        documents = list(by_document.values())
        for start in range(0, len(documents), AT_ONCE):
            yield [one for some in documents[start : start + AT_ONCE] for one in some]


def _do(part: Sequence[Placed], step: Step, counts: Counts, problems: ProblemLog) -> None:
    assignment = part[0].assignment
    before = current_judgments(assignment, {one.line.docno for one in part})
    outcomes = step(assessor=assignment.assessor, assignment=assignment, acts=[one.act for one in part])
    for one, outcome in zip(part, outcomes, strict=True):
        if outcome.judgment is None:
            why = " ".join(outcome.refusal.messages) if outcome.refusal else "It was not recorded."
            one.add(problems, "judgment_refused", visible(why, WORDS), CORRECT)
            continue
        counts.new += outcome.is_new
        is_now, here = outcome.judgment, before.get(one.line.docno)
        if here is not None and here.uuid not in counts.uuids and one.repeats(here):
            counts.again += 1
        if here is not None and one.says(is_now) and (here.verdict, here.grade) != (is_now.verdict, is_now.grade):
            _warn(one, here, is_now, problems)
    recorded = ((one, outcome.judgment) for one, outcome in zip(part, outcomes, strict=True))
    _name_other_ends([(one, judgment) for one, judgment in recorded if judgment is not None], counts, problems)


def _name_other_ends(part: Sequence[tuple[Placed, Judgment]], counts: Counts, problems: ProblemLog) -> None:
    """Name lines that take back a judgment and say something else than what is left then.

    By what was judged here besides, or later, it may be something else; it is an error where the file contradicts itself.
    """
    pairs = [(one, left) for one, left in part if not one.says(left)]
    if not pairs:
        return
    besides = acts_besides(pairs[0][0].assignment, {one.line.docno for one, _ in pairs}, counts.uuids)
    for one, left in pairs:
        message = f"The line takes back another judgment: what is left is {in_words(left)}, which it does not say."
        if left.is_current and one.line.docno not in besides:
            one.add(problems, "judgment_undoes_otherwise", message, CORRECT)
        else:
            remedy = "What is left is stored: the judgments here and their moments decide."
            one.add(problems, "judgment_undoes_otherwise", message, remedy, severity="warning")


def _warn(one: Placed, here: Judgment, new: Judgment, problems: ProblemLog) -> None:
    message = f"{one.line.assessor} judged {visible(one.line.docno)} of topic {visible(one.line.topic)} here: {in_words(here)}."
    if here.judged_at > new.judged_at:
        remedy = "That is later, and counts; the line is kept as an earlier judgment."
    elif one.act.judged_at is None:
        remedy = f"The line has no judged_at: it is made now, and counts: {in_words(new)}."
    else:
        remedy = f"The line is later, and counts: {in_words(new)}."
    one.add(problems, "judgment_differs", message, remedy, severity="warning")


def _previewed(line: FileJudgment) -> dict[str, Any]:
    values = line.values
    same = {name: values.get(name) for name in ("docno", "grade", "verdict")}
    return {"topic": line.topic, "assessor": line.assessor, **same, "note": shortened(values.get("note", ""))}
