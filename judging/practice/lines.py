"""PURE: lines of known answers for practice, `topic docno grade why`, with every problem."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from campaign.formats.near_keys import OF_TASK, FirstHints, missing_from
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.source import lines_of, separator_hint
from campaign.text import limits
from campaign.text.plurals import listed
from judging.core.grade_reading import read_grade

MOST_ANSWERS = 500
NO_GRADE = -1


@dataclass(frozen=True, slots=True)
class PracticeLine:
    topic: str
    docno: str
    grade: int
    why: str


@dataclass(frozen=True, slots=True)
class PracticeRead:
    """`answers` by line number; they are the whole text only if `problems.ok`."""

    answers: Mapping[int, PracticeLine]
    problems: ProblemLog


def read_practice(text: str, topics: Collection[str], grades: Collection[int]) -> PracticeRead:
    """Read lines of a topic number, a docno, a grade and, if given, why it is right.

    >>> read_practice("1 d1 2 Names the tool.", ["1"], [0, 1, 2]).answers[1].why
    'Names the tool.'
    """
    problems = ProblemLog()
    answers: dict[int, PracticeLine] = {}
    first: dict[tuple[str, str], int] = {}
    near = FirstHints()
    for number, line in enumerate(lines_of(text), start=1):
        if not line.strip():
            continue
        answer = _answer(line, number, topics, grades, problems, near)
        if answer is None:
            continue
        pair = (answer.topic, answer.docno)
        if pair in first:
            message = f"Document {visible(answer.docno)} stands on line {first[pair]} already."
            problems.add("practice_twice", message, "Leave out one of the two lines.", line=number, excerpt=line)
        else:
            first[pair] = number
            answers[number] = answer
    if len(first) > MOST_ANSWERS:
        message = f"There are {len(first):,} answers, the maximum is {MOST_ANSWERS}."
        problems.add("practice_long", message, "Leave some out: nobody practises on so many.")
    return PracticeRead(answers, problems)


def _answer(
    line: str, number: int, topics: Collection[str], grades: Collection[int], problems: ProblemLog, near: FirstHints
) -> PracticeLine | None:
    parts = line.split(None, 3)
    scale = listed([str(grade) for grade in sorted(grades)])
    grade = _grade(parts[2]) if len(parts) > 2 else NO_GRADE
    wrong: tuple[str, str, str] | None = None
    if len(parts) < 3:
        wrong = (
            "columns",
            "A line needs a topic, a docno and a grade.",
            f"Write: topic docno grade why.{separator_hint(line.encode(), len(parts), 3)}",
        )
    elif parts[0] not in topics:
        wrong = (
            "topic",
            f"The task has no topic {visible(parts[0])}.",
            f"Take a number from the list of topics.{near.hint(parts[0], missing_from(topics), OF_TASK)}",
        )
    elif grade not in grades:
        wrong = "grade", f"{visible(parts[2])} is no grade of the task.", f"Use {scale}."
    elif len(line) > limits.NOTE:
        wrong = (
            "long",
            f"The line has {len(line):,} characters, the maximum is {limits.NOTE:,}.",
            "Say why more briefly.",
        )
    if wrong is None:
        return PracticeLine(parts[0], parts[1], grade, parts[3].strip() if len(parts) > 3 else "")
    code, message, remedy = wrong
    problems.add(f"practice_{code}", message, remedy, line=number, excerpt=line)
    return None


def _grade(text: str) -> int:
    try:
        return read_grade(text)
    except ValueError:
        return NO_GRADE
