"""What the desk for pairs is rendered from, and what its script starts with."""

from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone

from campaign.collection.selectors.displays import Display, display_of
from campaign.models import Document
from judging.core.keyboard_shortcuts import command_keys
from judging.core.query_terms import query_terms
from judging.models import PreferenceAssignment
from judging.preferences.selectors import Standing, next_of, preference_desk_url, standing_of

NAMED = "preferences-"
"""Before the key of an assignment: the outbox of a browser holds the acts of all desks."""
STEPS_AHEAD = 3
DOCUMENTS_AT_ONCE = 20
WITHOUT_TEXT = {"title": "", "text": "", "has_text": False}
ANSWER_KEYS = {"left": "1", "equal": "2", "right": "3"}
DOES = {
    "left": "the left document is better",
    "equal": "both are equally good",
    "right": "the right document is better",
    "undo": "take the last answer back",
    "following": "show the other document, on a narrow screen (also →)",
    "note": "write a note on this pair (Esc leaves it)",
}
"""The answers have digits, as the grades have at the other desk; each other key means what it means there."""


def desk_page(assignment: PreferenceAssignment) -> dict[str, Any]:
    standing = standing_of(assignment)
    keys = ANSWER_KEYS | command_keys(ANSWER_KEYS.values(), assignment.assessor.desk_keys)
    pair = standing.state.open[0] if standing.state.open else None
    return {
        "assignment": assignment,
        "task": assignment.qrels.task,
        "topic": assignment.topic,
        "standing": standing,
        "pair": pair,
        "shown": documents(assignment, list(pair)) if pair else [],
        "done": done_in_words(standing),
        "next": next_of(assignment),
        "uuid": uuid4(),
        "now": timezone.now(),
        "desk_url": preference_desk_url(assignment),
        "keys": keys,
        "shortcuts": [{"key": keys[name], "does": does} for name, does in DOES.items()],
        "data": {
            **_addresses(assignment),
            **_about(assignment),
            "saved": len(standing.answers),
            **desk_state(standing),
        },
    }


def desk_state(standing: Standing) -> dict[str, Any]:
    """What comes next, what undoing would take back, and what to say when nothing is left."""
    last = standing.last
    return {
        "ahead": standing.tournament.ahead(standing.answers, STEPS_AHEAD),
        "last": {"uuid": last.uuid, "left": last.left, "right": last.right, "answer": last.answer} if last else None,
        "done": done_in_words(standing),
    }


def done_in_words(standing: Standing) -> str:
    return f"Topic {standing.assignment.topic.number} is done: its documents are in order."


def documents(assignment: PreferenceAssignment, docnos: list[str]) -> list[Display]:
    """Texts of documents of this assignment, in the order asked for; others are left out."""
    task = assignment.qrels.task
    own = [docno for docno in dict.fromkeys(docnos[:DOCUMENTS_AT_ONCE]) if docno in assignment.documents]
    rows = Document.objects.filter(collection=task.collection_id, docno__in=own, has_text=True)
    texts = {row["docno"]: row for row in rows.values("docno", "title", "text", "has_text")}
    return [display_of(task, texts.get(docno) or {**WITHOUT_TEXT, "docno": docno}) for docno in own]


def _about(assignment: PreferenceAssignment) -> dict[str, Any]:
    return {
        "assignment": f"{NAMED}{assignment.pk}",
        "assessor": assignment.assessor_id,
        "assessorName": assignment.assessor.username,
        "serverTime": timezone.now().isoformat(),
        "terms": query_terms(assignment.topic.title),
    }


def _addresses(assignment: PreferenceAssignment) -> dict[str, Any]:
    task, following = assignment.qrels.task, next_of(assignment)
    address = {**task.address, "topic_number": assignment.topic.number}
    return {
        "submitUrl": reverse("preference_submit", kwargs=address),
        "documentsUrl": reverse("preference_documents", kwargs=address),
        "topicsUrl": reverse("my_preferences", kwargs=task.address),
        "loginUrl": f"{reverse('account_login')}?next={reverse('my_preferences', kwargs=task.address)}",
        "next": {"number": following.topic.number, "url": preference_desk_url(following)} if following else None,
    }
