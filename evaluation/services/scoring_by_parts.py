"""Scoring of many runs: a few at a time as jobs of their own, so that every worker takes some, and then the board by one."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from django.db import transaction

from campaign.models import Job, Task, job_key
from campaign.queue.jobs import JobFailed, JobWaits, enqueue_first, unfinished_parts
from evaluation.selectors.scores import SCORE_RUNS
from evaluation.services.scoring import missing_scores, task_score
from judging.core.set_names import DEFAULT
from judging.qrels.selectors.qrels_sets import qrels_sets

RUNS_OF_A_PART = 25
"""About half a second for runs of 50,000 lines: much against coding the judgments once more, little against a dead worker."""
MOST_AT_ONCE = 2 * RUNS_OF_A_PART
"""So many runs are scored by one job: parts would be over no sooner than messages about them."""
MOST_PARTS_AT_ONCE = 100
"""Of one task: jobs are taken first in, first out, so that another task would wait behind all of its parts. Less than a minute
of one process, and enough for all of dozens."""
RUNS_SCORED = "runs scored"


@dataclass(frozen=True, slots=True)
class PartOfRuns:
    """Those runs of a task, from one key to another, that lack scores by a set of qrels when the part begins."""

    set_name: str
    first: int
    last: int


def part_score(*, task: Task, runs: PartOfRuns, report: Callable[[int, int], None]) -> None:
    missing = missing_scores(task, runs.set_name, runs.first, runs.last)
    if missing is not None:
        missing.score(report)


def task_score_by_parts(*, task: Task, asked_by: int, report: Callable[[int, int], None]) -> None:
    """Ask for parts and wait for them, JobWaits, as long as any are under way or to be asked for; then do the rest and the board.

    What a part has left, since it failed or since something changed meanwhile, is done here: whatever keeps a run from being
    scored then fails this job. The same part is asked for once, so this ends.
    """
    under_way = unfinished_parts(SCORE_RUNS, task.pk).exists()
    missing = dict(_missing_runs(task))
    number = sum(map(len, missing.values()))
    if not under_way and number > MOST_AT_ONCE:
        under_way = _parts_request(task, missing, asked_by)
    if under_way:
        raise JobWaits(SCORE_RUNS, number, RUNS_SCORED)
    task_score(task=task, report=report)


def _missing_runs(task: Task) -> Iterator[tuple[str, list[int]]]:
    """By set the keys of runs without scores; of a set that cannot be scored none: that is told by who scores the task."""
    for set_name in qrels_sets(task) or [DEFAULT]:
        try:
            missing = missing_scores(task, set_name)
        except JobFailed:
            continue
        if missing is not None:
            yield set_name, [run.pk for run in missing.runs]


@transaction.atomic
def _parts_request(task: Task, missing: dict[str, list[int]], asked_by: int) -> bool:
    """Ask for the first of the parts that this job has not asked for yet; whether there are any."""
    parts = [
        {"task_id": task.pk, "asked_by": asked_by, **asdict(PartOfRuns(set_name, few[0], few[-1]))}
        for set_name, runs in missing.items()
        for few in (runs[start : start + RUNS_OF_A_PART] for start in range(0, len(runs), RUNS_OF_A_PART))
    ]
    keys = [job_key(part) for part in parts]
    known = set(Job.objects.filter(name=SCORE_RUNS, key__in=keys).values_list("key", flat=True))
    fresh = [part for part, key in zip(parts, keys, strict=True) if key not in known]
    for part in fresh[:MOST_PARTS_AT_ONCE]:
        enqueue_first(SCORE_RUNS, **part)
    return bool(fresh)
