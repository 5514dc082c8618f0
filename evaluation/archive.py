"""What archives keep of scores and boards. Declared when the app starts: what scores is loaded when it is needed."""

from collections.abc import Iterable, Iterator

from campaign.archive.registry import (
    JsonRow,
    Place,
    StoredColumn,
    Table,
    after_restoring,
    keep,
    leave_out,
    write_besides,
)
from campaign.models import Run, Task
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

FILES_OF_BOARDS = {
    "board": ("board", ".json", ".json"),
    "values": ("values", ".f64", ".f64"),
    "p_of_pairs": ("pairs", ".f64", ".f64"),
    "as_json": ("leaderboard", ".json", ".json"),
    "as_csv": ("leaderboard", ".csv", ".csv"),
}


def declare() -> None:
    boards = tuple(map(_file_of_board, FILES_OF_BOARDS))
    report = StoredColumn("report", "trust", ".json", _report_place, ".json")
    keep(
        Table(BoardSettings, "boards/settings", "task"),
        Table(Evaluation, "scores/evaluations", "run__task", referred=False),
        Table(PreferenceScores, "scores/preferences", "run__task", referred=False),
        Table(Leaderboard, "boards/boards", "task", key=("number",), files=boards, lists={"run_ids": Run}),
        Table(PublishedTrust, "boards/trust", "leaderboard__task", files=(report,)),
    )
    leave_out(
        {WorkingBoard: "is computed anew from the scores", WorkingTrust: "is computed anew from the working board"}
    )
    write_besides(score_files)
    after_restoring(working_boards_request)


def working_boards_request(task: Task) -> None:
    """The working board, and what is not scored by this version of the engine yet."""
    from evaluation.services.scoring import scores_request

    if Qrels.objects.filter(task=task).exists():
        scores_request(actor=None, task=task)


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
    for measure, values in zip(evaluation.measures, evaluation.matrix().tolist(), strict=True):
        lines = (f"{measure}\t{topic}\t{value!r}\n" for topic, value in zip(topics, values, strict=True))
        yield "".join(lines).encode()
