"""PURE: the modes graded and binary, and what all modes with a grade scale share: one button a grade, and qrels of grades."""

from collections.abc import Iterable, Sequence
from typing import Final

import polars as pl

from campaign.formats.problems import ProblemLog
from campaign.modes import GradeStep, Mode, grade_0_and_another
from judging.core.modes.declaration import (
    Acts,
    Answers,
    CheckedAct,
    DeskParts,
    Details,
    JudgedTopic,
    JudgingMode,
    QrelsFile,
    QrelsTables,
    RefusedActError,
    Shortcut,
    Subtopics,
)
from judging.core.resolution import resolve

MEASURES: Final = ("nDCG@10", "AP", "P@10", "RR", "R@100", "bpref", "Judged@10")
FOUR_GRADES: Final[tuple[GradeStep, ...]] = (
    {"value": 0, "label": "not relevant", "definition": "Says nothing about the topic."},
    {"value": 1, "label": "related", "definition": "Touches the topic, but does not answer it."},
    {"value": 2, "label": "relevant", "definition": "Answers the topic in part."},
    {"value": 3, "label": "perfect", "definition": "Is devoted to the topic and answers it."},
)
LOWEST_RELEVANT: Final = 2
"""Of FOUR_GRADES: a related document does not answer the topic (as in TREC's deep learning track)."""
BUTTONS: Final = "judging/modes/_grade_buttons.html"
DEFINITIONS: Final = "judging/modes/_grade_definitions.html"
KEYS: Final = "0123456789abcdefghijklmnopqrstvwyz"
"""Without those of the desk's own commands, u and x."""


def checked_grade(grade: int | None, topic: JudgedTopic) -> int:
    if grade is None or grade not in topic.grades:
        raise RefusedActError(f"Grade {grade} is not on the task's scale: use {', '.join(map(str, topic.grades))}.")
    return grade


def check(grade: int | None, answers: Answers, topic: JudgedTopic) -> CheckedAct:
    return CheckedAct(checked_grade(grade, topic), {})


def desk(topic: JudgedTopic, details: Details) -> DeskParts:
    return DeskParts((BUTTONS,), (DEFINITIONS,), buttons(topic), shortcuts(topic))


def buttons(topic: JudgedTopic) -> dict[str, object]:
    """The context of `BUTTONS`.

    >>> from judging.core.modes.declaration import Step
    >>> context = buttons(JudgedTopic("1", (Step(0, "no", "0", ""), Step(1, "yes", "1", "")), ()))
    >>> context["grades"][1]["tone"], context["grades"][1]["step"].label
    (3, 'yes')
    """
    return {
        "grades": [{"step": step, "tone": tone} for step, tone in zip(topic.steps, tones(topic.grades), strict=True)]
    }


def tones(grades: Sequence[int]) -> list[int]:
    """One of the four colours of grades, 0 to 3, for each step of a scale.

    >>> tones([0, 1])
    [0, 3]
    >>> tones([0, 1, 2, 5])
    [0, 1, 2, 3]
    """
    top = max(len(grades) - 1, 1)
    return [round(3 * place / top) for place in range(len(grades))]


def shortcuts(topic: JudgedTopic) -> tuple[Shortcut, ...]:
    return tuple(Shortcut(step.key, f"grade {step.value} {step.label}, save, next document") for step in topic.steps)


def qrels(acts: Acts, policy: str) -> QrelsTables:
    return QrelsTables(resolve(acts.table, policy))


def check_grades(table: pl.DataFrame, subtopics: Subtopics, problems: ProblemLog) -> None:
    if table.filter(pl.col("grade") >= 0).is_empty():
        problems.add(
            "qrels_all_unjudged",
            "No line holds a grade of 0 or above.",
            "Send qrels with grades: -1 and -2 score no run.",
        )


QRELS: Final = QrelsFile("qrels", check_grades, lambda table, subtopics: QrelsTables(table))

GRADED = JudgingMode(
    mode=Mode(
        name="graded",
        label="graded",
        scale=FOUR_GRADES,
        measures=MEASURES,
        lowest_relevant_grade=LOWEST_RELEVANT,
    ),
    check=check,
    desk=desk,
    qrels=qrels,
    files=(QRELS,),
)


def _scale_problem(values: Sequence[int]) -> str:
    is_binary = sorted(values) == [0, 1]
    return grade_0_and_another(values) or ("" if is_binary else "Binary judging has exactly the grades 0 and 1.")


BINARY = JudgingMode(
    mode=Mode(
        name="binary",
        label="binary",
        scale=({"value": 0, "label": "not relevant"}, {"value": 1, "label": "relevant"}),
        measures=MEASURES,
        scale_problem=_scale_problem,
    ),
    check=check,
    desk=desk,
    qrels=qrels,
    files=(QRELS,),
)


def with_grades(scale: Sequence[GradeStep], values: Iterable[int]) -> list[GradeStep]:
    """The scale with the grades that it lacks, in their order; their labels are their numbers.

    A grade has its digit as the key, or else the first free letter, and the gain 2^grade - 1 where that is the gain of every
    other grade, else its number.

    >>> scale: list[GradeStep] = [{"value": 0, "label": "no", "key": "n"}, {"value": 1, "label": "yes"}]
    >>> [(step["value"], step["label"], step.get("key")) for step in with_grades(scale, [12, 4])]
    [(0, 'no', 'n'), (1, 'yes', None), (4, 'grade 4', '4'), (12, 'grade 12', 'a')]
    >>> graded: list[GradeStep] = [{"value": value, "label": "", "gain": 2.0**value - 1} for value in range(3)]
    >>> with_grades(graded, [3])[-1]["gain"]
    7.0
    """
    steps = {step["value"]: step for step in scale}
    gains = {value: step.get("gain", float(value)) for value, step in steps.items()}
    is_exponential = max(gains, default=0) > 1 and all(gain == 2.0**value - 1 for value, gain in gains.items())
    taken = {step.get("key") or str(value) for value, step in steps.items()}
    for value in sorted(set(values) - steps.keys()):
        own = str(value)
        key = next(key for key in (own, *KEYS[10:], *KEYS[:10]) if len(key) == 1 and key not in taken)
        taken.add(key)
        gain = 2.0**value - 1 if is_exponential else float(value)
        steps[value] = {"value": value, "label": f"grade {value}", "key": key, "gain": gain}
    return [steps[value] for value in sorted(steps)]
