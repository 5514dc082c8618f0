"""Texts of the pool pages that have nothing to show yet, for templates/_empty_state.html."""

from campaign.models import Task


def no_pool_yet(task: Task, run_count: int) -> dict[str, str]:
    """Return the text for a task without a pool: build one if there are valid runs, else wait for runs."""
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
