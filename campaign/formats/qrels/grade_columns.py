"""Which column of qrels holds the grade, and what its words stand for, where the sender of the file says it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from campaign.formats.problems import ProblemLog

MOST_WORDS = 20
"""Of grades in one file; a column of more of them holds something else."""
WORD = re.compile(r"[^\W\d][^\s=,;]{0,39}")
NAMED = re.compile(rf"({WORD.pattern})=(-?[0-9]{{1,3}})")
LETTERS = "SABCDEFGH"
"""Of NTCIR, the best first."""
ORDERS = (
    "E S C I",
    "exact substitute complement irrelevant",
    "exact partial irrelevant",
    "relevant irrelevant",
    "relevant nonrelevant",
    "yes no",
    "Y N",
    "R N",
    "true false",
)
"""Words of grades, the best first; the last one is not relevant."""
GRADE_COLUMNS = (4, 5, 6)
SAY_WORDS = (
    "Write grades as integers such as 0, 1, 2. Or say what each word stands for: “Grades that are words” on the page "
    '(--grade-words "E=3 S=2 C=1 I=0" by command, grade_words by program).'
)
SAY_COLUMN = (
    " If the fourth column, or one behind it, is the grade that is to count, choose it: “Column of the grade” on the page "
    "(--grade-column 4 by command, grade_column=4 by program)."
)
Lines = Iterator[tuple[int, bytes]]


def word_grades(text: str) -> dict[str, int]:
    """The grade of each word, as a sender writes them; ValueError, with a sentence for the sender.

    >>> word_grades("E=3 S=2, I=0")
    {'E': 3, 'S': 2, 'I': 0}
    """
    found: dict[str, int] = {}
    for part in re.split(r"[\s,;]+", text.strip()):
        named = NAMED.fullmatch(part)
        if named is None:
            raise ValueError(f"“{part}” is no word with its grade. Write such as E=3 S=2 C=1 I=0.")
        if named[1] in found:
            raise ValueError(f"{named[1]} is named twice. Give each word one grade.")
        found[named[1]] = int(named[2])
    return found


def likely_grades(words: Collection[str]) -> list[dict[str, int]]:
    """What the words of a file may stand for, by the orders that are known; a person chooses.

    >>> likely_grades({"S", "A", "B"})
    [{'S': 2, 'A': 1, 'B': 0}, {'S': 3, 'A': 2, 'B': 1}]
    >>> likely_grades({"Exact", "Irrelevant"}), likely_grades({"kite"})
    ([{'Exact': 3, 'Irrelevant': 0}, {'Exact': 2, 'Irrelevant': 0}], [])
    """
    orders = [order.split() for order in ORDERS]
    found = [_by_order(words, order, 0) for order in orders]
    places = [LETTERS.find(word.upper()) for word in words if len(word) == 1]
    if places and len(places) == len(words) and min(places) >= 0:
        letters = list(LETTERS[min(places) : max(places) + 1])
        found += [_by_order(words, letters, lowest) for lowest in (0, 1)]
    return [grades for place, grades in enumerate(found) if grades and grades not in found[:place]]


def _by_order(words: Collection[str], order: list[str], lowest: int) -> dict[str, int]:
    """The grades by the place in the order, the best first; none where a word is not in it."""
    folded = [word.lower() for word in order]
    if not words or not {word.lower() for word in words} <= set(folded):
        return {}
    grades = {word: len(order) - 1 - folded.index(word.lower()) + lowest for word in words}
    return dict(sorted(grades.items(), key=lambda item: (-item[1], item[0])))


def as_written(grades: Mapping[str, int]) -> str:
    """
    >>> as_written({"E": 3, "I": 0})
    'E=3 I=0'
    """
    return " ".join(f"{word}={grade}" for word, grade in grades.items())


def with_grade_from(lines: Lines, column: int, problems: ProblemLog) -> Lines:
    """Topic, second column, docno and the grade of `column`, counted from 1; a line without that column is an error.

    >>> list(with_grade_from(iter([(1, b"7 0 d 1 2 0")]), 5, ProblemLog()))
    [(1, b'7 0 d 2')]
    """
    message = f"Column {column} is the grade, as you chose. The other columns behind the third are left out."
    problems.add("grade_column", message, "", severity="warning")
    for number, line in lines:
        fields = line.split()
        if len(fields) >= column:
            yield number, b" ".join((*fields[:3], fields[column - 1]))
        elif not fields or fields[0].startswith(b"#"):
            yield number, line
        else:
            message = f"The line has no column {column}, which you chose as the grade."
            remedy = (
                "Choose another column, or none: where the first line names the columns, the grade is read by its name."
            )
            problems.add("grade_column_missing", message, remedy, line=number, excerpt=line)
