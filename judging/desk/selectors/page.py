"""What the desk is rendered from, and what its scripts start with."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone

from campaign.collection.selectors.versions import guidelines_version, topic_version
from campaign.database import clock
from campaign.models import Task
from campaign.text.collation import by_numbers
from campaign.text.plurals import number_of
from judging.assigning.selectors.workload import due_dates
from judging.checkouts.selectors import held_by_others, is_being_chosen
from judging.core.keyboard_shortcuts import COMMANDS, command_keys
from judging.core.modes.declaration import DeskParts, JudgedTopic, JudgingMode, Shortcut
from judging.core.modes.registry import judging_mode
from judging.core.query_terms import query_terms
from judging.desk.selectors.own_judgments import filters_of
from judging.judgments.selectors.own_documents import (
    Item,
    assignments_of,
    documents,
    item_of,
    items,
    judged_topic,
    last_judgments,
    own_current,
    undoable,
)
from judging.models import Assignment, Judgment
from pooling.selectors.growth import is_open

JUDGMENTS_SHOWN = 60
CHOOSING_SECONDS, HELD_SECONDS = 1, 10
"""After how long an empty desk asks again."""


def desk_page(assignment: Assignment, shown: Item | None) -> dict[str, Any]:
    task = assignment.pool.task
    mode, topic = judging_mode(task.judging_mode), judged_topic(assignment)
    parts = mode.desk(topic, shown.details if shown else {})
    keys, command_letters = _keys(assignment, parts)
    own, judgments = items(assignment), list(last_judgments(assignment, JUDGMENTS_SHOWN))
    following, growth = next_assignment(assignment), growth_at_the_desk(assignment, own)
    return {
        **_head(assignment),
        "judged_topic": topic,
        **_shown(assignment, shown, own),
        "parts": parts,
        "keys": keys,
        "command_letters": command_letters,
        "shortcuts": _listed_keys(parts.shortcuts, keys),
        "judgments": judgments,
        "last_judgment": judgments[0] if judgments else None,
        "judged": sum(item.is_judged for item in own),
        "total": len(own),
        "uuid": uuid4(),
        "written": " ".join(mark_of(shown.note, mode.values(shown.details))) if shown else "",
        "now": timezone.now(),
        "done": growth["text"] if growth else done_in_words(assignment, len(own)),
        "growth": growth,
        "next_assignment": following,
        **_around(assignment),
        "data": {
            **_addresses(assignment, following),
            **_judged_so_far(assignment, topic, own, judgments),
            **_about_the_assignment(assignment),
            "keyElsewhere": keys["elsewhere"],
            "contradictions": _contradictions(task, parts),
            "gradeFirst": parts.grade_first,
            "passageFirst": task.passage_first,
            "fullKey": keys["full"],
            "shown": shown.docno if shown else None,
            "done": done_in_words(assignment, len(own)),
            "growth": growth,
        },
    }


def _head(assignment: Assignment) -> dict[str, Any]:
    due = due_dates([assignment]).get(assignment.pk)
    return {"assignment": assignment, "task": assignment.pool.task, "topic": assignment.topic, "due": due}


def _around(assignment: Assignment) -> dict[str, Any]:
    return {
        "desk_url": desk_url(assignment),
        "list_url": list_url(assignment),
        "filters": filters_of(assignment),
        "may_find": may_find(assignment),
    }


def _keys(assignment: Assignment, parts: DeskParts) -> tuple[dict[str, str], str]:
    """The key of each command, "" for what this desk does not have; and the letters of all commands, also of those."""
    task = assignment.pool.task
    commands = command_keys((shortcut.key for shortcut in parts.shortcuts), assignment.assessor.desk_keys)
    has = {"find": may_find(assignment), "full": task.passage_first, "guidelines": bool(task.guidelines)}
    has["elsewhere"] = bool(task.document_link)
    return {name: key if has.get(name, True) else "" for name, key in commands.items()}, "".join(commands.values())


def mark_of(note: str, answers: Mapping[str, Iterable[str]]) -> tuple[str, str]:
    """Names a note, and the answers beside a grade: by this a form without scripts says what its page showed."""
    in_order = json.dumps({name: sorted(values) for name, values in answers.items()}, sort_keys=True)
    first, second = (sha256(text.encode()).hexdigest()[:16] for text in (plain_note(note), in_order))
    return first, second


def plain_note(note: str) -> str:
    """As a form of a page without scripts sends it back; programs and files may store other ends of lines."""
    return note.replace("\r\n", "\n").replace("\r", "\n").strip()


def _shown(assignment: Assignment, shown: Item | None, own: list[Item]) -> dict[str, Any]:
    """The document on the desk, and those of the assessor that are near-identical to it."""
    if shown is None:
        return {"shown": None, "document": None, "alike": []}
    [document] = documents(assignment, [shown.docno])
    return {"shown": shown, "document": document, "alike": [item for item in own if item.docno in document["alike"]]}


def _about_the_assignment(assignment: Assignment) -> dict[str, Any]:
    return {
        "assignment": assignment.pk,
        "assessor": assignment.assessor_id,
        "assessorName": assignment.assessor.username,
        "serverTime": clock.now().isoformat(),
        "terms": query_terms(assignment.topic.title),
        "topicVersion": topic_version(assignment.topic),
        "guidelinesVersion": guidelines_version(assignment.pool.task),
    }


def _contradictions(task: Task, parts: DeskParts) -> dict[str, Any]:
    rules = [asdict(rule) for rule in parts.contradictions]
    return {"stop": task.contradictions == Task.STOP, "rules": rules}


def growth_at_the_desk(assignment: Assignment, own: list[Item]) -> dict[str, Any] | None:
    """What the desk is told about a pool that grows; None for other pools.

    `waiting`: docnos of this assignment without a judgment. `open`: whether more documents may be chosen.
    `earlier`: documents that the assessor judged in another version of the pool, of which this desk cannot know.
    `text`: what it says while it has nothing to show. `again`: after how many seconds it asks again; None once the topic is done.
    """
    if not assignment.pool.grows:
        return None
    elsewhere = set(own_current(assignment).exclude(assignment=assignment).values_list("docno", flat=True))
    mode = judging_mode(assignment.pool.task.judging_mode)
    waiting = [item.docno for item in own if not item.is_judged]
    may_grow = is_open(assignment.pool, assignment.topic_id)
    text, again = _nothing_to_show(assignment, len(own) - len(waiting), may_grow)
    return {
        "waiting": waiting,
        "earlier": [_script_item(mode, item) for item in own if item.is_judged and item.docno in elsewhere],
        "open": may_grow,
        "text": text,
        "again": again,
    }


def _nothing_to_show(assignment: Assignment, judged: int, may_grow: bool) -> tuple[str, int | None]:
    number = assignment.topic.number
    if may_grow and (is_being_chosen(assignment.pool, assignment.topic_id) or not held_by_others(assignment)):
        return "Choosing the next documents …", CHOOSING_SECONDS
    if may_grow:
        return f"What comes next in topic {number} depends on documents that other assessors are judging.", HELD_SECONDS
    if held_by_others(assignment):
        return f"Other assessors are judging the last documents of topic {number}.", HELD_SECONDS
    return f"Topic {number} is done: you judged {number_of(judged, 'document')}, and no more are chosen.", None


def may_find(assignment: Assignment) -> bool:
    """Whether the assessor may search the collection and add documents: there is one, and the organisers allow it."""
    task = assignment.pool.task
    return assignment.is_whole and task.assessors_add_documents and task.collection_id is not None


def done_in_words(assignment: Assignment, documents: int) -> str:
    """What the desk says when it has no document left to show."""
    topic_number = assignment.topic.number
    if assignment.is_handed_over:
        kept = f" What you judged of it counts: {number_of(documents, 'document')}." if documents else ""
        return f"Topic {topic_number} was handed over to another assessor, who judges the rest.{kept}"
    if not documents:
        return f"Topic {topic_number} is done: others have judged all of its documents."
    return f"Topic {topic_number} is done: {documents:,} of {number_of(documents, 'document')} judged."


def next_assignment(assignment: Assignment) -> Assignment | None:
    own = assignments_of(assignment.assessor, assignment.pool.task).filter(finished_at=None)
    return own.exclude(pk=assignment.pk).order_by(by_numbers("topic__number"), "pass_number", "pk").first()


def desk_url(assignment: Assignment) -> str:
    address = {**assignment.pool.task.address, "topic_number": assignment.topic.number}
    return f"{reverse('desk', kwargs=address)}?assignment={assignment.pk}"


def list_url(assignment: Assignment) -> str:
    address = {**assignment.pool.task.address, "topic_number": assignment.topic.number}
    return f"{reverse('own_judgments', kwargs=address)}?assignment={assignment.pk}"


def _listed_keys(of_mode: Iterable[Shortcut], commands: dict[str, str]) -> list[dict[str, str]]:
    """The rows of the keys dialog: the mode's keys, then the commands that have one."""
    rows = [{"key": shortcut.key, "does": shortcut.does} for shortcut in of_mode if shortcut.key]
    return rows + [{"key": key, "does": COMMANDS[name][1]} for name, key in commands.items() if key]


