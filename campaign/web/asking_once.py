"""Answers that hold for a whole request: the database is asked once for each."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

A = TypeVar("A")

_answers: ContextVar[dict[Hashable, Any] | None] = ContextVar("answers", default=None)


@contextmanager
def asked_once() -> Iterator[None]:
    """Within, `once` keeps its answers: only for what changes nothing that is asked for."""
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def once(key: Hashable, ask: Callable[[], A]) -> A:
    """The answer to the question that `key` names; asked each time outside `asked_once`."""
    answers = _answers.get()
    if answers is None:
        return ask()
    if key not in answers:
        answers[key] = ask()
    answer: A = answers[key]
    return answer
