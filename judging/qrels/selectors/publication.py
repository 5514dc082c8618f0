"""What follows when qrels are shown to everybody who sees the task."""

from campaign.setup.selectors.schedule import uploads_end
from judging.models import Qrels


def showing_consequences(qrels: Qrels) -> list[str]:
    return [
        f"Everybody who sees the task can read and download {qrels}: its grades, topics and counts. This cannot be undone.",
        "Scores are not shown by this: the settings of the task and leaderboards decide on them.",
        *uploads_end(qrels.task, qrels=True),
    ]
