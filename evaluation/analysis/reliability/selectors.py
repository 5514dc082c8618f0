"""Reports on boards: what they are computed from, which are stored, and the jobs that compute them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.core.cache import caches

from campaign.formats.runs.order_setting import Ordering
from campaign.models import Job, Task, job_key
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.reading import verified_bytes
from evaluation.analysis.reliability.verdicts import in_short, verdicts
from evaluation.boards.board import Board
from evaluation.boards.stored import values_of
from evaluation.engine.arrays import FloatArray
from evaluation.models import Leaderboard, PublishedTrust, WorkingBoard, WorkingTrust
from evaluation.selectors.board_views import BoardView, board_of_leaderboard, values_of_leaderboard
from evaluation.selectors.boards import content_of, stored_board, working_board
from judging.core.set_names import DEFAULT
from judging.models import Qrels

REPORT_OF_SCORES: Final = "report on the working board"
"""Done by evaluation/jobs.py."""
REPORT_OF_LEADERBOARD: Final = "report on a leaderboard"
"""Done by evaluation/jobs.py."""
CHANGED: Final = (
    "The stored runs and judgments give other scores than this board has, so no report on it can be computed: runs were checked "
    "anew, or the scoring was changed since. Score the runs and publish a new board."
)
RUNS_GONE: Final = "Runs of this board are not stored any more, so no report on it can be computed."
FAILED: Final = "The report could not be computed. The organisers see why."
READER: Final = "the page on the reliability of a board"


@dataclass(frozen=True, eq=False)
class Reported:
    """A board as the report takes it: `values` float64 (n_runs, n_measures, n_topics). `name`, `said`: how the JSON names it."""

    task: Task
    board: Board
    qrels: Qrels
    ordering: Ordering
    run_ids: list[int | None]
    values: FloatArray
    lowest_relevant_grade: int
    name: str
    said: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class StoredReport:
    """`content`: the JSON as it was stored under `name`. `is_current`: whether the board is still the one that it is of.

    `only_relevant`: whether its qrels hold no other documents.
    """

    name: str
    content: bytes
    computed_at: datetime
    is_current: bool
    only_relevant: bool = False

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.content)
        return {**found, "only_relevant": self.only_relevant}


def working_reported(working: WorkingBoard) -> Reported:
    board, task = stored_board(str(working.board.name)), working.task
    return Reported(
        task=task,
        board=board,
        qrels=working.qrels,
        ordering=task.ordering,
        run_ids=working.run_ids,
        values=values_of(content_of(working.values), board),
        lowest_relevant_grade=task.lowest_relevant_grade,
        name="unpublished scores",
        said={"mark": working.mark},
    )


def leaderboard_reported(leaderboard: Leaderboard) -> Reported:
    board, task = board_of_leaderboard(leaderboard), leaderboard.task
    return Reported(
        task=task,
        board=board,
        qrels=leaderboard.qrels,
        ordering=leaderboard.ordering,
        run_ids=leaderboard.run_ids,
        values=values_of_leaderboard(leaderboard, board),
        lowest_relevant_grade=leaderboard.tests["lowest_relevant_grade"],
        name=f"leaderboard {leaderboard.number}",
        said={"leaderboard": leaderboard.number, "leaderboard_sha256": leaderboard.sha256},
    )


def stored_report(seen: BoardView) -> StoredReport | None:
    """The report on this board; None before it is computed, and where it names runs or teams that the reader may not see."""
    found, is_current = _report_row(seen)
    if found is None:
        return None
    name = str(found.report.name)
    content = verified_bytes(name, found_by=READER)
    stored = StoredReport(name, content, found.computed_at, is_current, seen.qrels.holds_relevant_only)
    return stored if seen.leaderboard is None or _names_no_more(stored.data, seen.board) else None


def verdict_of(seen: BoardView) -> str:
    """The verdict of the report on this board, as short as the head of a board needs it; empty without a report of it as it is.

    Read once for each report and reader's board. A damaged report is told by its own page: the board is shown without it.
    """
    found, is_current = _report_row(seen)
    if found is None or not is_current:
        return ""
    key = f"evaluation:verdict:6:{seen.key}:{found.report.name}"
    said: str | None = caches["bulk"].get(key)
    if said is None:
        try:
            stored = stored_report(seen)
        except DamagedFileError:
            return ""
        said = in_short(verdicts(stored.data)) if stored else ""
        caches["bulk"].set(key, said)
    return said


def _report_row(seen: BoardView) -> tuple[WorkingTrust | PublishedTrust | None, bool]:
    """Where the report is stored, and whether it is of the board as it is.

    Previews, live boards and working boards by other sets of qrels have none.
    """
    if not _may_have_report(seen):
        return None, False
    if seen.leaderboard is not None:
        return PublishedTrust.objects.filter(leaderboard=seen.leaderboard).first(), True
    found, working = WorkingTrust.objects.filter(task=seen.task).first(), working_board(seen.task)
    return found, found is not None and working is not None and found.mark == working.mark


def _may_have_report(seen: BoardView) -> bool:
    if seen.leaderboard is not None:
        return not seen.preview
    return not seen.is_live and bool(seen.qrels.set_name == DEFAULT)


def _names_no_more(data: Mapping[str, Any], board: Board) -> bool:
    """Whether the reader's board names all that the report names: boards may be shown without the names of teams."""
    tags, teams = {run.tag for run in board.runs}, {run.team for run in board.runs}
    return set(data["runs"]) <= tags and set(data["teams"]) <= teams


def reliability_job(seen: BoardView) -> Job | None:
    """The newest job that computes, or computed, the report on this board; None where it has none."""
    if not _may_have_report(seen):
        return None
    if seen.leaderboard is None:
        asked = {"name": REPORT_OF_SCORES, "key": job_key({"task_id": seen.task.pk})}
    else:
        asked = {"name": REPORT_OF_LEADERBOARD, "key": job_key({"leaderboard_id": seen.leaderboard.pk})}
    return Job.objects.filter(**asked).order_by("-pk").first()


def said_of_job(seen: BoardView, job: Job | None) -> str:
    """What the job tells this reader: other messages than the report's own are for organisers, they may name stored files."""
    if job is None or seen.organises or job.message in (CHANGED, RUNS_GONE):
        return "" if job is None else job.message
    return FAILED if job.state == Job.FAILED else ""
