"""Published boards as the files that are served."""

import json
from collections.abc import Sequence
from typing import Any

from campaign.storage.reading import verified_bytes
from evaluation.boards.measures_in_words import parameters_in_words
from evaluation.boards.snapshot import written_json
from evaluation.models import Leaderboard
from evaluation.selectors.restored import RestoredFrom, restored_from

READER = "a download of a leaderboard"


def published_file(leaderboard: Leaderboard, file_format: str) -> str:
    """The whole snapshot as "csv" or "json", as it was stored when it was published; the JSON says if an archive brought it."""
    stored = leaderboard.as_csv if file_format == "csv" else leaderboard.as_json
    text = verified_bytes(str(stored.name), found_by=READER).decode()
    return text if file_format == "csv" else with_origin(text, restored_from(leaderboard))


def with_origin(text: str, restored: RestoredFrom | None) -> str:
    """The JSON of a board, with where it came from in a part that its checksum does not cover."""
    if restored is None:
        return text
    return written_json({**json.loads(text), "restored": restored.to_json()})


def leaderboard_json(
    leaderboard: Leaderboard,
    runs: list[dict[str, Any]],
    topics: Sequence[str],
    measures: Sequence[str] | None = None,
) -> str:
    """A snapshot with these runs over the topics of the board.

    By all measures and with values by topic each of its numbers can be computed again.
    """
    chosen = leaderboard.measures if measures is None else list(measures)
    data: dict[str, Any] = {
        "campaign": leaderboard.task.campaign.slug,
        "task": leaderboard.task.slug,
        "leaderboard": leaderboard.number,
        "audience": leaderboard.audience,
        "published_at": leaderboard.published_at.isoformat(),
        "qrels": leaderboard.qrels.checksums,
        "sha256": leaderboard.sha256,
        "tests": leaderboard.tests,
        "measures": chosen,
        "depends_on": {measure: parameters_in_words(measure) for measure in chosen},
        "topics": list(topics),
        "runs": runs,
        "note": leaderboard.note,
        "licence": leaderboard.licence,
        "terms": leaderboard.terms,
    }
    return written_json(data)
