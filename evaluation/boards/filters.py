"""Which runs of a board a reader wants to see, as the address says it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np

from campaign.text.natural_order import natural_order
from evaluation.boards.board import Board
from evaluation.boards.snapshot import best_first
from evaluation.engine.arrays import BoolArray

ANSWER: Final = "answer-"
"""What the parameters of an address are called that ask for the answers to a question: `answer-1` for the first one."""


@dataclass(frozen=True, slots=True)
class Option:
    """A select of the form. `name`: of the parameter. `chosen`: empty for all."""

    name: str
    label: str
    choices: list[str]
    chosen: str


@dataclass(frozen=True, slots=True)
class Filters:
    """`team`, `kind`: empty for all. `best_of_teams`: of each team only its run of the best mean. `answers`: by question."""

    team: str = ""
    kind: str = ""
    best_of_teams: bool = False
    answers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, board: Board, query: Mapping[str, str]) -> Self:
        questions = questions_of(board)
        asked = {question: query.get(f"{ANSWER}{place}", "") for place, question in enumerate(questions, start=1)}
        answers = {question: answer for question, answer in asked.items() if answer}
        return cls(query.get("team", ""), query.get("kind", ""), query.get("best") == "1", answers)

    @property
    def narrow(self) -> bool:
        return bool(self.team or self.kind or self.best_of_teams or self.answers)

    def kept(self, board: Board, measure: str) -> BoolArray:
        """Bool (n_runs,): the runs to show.

        >>> from evaluation.boards.board import RunFacts
        >>> from evaluation.boards.choice import Choice
        >>> board = Board((RunFacts("a", "north", "manual", 1), RunFacts("b", "south", "automatic", 1)), (), (), Choice())
        >>> Filters(kind="manual").kept(board, "AP").tolist()
        [True, False]
        """
        kept = np.array([self._keeps(run.team, run.kind, run.answers) for run in board.runs], dtype=np.bool_)
        if self.best_of_teams:
            seen: set[str] = set()
            for place in best_first(board, measure).tolist():
                team = board.runs[place].team
                kept[place] &= team not in seen
                seen.add(team)
        return kept

    def _keeps(self, team: str, kind: str, answers: Mapping[str, str]) -> bool:
        return (
            self.team in ("", team)
            and self.kind in ("", kind)
            and all(answers.get(question) == answer for question, answer in self.answers.items())
        )

    def options(self, board: Board) -> list[Option]:
        """The selects that the form offers: those by which the runs of the board differ."""
        by_answer = [
            Option(f"{ANSWER}{place}", question, _answers(board, question), self.answers.get(question, ""))
            for place, question in enumerate(questions_of(board), start=1)
        ]
        teams = Option("team", "Team", _sorted([run.team for run in board.runs if run.team]), self.team)
        kinds = Option("kind", "Run type", _sorted([run.kind for run in board.runs]), self.kind)
        return [option for option in (teams, kinds, *by_answer) if len(option.choices) > 1 or option.chosen]


def questions_of(board: Board) -> list[str]:
    """The questions that some run answers, in the order in which runs answer them."""
    return list(dict.fromkeys(question for run in board.runs for question in run.answers))


def _answers(board: Board, question: str) -> list[str]:
    return _sorted([run.answers[question] for run in board.runs if question in run.answers])


def _sorted(names: Sequence[str]) -> list[str]:
    return sorted(set(names), key=natural_order)
