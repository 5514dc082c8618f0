"""Which version of a text somebody had: its SHA-256, made of the parts that the desk shows."""

import hashlib
import json
import re
from typing import Any

from campaign.collection.selectors.displays import Display
from campaign.models import Task, Topic

SHA256 = re.compile("[0-9a-f]{64}")


def is_sha256(text: str) -> bool:
    return SHA256.fullmatch(text) is not None


def topic_version(topic: Topic) -> str:
    """Return the SHA-256 of the JSON list [title, description, narrative, [[number, text] of each subtopic]]."""
    subtopics = [[one.number, one.text] for one in topic.subtopics.all()]
    return _sha256([topic.title, topic.description, topic.narrative, subtopics])


def guidelines_version(task: Task) -> str:
    """Return the SHA-256 of the JSON list [guidelines, [[value, label, definition] of each grade]]."""
    grades = [[grade.value, grade.label, grade.definition] for grade in task.grades.all()]
    return _sha256([task.guidelines, grades])


def display_version(display: Display, text: str) -> str:
    """Return the SHA-256 of the JSON list [title, text as shown]: of a sanitised page its HTML, else the stored text."""
    is_sanitised = display["html"] and not display["frame"]
    return _sha256([display["title"], display["html"] if is_sanitised else text])


def text_version(title: str, text: str) -> str:
    """Return the SHA-256 of the JSON list [title, text as it is stored]."""
    return _sha256([title, text])


def _sha256(parts: list[Any]) -> str:
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
