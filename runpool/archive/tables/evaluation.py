"""What archives keep of scores and boards."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model

from campaign.formats.json_values import json_value
from campaign.formats.shapes import NUMBER, TEXT, WHOLE, list_of, object_of, or_null, record
from campaign.models import Run, Task
from evaluation.analysis.reliability.words import findings
from evaluation.boards.board import Board
from evaluation.boards.soundness import problems_of_copies, problems_of_numbers, problems_of_served
from evaluation.boards.stored import NoBoardError, read_board, require_arrays, values_of
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.models import (
    BoardSettings,
    Evaluation,
    Leaderboard,
    PreferenceScores,
    PublishedTrust,
    WorkingBoard,
    WorkingTrust,
)
from judging.models import Qrels
from runpool.archive.table import (
    Check,
    JsonRow,
    Others,
    Place,
    ReadFile,
    StoredColumn,
    Table,
    hashable,
)

MOST_SERVED = 10_000_000
"""Values in the JSON of a board, which has one for each run, measure and topic."""
BYTES = 8
"""Of a float64."""
CURVE = or_null(record({"shares": list_of(NUMBER), "last_adds": NUMBER}, others=True))
REPORT = record(
    {
        "runs": list_of(TEXT),
        "teams": list_of(TEXT),
        "measure": TEXT,
        "topics": WHOLE,
        "reasons": object_of(TEXT),
        "judged": list_of(record({"run": TEXT, "first_10": or_null(NUMBER)}, others=True)),
        "without_a_topic": or_null(
            list_of(record({"topic": TEXT, "largest_fall": WHOLE, "tau": or_null(NUMBER)}, others=True))
        ),
        "saturation": or_null(record({"runs": CURVE, "teams": CURVE}, others=True)),
    },
    others=True,
)
"""What the page of a report needs besides its findings."""
FILES_OF_BOARDS = {
    "board": ("board", ".json", ".json"),
    "values": ("values", ".f64", ".f64"),
    "p_of_pairs": ("pairs", ".f64", ".f64"),
    "as_json": ("leaderboard", ".json", ".json"),
    "as_csv": ("leaderboard", ".csv", ".csv"),
}


def _check_scores(values: JsonRow, read: ReadFile) -> None:
    names = values["measures"]
    if not names or len(values["values"]) % (BYTES * len(names)):
        raise ValidationError("It does not hold one value for each measure and topic.")
    try:
        for name in names:
            parse_measure(name)
    except MeasureNameError as problem:
        raise ValidationError(str(problem)) from problem


def _check_preference_scores(values: JsonRow, read: ReadFile) -> None:
    if len(values["values"]) % BYTES:
        raise ValidationError("It does not hold one value for each topic.")


def _board_check(others: Others) -> Check:
    """The board that its files hold, what the row says of it, and what `manage.py verify` compares of it."""
    sha256_of_qrels = {version: sha256 for _, version, sha256 in others.columns(Qrels, "version", "sha256")}

    def check(values: JsonRow, read: ReadFile) -> None:
        board, served, served_csv = _read_board(values, read)
        numbers = values_of(read("values"), board)
        cited = values["sha256"], sha256_of_qrels.get(hashable(values["qrels"]), "")
        for problem in chain(
            problems_of_numbers(board, numbers),
            problems_of_served(served, *cited),
            problems_of_copies(served, served_csv, board),
        ):
            raise ValidationError(problem)

    return check


def _read_board(values: JsonRow, read: ReadFile) -> tuple[Board, dict[str, Any], str]:
    """The board with the JSON and the CSV that are served of it."""
    try:
        board = read_board(read("board"))
        require_arrays(board, read("values"), read("p_of_pairs"))
        served_csv = read("as_csv").decode()
        served = json_value(read("as_json"), most=MOST_SERVED)
    except (ValueError, RecursionError) as problem:
        what = str(problem) if isinstance(problem, NoBoardError) else "Its JSON or CSV file cannot be read."
        raise ValidationError(what) from problem
    if not isinstance(served, dict) or not served_csv:
        raise ValidationError("Its JSON or CSV file is no leaderboard.")
    if not board.runs or values["measures"] != board.measures or len(values.get("run_ids", [])) != len(board.runs):
        raise ValidationError("Its measures or runs are not those of the stored board.")
    return board, served, served_csv


def _check_report(values: JsonRow, read: ReadFile) -> None:
    try:
        found = json_value(read("report"))
        if not REPORT.fits(found):
            raise ValueError
        findings(found)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as problem:
        raise ValidationError("The stored report is no report.") from problem


def _file_of_board(column: str) -> StoredColumn:
    part, suffix, ending = FILES_OF_BOARDS[column]
    return StoredColumn(column, "leaderboards", suffix, lambda row: ("boards", str(row["number"]), part), ending)


def _report_place(row: JsonRow) -> Place:
    return ("boards", str(row["leaderboard"]), "trust")


def score_files(task: Task) -> Iterator[tuple[Place, Iterable[bytes]]]:
    """The values of each run by topic, as trec_eval -q prints them but with all digits: measure, topic, value."""
    scored = Evaluation.objects.filter(run__task=task).select_related("run__team", "qrels").order_by("pk")
    for evaluation in scored.iterator(chunk_size=20):
        run = evaluation.run
        tag = run.tag if run.attempt == 1 else f"{run.tag}.{run.attempt}"
        place = ("scores", f"v{evaluation.qrels.version}", f"{tag}.engine-{evaluation.engine}.txt")
        yield place, _lines(evaluation)


def _lines(evaluation: Evaluation) -> Iterator[bytes]:
    topics = evaluation.qrels.topics
    if evaluation.matrix().shape[1] != len(topics):  # of a campaign that was restored so; `verify` names it
        return
    for measure, values in zip(evaluation.measures, evaluation.matrix().tolist(), strict=True):
        lines = (f"{measure}\t{topic}\t{value!r}\n" for topic, value in zip(topics, values, strict=True))
        yield "".join(lines).encode()


TRUST_REPORT = StoredColumn("report", "trust", ".json", _report_place, ".json")
TABLES = (
    Table(BoardSettings, "boards/settings", "task"),
    Table(Evaluation, "scores/evaluations", "run__task", referred=False, check=_check_scores),
    Table(PreferenceScores, "scores/preferences", "run__task", referred=False, check=_check_preference_scores),
    Table(
        Leaderboard,
        "boards/boards",
        "task",
        key=("number",),
        files=tuple(map(_file_of_board, FILES_OF_BOARDS)),
        lists={"run_ids": Run},
        against=_board_check,
    ),
    Table(PublishedTrust, "boards/trust", "leaderboard__task", files=(TRUST_REPORT,), check=_check_report),
)
COMPUTED_HERE: frozenset[type[Model]] = frozenset({Evaluation, PreferenceScores})
"""What an archive says of these is not believed: the site that restores it computes them, and keeps what comes out the same."""
LEFT_OUT: dict[type[Model], str] = {
    WorkingBoard: "is computed anew from the scores",
    WorkingTrust: "is computed anew from the working board",
}
