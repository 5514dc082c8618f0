"""What the desk is rendered from, and what its scripts start with."""

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone

from campaign.words import number_of
from judging.keys import COMMANDS, command_keys
from judging.models import Assignment, Judgment
from judging.modes.declaration import JudgedTopic, JudgingMode, Shortcut
from judging.modes.registry import judging_mode
from judging.query_terms import query_terms
from judging.selectors.desk import Item, assignments_of, documents, items, judged_topic, last_judgments

JUDGMENTS_SHOWN = 60


def desk_page(assignment: Assignment, shown: Item | None) -> dict[str, Any]:
    task = assignment.pool.task
    mode, topic = judging_mode(task.judging_mode), judged_topic(assignment)
    parts = mode.desk(topic, shown.details if shown else {})
    keys = command_keys(shortcut.key for shortcut in parts.shortcuts)
    own = items(assignment)
    judgments = list(last_judgments(assignment, JUDGMENTS_SHOWN))
    following = next_assignment(assignment)
    return {
        "assignment": assignment,
        "task": task,
        "topic": assignment.topic,
        "judged_topic": topic,
        "shown": shown,
        "document": documents(assignment, [shown.docno])[0] if shown else None,
        "parts": parts,
        "keys": keys,
        "shortcuts": _listed_keys(parts.shortcuts, keys),
        "judgments": judgments,
        "last_judgment": judgments[0] if judgments else None,
        "judged": sum(item.is_judged for item in own),
        "total": len(own),
        "uuid": uuid4(),
        "now": timezone.now(),
        "done": done_in_words(assignment.topic.number, len(own)),
        "next_assignment": following,
        "desk_url": desk_url(assignment),
        "data": {
            **_addresses(assignment, following),
            **_judged_so_far(mode, topic, own, judgments),
            "assignment": assignment.pk,
            "assessor": assignment.assessor_id,
            "assessorName": assignment.assessor.username,
            "serverTime": timezone.now().isoformat(),
            "terms": query_terms(assignment.topic.title),
            "shown": shown.docno if shown else None,
            "done": done_in_words(assignment.topic.number, len(own)),
        },
    }


def done_in_words(topic_number: str, documents: int) -> str:
    """What the desk says when it has no document left to show."""
    if not documents:
        return f"Topic {topic_number} is done: others have judged all of its documents."
    return f"Topic {topic_number} is done: {documents:,} of {number_of(documents, 'document')} judged."


def next_assignment(assignment: Assignment) -> Assignment | None:
    own = assignments_of(assignment.assessor, assignment.pool.task).filter(finished_at=None)
    return own.exclude(pk=assignment.pk).order_by("topic__position", "pass_number").first()


def desk_url(assignment: Assignment) -> str:
    address = {**assignment.pool.task.address, "topic_number": assignment.topic.number}
    return f"{reverse('desk', kwargs=address)}?assignment={assignment.pk}"


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


def _judged_so_far(mode: JudgingMode, topic: JudgedTopic, own: list[Item], judgments: list[Judgment]) -> dict[str, Any]:
    return {
        "labels": {str(step.value): step.label for step in topic.steps},
        "items": [_script_item(mode, item) for item in own],
        "history": [judgment.docno for judgment in reversed(judgments)],
    }


def _script_item(mode: JudgingMode, item: Item) -> dict[str, Any]:
    if not item.is_judged:
        return {"docno": item.docno}
    row = {"docno": item.docno, "verdict": item.verdict, "grade": item.grade, "note": item.note}
    answers = mode.values(item.details)
    return {**row, "answers": answers} if answers else row