def _addresses(assignment: Assignment, following: Assignment | None) -> dict[str, Any]:
    task = assignment.pool.task
    address = {**task.address, "topic_number": assignment.topic.number}
    return {
        "submitUrl": reverse("judgment_submit", kwargs=address),
        "documentsUrl": reverse("judging_next", kwargs=address),
        "deskUrl": desk_url(assignment),
        "topicsUrl": reverse("my_topics", kwargs=task.address),
        "loginUrl": reverse("account_login"),
        "next": None if following is None else {"number": following.topic.number, "url": desk_url(following)},
    }


def _judged_so_far(
    assignment: Assignment, topic: JudgedTopic, own: list[Item], judgments: list[Judgment]
) -> dict[str, Any]:
    mode = judging_mode(assignment.pool.task.judging_mode)
    return {
        "labels": {str(step.value): step.label for step in topic.steps},
        "items": [_script_item(mode, item) for item in own],
        "history": [judgment.docno for judgment in reversed(judgments)],
        "undoable": _undoable(assignment, mode),
    }


def _undoable(assignment: Assignment, mode: JudgingMode) -> list[dict[str, Any]]:
    """The acts that can be taken back, the oldest first, each with what was entered of its document before."""
    acts = list(undoable(assignment)[:JUDGMENTS_SHOWN])
    before = {one.uuid: one for one in Judgment.objects.filter(uuid__in=[act.previous for act in acts])}
    return [
        {
            "uuid": str(act.uuid),
            "docno": act.docno,
            "before": _script_item(mode, item_of(act.docno, before.get(act.previous or act.uuid))),
        }
        for act in reversed(acts)
    ]


def _script_item(mode: JudgingMode, item: Item) -> dict[str, Any]:
    """What was entered, without what is empty: an assignment may have thousands of documents."""
    row = {"verdict": item.verdict, "note": item.note, "answers": mode.values(item.details), "reason": item.reason}
    held: dict[str, Any] = {name: value for name, value in row.items() if value}
    if item.grade is not None:
        held["grade"] = item.grade
    if item.flagged:
        held["flagged"] = True
    if held and item.at is not None:
        held["at"] = item.at.isoformat()
    return {"docno": item.docno, **held}
