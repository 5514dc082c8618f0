"""The log of a growing pool as CSV."""

from collections.abc import Iterator

from campaign.formats.spreadsheet import csv_lines
from pooling.models import Pool, PoolChoice

HEAD = ["topic", "step", "docno", "run", "policy", "seed", "known", "pending", "chosen_at", "engine"]


def choices_csv(pool: Pool) -> Iterator[str]:
    """A line for each step; `known` is what was learned since the step before: docno=1 relevant, 0 not, ? no longer known."""
    steps = PoolChoice.objects.filter(pool=pool).order_by("topic__position", "step").select_related("topic")
    return csv_lines(HEAD, map(_line, steps.iterator(chunk_size=2000)))


def _line(choice: PoolChoice) -> list[object]:
    signs = {True: "1", False: "0", None: "?"}
    known = " ".join(f"{docno}={signs[value]}" for docno, value in sorted(choice.learned.items()))
    pending = " ".join(choice.pending)
    what = [choice.topic.number, choice.step, choice.docno, choice.run, choice.policy, choice.seed]
    return [*what, known, pending, choice.chosen_at, choice.engine]
