"""Citations, drafts of tables, and changes, as files."""

from typing import Any

from campaign.formats.spreadsheet import csv_lines
from campaign.web.links import absolute
from evaluation.analysis.snapshots.history import RankHistory
from evaluation.boards.changes import ChangedRun
from evaluation.boards.citation import Cited
from evaluation.boards.latex import figures_table, participants_table, results_table
from evaluation.selectors.board_views import BoardView


def cited(seen: BoardView) -> Cited:
    leaderboard, task = seen.published, seen.task
    restored_at = None if seen.restored is None else seen.restored.restored_at
    return Cited(
        key=f"{task.campaign.slug}-{task.slug}-{leaderboard.number}",
        title=f"{task.campaign.title}, {task.title}: leaderboard {leaderboard.number}",
        publisher=task.campaign.title,
        published=leaderboard.published_at.date(),
        url=absolute(leaderboard.get_absolute_url()),
        sha256=leaderboard.sha256,
        restored=None if restored_at is None else restored_at.date(),
    )


def tables_tex(seen: BoardView) -> str:
    """The tables of an overview paper: results, participants, pool and judgments."""
    qrels = seen.qrels
    pool = (
        {} if qrels.pool is None else {"Documents in the pool": f"{qrels.pool.size:,}", "Strategy": qrels.pool.strategy}
    )
    figures = {
        "Topics scored": str(len(seen.board.topics)),
        **pool,
        "Judgments": f"{qrels.judgment_count:,}",
        "Relevant": f"{qrels.relevant_count:,}",
        "Version of the qrels": str(qrels.version),
    }
    judged = figures_table("Pool and judgments.", figures)
    return "\n".join([results_table(seen.board), participants_table(seen.board), judged])


def changes_csv(measure: str, rows: list[ChangedRun]) -> str:
    """One line a run; numbers of the board before only where both are by the same qrels over the same topics."""
    head = ["run", "team", "state", "rank_before", "rank", f"{measure}_before", measure]
    lines = ([row.tag, row.team, row.state, row.rank_before, row.rank, row.value_before, row.value] for row in rows)
    return "".join(csv_lines(head, lines))


def history_csv(found: RankHistory) -> str:
    """One line a run, a column for each board with its rank there; empty where the run is not on it."""
    head = ["run", *(f"leaderboard_{number}" for number in found.numbers)]
    return "".join(csv_lines(head, ([tag, *ranks] for tag, ranks in found.ranks.items())))


def changes_json(
    before: BoardView, after: BoardView, said: list[str], measure: str, rows: list[ChangedRun]
) -> dict[str, Any]:
    return {
        "before": before.published.number,
        "after": after.published.number,
        "same_qrels": before.qrels.sha256 == after.qrels.sha256,
        "changes": said,
        "measure": measure,
        "runs": [
            {
                "run": row.tag,
                "team": row.team,
                "state": row.state,
                "rank_before": row.rank_before or None,
                "rank": row.rank or None,
                "value_before": row.value_before,
                "value": row.value,
            }
            for row in rows
        ],
    }
