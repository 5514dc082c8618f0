"""Judging and qrels among the tabs of a task."""

from campaign.models import Task
from campaign.navigation import Tab, as_version, newest_of, number_of_rows
from campaign.permissions import Reader
from judging.judgments.selectors.own_documents import assignments_of
from judging.models import Qrels
from judging.progress.selectors.pool_share import pool_share


def own_topics_tab(reader: Reader, task: Task) -> Tab | None:
    """For assessors, with the number of topics that are left to them."""
    if not reader.assesses or not reader.user.is_authenticated:
        return None
    own = assignments_of(reader.user).filter(finished_at=None)
    below = ("judge/", "practice/", "preferences/mine/", "preferences/topics/")
    return Tab("My topics", "my_topics", below, number_of_rows(own, "pool__task"))


def judging_tab(reader: Reader, task: Task) -> Tab | None:
    """For organisers, with the share of the pool that is judged, as every page and the API tell it."""
    if not reader.organises:
        return None
    share = pool_share(task)
    below = ("judging/", "preferences/", "practice/answers/")
    return Tab("Judging", "judging_progress", below, f"{share.percent} %" if share else "")


def qrels_tab(reader: Reader, task: Task) -> Tab:
    visible = Qrels.objects.all() if reader.organises else Qrels.objects.filter(published_at__isnull=False)
    newest = newest_of(visible, "version")
    return Tab("Qrels", "qrels_list", ("qrels/",), newest, as_version, hides_empty=not reader.organises)
