"""The texts of pages of pools that have nothing to show yet, for templates/_empty.html."""

from campaign.models import Task


def no_pool_yet(task: Task, run_count: int) -> dict[str, str]:
    """For a task without a pool: the next step is a pool where there are valid runs, and runs where there are none."""
    if run_count:
        return {
            "title": "No pool yet",
            "text": "A pool is what assessors judge: for each topic, the documents that a strategy takes from the runs. "
            "See what it costs and covers before you freeze it.",
            "url": task.url("pool_create"),
            "label": "Build the pool",
        }
    return {
        "title": "No valid run yet",
        "text": "Pools are drawn from runs. As soon as the first run has passed its check, you can preview a pool here.",
        "url": task.url("run_list"),
        "label": "See the runs",
    }


def no_run_to_pool(task: Task) -> dict[str, str]:
    return {
        "title": "No valid run to pool",
        "text": "Pools are drawn from runs that have passed their check.",
        "url": task.url("run_list"),
        "label": "See the runs",
    }
