"""What publishing would store now, for an audience: looked at in previews, and stored by the service that publishes."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Max
from django.utils import timezone

from campaign.models import Task, User
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from evaluation.boards.anonymous import anonymous_board, changes_without_names
from evaluation.boards.audiences import ANONYMOUS
from evaluation.boards.board import Board
from evaluation.boards.snapshot import digest, exported_runs
from evaluation.boards.stored import p_of, values_of
from evaluation.boards.tests_in_words import said_of_tests
from evaluation.engine.arrays import FloatArray
from evaluation.models import Evaluation, Leaderboard, WorkingBoard
from evaluation.selectors.boards import content_of, stored_board
from evaluation.selectors.pseudonyms import pseudonyms
from evaluation.selectors.scoring_scope import runs_not_ranked, said_of_what_counts, what_counts
from evaluation.selectors.snapshots import leaderboard_json


@dataclass(frozen=True, slots=True)
class Terms:
    """What the organiser writes of a publication. `licence`: its SPDX name."""

    note: str = ""
    licence: str = ""
    terms: str = ""


NO_TERMS = Terms()


@dataclass(frozen=True, eq=False)
class Draft:
    """`leaderboard`: not saved, without files and checksum. `values`, `p_of_pairs`: in the order of `board`.

    `mark`: of the working board that it was made from.
    """

    leaderboard: Leaderboard
    board: Board
    values: FloatArray
    p_of_pairs: FloatArray
    mark: str

    def export(self) -> str:
        """The snapshot as JSON, with the checksum that it is given by this."""
        data = self._data(self.leaderboard.number)
        self.leaderboard.sha256 = digest(data)
        return leaderboard_json(self.leaderboard, data["runs"], self.board.topics)

    def is_said_by(self, published: Leaderboard) -> bool:
        """Whether this snapshot says nothing that the published one does not, to the same readers."""
        same = all(
            getattr(published, name) == getattr(self.leaderboard, name) for name in ("audience", "licence", "terms")
        )
        return same and published.sha256 == digest(self._data(published.number))

    def says_the_same_as(self, other: "Draft") -> bool:
        """Whether both, made for the same request, rank the same runs by the same numbers, under the same number."""
        facts = ("number", "qrels_id", "measures", "tests", "run_ids")
        same = all(getattr(self.leaderboard, name) == getattr(other.leaderboard, name) for name in facts)
        return same and (self.mark, self.board.runs) == (other.mark, other.board.runs)

    def _data(self, number: int) -> dict[str, Any]:
        leaderboard, board = self.leaderboard, self.board
        return {
            "leaderboard": number,
            "measures": leaderboard.measures,
            "note": leaderboard.note,
            "qrels": leaderboard.qrels.checksums,
            "runs": exported_runs(board, self.values),
            "tests": leaderboard.tests,
            "topics": list(board.topics),
        }


def draft_for(*, actor: User, task: Task, working: WorkingBoard, audience: str, terms: Terms = NO_TERMS) -> Draft:
    """The snapshot of the working board as this audience would see it."""
    board = stored_board(str(working.board.name))
    values = values_of(content_of(working.values), board)
    p = p_of(content_of(working.p_of_pairs), board)
    run_ids: list[int] = working.run_ids
    said = said_of_scores(task, working, names=audience != ANONYMOUS)
    if audience == ANONYMOUS:
        found = anonymous_board(board, *pseudonyms(task, run_ids, board.runs))
        board, values, p = found.board, found.values(values), found.p_of_pairs(p)
        run_ids = [run_ids[place] for place in found.order.tolist()]
        said["changed_after_scores"] = changes_without_names(said["changed_after_scores"])
    leaderboard = _leaderboard(actor, task, working, board, audience, terms)
    leaderboard.run_ids = run_ids
    leaderboard.tests = {**_tests(task, board), **said}
    return Draft(leaderboard, board, values, p, working.mark)


def next_number(task: Task) -> int:
    last: int | None = task.leaderboards.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def said_of_scores(task: Task, working: WorkingBoard, *, names: bool = True) -> dict[str, Any]:
    """What a board says of the settings that its scores rest on, and of the topics and runs that do not count."""
    return {
        **said_of_what_counts(what_counts(task, working.qrels), runs_not_ranked(task), names=names),
        "lowest_relevant_grade": task.lowest_relevant_grade,
        "topics_not_scored": working.qrels.topics_not_scored,
        "changed_after_scores": changes_after_scores(task),
    }


def _leaderboard(
    actor: User, task: Task, working: WorkingBoard, board: Board, audience: str, terms: Terms
) -> Leaderboard:
    return Leaderboard(
        task=task,
        number=next_number(task),
        audience=audience,
        qrels=working.qrels,
        measures=board.measures,
        note=terms.note,
        licence=terms.licence,
        terms=terms.terms,
        published_by=actor,
        published_at=timezone.now(),
    )


def _tests(task: Task, board: Board) -> dict[str, Any]:
    return {
        **said_of_tests(board.choice),
        "resamples_by_measure": {column.measure: column.resamples for column in board.columns},
        "engine": Evaluation.ENGINE,
        "topics": len(board.topics),
        "run_order": task.ordering.run_order,
        "reference": task.ordering.reference,
        "runs_ordered_by": task.ordering.in_words,
    }
