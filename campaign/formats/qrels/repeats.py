"""Pairs of topic and docno that come twice in qrels: alike, or with different grades of which one counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from campaign.formats.problems import MORE_PLACES, ProblemLog, visible
from campaign.formats.qrels.rows import JudgmentRows, Key, Values
from campaign.formats.qrels.table import NOT_DRAWN
from campaign.text.plurals import number_of

Repeated: TypeAlias = Literal["refuse", "first", "last", "highest"]
REPEATED: Mapping[Repeated, str] = {
    "refuse": "refuse the file if their grades differ, and name them",
    "first": "the first line counts",
    "last": "the last line counts",
    "highest": "the line with the highest grade counts",
}
OR_CHOOSE = (
    "Keep one of the two, or send the file again and choose which counts: “Pairs that come twice” on the page, --repeated "
    "first, last or highest by command, repeated=first, last or highest by program."
)


@dataclass(slots=True)
class Repeats:
    """What becomes of lines whose pair came before.

    `names`: of the values behind the key, the grade among them. `is_strict`: a pair that comes twice is an error whatever the
    rule, also if both lines say the same. `by_subtopic`: subtopics stand in the keys.
    """

    rows: JudgmentRows
    problems: ProblemLog
    names: Sequence[str]
    rule: Repeated = "refuse"
    by_subtopic: bool = False
    is_strict: bool = False
    differing: set[int] = field(default_factory=set)
    lines: list[int] = field(default_factory=list)

    def add(self, number: int, line: bytes, key: Key, row: int, values: Values) -> None:
        """Take a line whose key has a row already."""
        stands = self.rows.values(row)
        grade = self.names.index("grade")
        is_read = stands[grade] is not None and values[grade] is not None
        if is_read and values == stands and not self.is_strict:
            if row not in self.differing:
                message = "The judgment of this line stands on an earlier line as well: it counts once."
                self.problems.add("judgment_repeated", message, "", line=number, severity="warning")
        elif self.rule == "refuse" or self.is_strict or not is_read:
            both = "" if self.is_strict or not is_read else self._both(stands, values)
            self._refuse(number, line, key, row, both)
        else:
            self.differing.add(row)
            if len(self.lines) <= MORE_PLACES:
                self.lines.append(number)
            if self.rule == "last" or (self.rule == "highest" and (values[grade] or 0) > (stands[grade] or 0)):
                self.rows.change(row, number, values)

    def tell(self) -> None:
        """Say how many pairs the rule decided."""
        if not self.differing:
            return
        stand = "stands" if len(self.differing) == 1 else "stand"
        pairs = number_of(len(self.differing), "pair")
        message = f"{pairs} {stand} on several lines with different grades: {REPEATED[self.rule]}, as was asked for."
        places = ", ".join(map(str, self.lines[:MORE_PLACES])) + (", …" if len(self.lines) > MORE_PLACES else "")
        remedy = f"Lines whose pair came before with another grade: {places}."
        times = len(self.differing)
        self.problems.add("pairs_repeated", message, remedy, severity="warning", times=times)

    def _refuse(self, number: int, line: bytes, key: Key, row: int, both: str) -> None:
        topic, subtopic, docno = map(visible, key)
        what = f"subtopic {subtopic} of topic {topic}" if self.by_subtopic else f"topic {topic}"
        message = f"Docno {docno} was already judged for {what} on line {self.rows.line_numbers[row]}{both}."
        remedy = "Keep one of the two." if self.is_strict else OR_CHOOSE
        self.problems.add("judgment_duplicate", message, remedy, line=number, excerpt=line)

    def _both(self, stands: Values, values: Values) -> str:
        differing = [place for place, value in enumerate(values) if value != stands[place]]
        there, here = (
            " and ".join(
                f"{self.names[place]} {NOT_DRAWN if one[place] is None else one[place]}" for place in differing
            )
            for one in (stands, values)
        )
        return f": {there} there, {here} here"
