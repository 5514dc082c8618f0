"""The details of a run as its page shows them: answers to the task's questions, and the ir_metadata of the file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from campaign.setup.run_questions import read_questions

DEEPEST = 6
"""Below that, metadata are shown as JSON."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A name with a text, or with the facts below it. `name` is empty for the items of a list."""

    name: str
    text: str = ""
    below: "list[Fact]" = field(default_factory=list)


def answer_facts(questions: Iterable[Mapping[str, Any]], answers: Mapping[str, Any]) -> list[Fact]:
    """Return the answers in the order of the questions; an answer whose question is gone is named by its key."""
    labels = {question.key: question.label for question in read_questions(questions)}
    keys = [*(key for key in labels if key in answers), *(key for key in answers if key not in labels)]
    return [Fact(labels.get(key, key), _words(answers[key])) for key in keys]


def metadata_facts(value: Any, depth: int = 0) -> list[Fact]:
    if isinstance(value, dict):
        return [_fact(str(name), inner, depth) for name, inner in value.items()]
    if isinstance(value, list):
        return [_fact("", inner, depth) for inner in value]
    return [Fact("", _words(value))]


def _fact(name: str, value: Any, depth: int) -> Fact:
    if not isinstance(value, dict | list) or not value:
        return Fact(name, _words(value))
    if depth >= DEEPEST:
        return Fact(name, json.dumps(value, ensure_ascii=False))
    return Fact(name, below=metadata_facts(value, depth + 1))


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value in (None, "", [], {}) else str(value)
