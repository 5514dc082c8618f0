"""The tabs of a task, in one line under its phase bar: where a reader may go, and how much is there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from campaign.collection.selectors.tabs import documents_tab, topics_tab
from campaign.models import Task
from campaign.navigation import Tab
from campaign.permissions import Reader
from campaign.runs.selectors.tabs import runs_tab
from evaluation.selectors.tabs import boards_tab, scores_tab
from judging.selectors.tabs import judging_tab, own_topics_tab, qrels_tab
from pooling.selectors.tabs import pools_tab

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
