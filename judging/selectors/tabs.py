"""Judging and qrels among the tabs of a task."""

import hashlib

from django.core.cache import caches

from campaign.models import Task
from campaign.navigation import Tab, as_version, newest_of, number_of_rows
from campaign.permissions import Reader
from judging.judgments.selectors.acts import with_last_act
from judging.judgments.selectors.own_documents import assignments_of
from judging.models import Assignment, Qrels
from judging.progress.selectors.progress import pools_assigned, task_overall
from judging.progress.selectors.shares import shares_of

KEPT_SECONDS = 300
"""What the key of a percentage does not name, such as classes of near-duplicates, shows after this time."""


def own_topics_tab(reader: Reader, task: Task) -> Tab | None:
    """For assessors, with the number of topics that are left to them."""
    if not reader.assesses or not reader.user.is_authenticated:
        return None
    own = assignments_of(reader.user).filter(finished_at=None)
    below = ("judge/", "practice/", "preferences/mine/", "preferences/topics/")
    return Tab("My topics", "my_topics", below, number_of_rows(own, "pool__task"))


def judging_tab(reader: Reader, task: Task) -> Tab | None:
    if not reader.organises:
        return None
    return Tab("Judging", "judging_progress", ("judging/", "preferences/", "practice/answers/"), _percent_judged(task))


def _percent_judged(task: Task) -> str:
    """Of the documents of all assignments, as the page of the progress counts them. Kept until somebody judges or assigns."""
    rows = with_last_act(Assignment.objects.filter(pool__task=task)).order_by("pk")
    state = list(rows.values_list("pk", "last", "handed_over_at"))
    if not state:
        return ""
    key = f"judging:percent:{task.pk}:{hashlib.sha256(str(state).encode()).hexdigest()}"
    return str(caches["bulk"].get_or_set(key, lambda: _counted_percent(task), timeout=KEPT_SECONDS))


def _counted_percent(task: Task) -> str:
    """Rounded down, so that 100 % is everything."""
    pools = pools_assigned(task)
    overall = task_overall(pools, shares_of(pools))
    return f"{100 * overall.judged // overall.total} %" if overall.total else ""


def qrels_tab(reader: Reader, task: Task) -> Tab:
    visible = Qrels.objects.all() if reader.organises else Qrels.objects.filter(published_at__isnull=False)
    newest = newest_of(visible, "version")
    return Tab("Qrels", "qrels_list", ("qrels/",), newest, as_version, hides_empty=not reader.organises)
