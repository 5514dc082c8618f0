"""The tabs of a task, in one line under its phase bar: where a reader may go, and how much is there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from campaign.collection.selectors.documents import document_count
from campaign.models import Run, Task, Topic
from campaign.navigation import Tab, as_version, in_thousands, newest_of, number_of_rows
from campaign.permissions import Reader
from evaluation.models import Leaderboard
from judging.judgments.selectors.own_documents import assignments_of
from judging.models import Qrels
from judging.progress.selectors.pool_share import pool_share
from pooling.models import Pool


def topics_tab(reader: Reader, task: Task) -> Tab:
    below = ("topics/", "topic-files/", "import/topics/")
    return Tab("Topics", "topic_list", below, number_of_rows(Topic.objects.all()))


def documents_tab(reader: Reader, task: Task) -> Tab | None:
    if not reader.reads_documents:
        return None
    below = ("documents/", "docnos/", "import/documents/")
    return Tab("Documents", "document_list", below, in_thousands(document_count(task)))


def runs_tab(reader: Reader, task: Task) -> Tab | None:
    """For organisers with the valid runs of all teams, for participants with those of their own."""
    if not (reader.organises or reader.takes_part):
        return None
    visible = Run.objects.all() if reader.organises else Run.objects.of_teams_of(reader.user)
    return Tab("Runs", "run_list", ("runs/", "check-runs/"), number_of_rows(visible.valid()))


def pools_tab(reader: Reader, task: Task) -> Tab | None:
    if not reader.organises:
        return None
    return Tab("Pool", "pool_list", ("pools/",), newest_of(Pool.objects.all(), "version"), as_version)


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


def scores_tab(reader: Reader, task: Task) -> Tab | None:
    return Tab("Scores", "score_board", ("scores/",)) if reader.organises else None


def boards_tab(reader: Reader, task: Task) -> Tab:
    """With the number of the newest board that the reader may see."""
    visible = Leaderboard.objects.of_visible_task(task, reader.user, organises=reader.organises)
    newest = newest_of(visible, "number")
    return Tab("Leaderboard", "leaderboard_latest", ("leaderboard/",), newest, hides_empty=not reader.organises)


TABS: tuple[Callable[[Reader, Task], Tab | None], ...] = (
    topics_tab,
    documents_tab,
    runs_tab,
    pools_tab,
    own_topics_tab,
    judging_tab,
    qrels_tab,
    scores_tab,
    boards_tab,
)
"""In their order. Each gives the tab as this reader may open it; None where they may not."""


@dataclass(frozen=True, slots=True)
class TabLink:
    """A tab in the line: `count` in words, and whether the reader is in it (`is_here`) or on its first page (`is_first`)."""

    name: str
    url: str
    count: str
    is_here: bool
    is_first: bool


def tab_links(reader: Reader, task: Task, path: str) -> Iterator[TabLink]:
    """The tabs that the reader may open; `path`: of the page that the reader is on."""
    tabs = [tab for tab_of in TABS if (tab := tab_of(reader, task)) is not None]
    home = task.get_absolute_url()
    counts = _counts(task, tabs)
    here = _tab_at(path.removeprefix(home), tabs) if path.startswith(home) else None
    yield TabLink("Overview", home, "", path == home, path == home)
    for tab in tabs:
        count = counts[tab.name]
        if count or not tab.hides_empty:
            url = task.url(tab.page)
            yield TabLink(tab.name, url, count, tab is here, path == url)


def _tab_at(inside: str, tabs: list[Tab]) -> Tab | None:
    """The tab whose beginning fits best: a page of one's own preferences is no page of everybody's."""
    fitting = [(len(begin), tab) for tab in tabs for begin in tab.below if inside.startswith(begin)]
    return max(fitting, key=lambda one: one[0])[1] if fitting else None


def _counts(task: Task, tabs: list[Tab]) -> dict[str, str]:
    asked = {tab.name: tab.count for tab in tabs if not isinstance(tab.count, str)}
    counts: dict[str, Any] = {}
    if asked:
        values = Task.objects.filter(pk=task.pk).values_list(*asked.values()).get()
        counts = dict(zip(asked, values, strict=True))
    return {tab.name: tab.count if isinstance(tab.count, str) else tab.in_words(counts[tab.name]) for tab in tabs}
