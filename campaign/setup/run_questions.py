"""The questions about each run: stored on the task as JSON, answered on the upload page and by the API."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from campaign.models.fields import NO_PLAIN_LINE, is_plain_line, length_problem
from campaign.text import limits

TEXT, CHOICE, YES_NO, NUMBER = "text", "choice", "yes/no", "number"
KINDS = {TEXT: "text", CHOICE: "one of several choices", YES_NO: "yes or no", NUMBER: "number"}
KEY = re.compile(r"[a-z][a-z0-9_]{0,39}")
MOST_QUESTIONS = 30


@dataclass(frozen=True, slots=True)
class Question:
    """`key` names the answer in files and in the API, for good; `choices` only where the kind is a choice."""

    key: str
    label: str
    kind: str = TEXT
    required: bool = False
    help: str = ""
    choices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "choices": list(self.choices)}


def read_questions(value: Iterable[Mapping[str, Any]]) -> list[Question]:
    """The questions of a task as they are kept."""
    return [Question(**{**entry, "choices": tuple(entry.get("choices", ()))}) for entry in value]


def questions_problem(questions: list[Question]) -> str:
    """What is wrong with a task's questions, in words for the organiser; empty when nothing is."""
    keys = [question.key for question in questions]
    if len(questions) > MOST_QUESTIONS:
        return f"There are {len(questions)} questions, at most {MOST_QUESTIONS} can be asked."
    if len(set(keys)) < len(keys):
        return "Two questions have the same key."
    for question in questions:
        if not KEY.fullmatch(question.key):
            return (
                f"“{question.key}” is no key: use lower-case letters, digits and underscores, starting with a letter."
            )
        if question.kind not in KINDS:
            return f"Question {question.key}: there is no kind “{question.kind}”. Use one of: {', '.join(KINDS)}."
        if not question.label.strip():
            return f"Question {question.key} has no text."
        if question.kind == CHOICE and len(set(question.choices)) < 2:
            return f"Question {question.key} needs at least two different choices."
        if not all(map(is_plain_line, (question.label, question.help, *question.choices))):
            return f"Question {question.key}: {NO_PLAIN_LINE}"
        if problem := _too_long(question):
            return f"Question {question.key}: {problem}"
    return ""


def _too_long(question: Question) -> str:
    if len(question.choices) > limits.MOST_CHOICES:
        return f"there are {len(question.choices)} choices, at most {limits.MOST_CHOICES} can be offered."
    texts = {
        "text": (question.label, limits.QUESTION),
        "hint": (question.help, limits.QUESTION),
        **{f"choice {number}": (choice, limits.CHOICE) for number, choice in enumerate(question.choices, start=1)},
    }
    problems = (f"{what}: {problem}" for what, (text, most) in texts.items() if (problem := length_problem(text, most)))
    return next(problems, "")


def read_answers(questions: list[Question], given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The valid answers in their types, and the errors of the others by key. Unknown keys are errors."""
    answers: dict[str, Any] = {}
    problems = {
        key: f"There is no question “{key}”." for key in given.keys() - {question.key for question in questions}
    }
    for question in questions:
        value = given.get(question.key)
        if value is None or value == "":
            if question.required:
                problems[question.key] = f"Answer “{question.label}”."
            continue
        answer, problem = _answer(question, value)
        if problem:
            problems[question.key] = problem
        else:
            answers[question.key] = answer
    return answers, problems


def _answer(question: Question, value: Any) -> tuple[Any, str]:
    text = str(value).strip()
    if question.kind == YES_NO:
        answer = {"true": True, "yes": True, "false": False, "no": False}.get(text.lower())
        return answer, "" if answer is not None else "Answer yes or no."
    if question.kind == NUMBER:
        return _number(text)
    if question.kind == CHOICE:
        return text, "" if text in question.choices else f"Choose one of: {', '.join(question.choices)}."
    return text, length_problem(text, limits.ANSWER)


def _number(text: str) -> tuple[float | int | None, str]:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        return None, "Write a number, such as 12 or 0.5."
    return int(number) if number.is_integer() and abs(number) < 2**53 else number, ""
