"""Template tags and filters that every page has without loading them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.html import format_html

from campaign.formats.topics.write import FILES
from campaign.models import Campaign, Run, Task, Visitor
from campaign.models.fields import zone_named
from campaign.navigation import TaskWarning
from campaign.permissions import Reader
from campaign.runs.selectors.progress import counted_problems, shown_problems
from campaign.setup.selectors.schedule import RunWindow, run_window
from evaluation.boards.audiences import PUBLIC
from evaluation.selectors.results import ListedScores
from evaluation.selectors.results import listed_scores as listed_scores_of
from judging.models import Qrels
from judging.progress.selectors.pool_share import PoolShare, pool_share, released_share, told_share
from runpool.overview.selectors.check_list import MISSING, is_being_set_up, with_readiness
from runpool.overview.selectors.check_list import check_list as checks_of
from runpool.overview.selectors.phases import COMING, CURRENT, DONE, LEFT_OPEN, phase_marks, phase_pages
from runpool.overview.tabs import tab_links
from runpool.overview.todo import next_steps, steps_of_campaign
from runpool.overview.warnings import warnings_of

register = template.Library()
SIGNIFICANT = 0.05
"""The level of the tests on boards: a p-value is written so that one sees on which side of it it lies."""
PHASE_MARKS = {
    DONE: {"tone": "good", "word": "done"},
    LEFT_OPEN: {"tone": "warning", "word": "over, but not done"},
    CURRENT: {"tone": "current", "word": "now"},
    COMING: {"tone": "waiting", "word": "to come"},
}
"""The shape of a phase, and what it says to screen readers."""


@register.simple_tag
def task_url(name: str, task: Task, **kwargs: Any) -> str:
    """The address of a page below a task: {% task_url "run_list" task %}."""
    return task.url(name, **kwargs)


@register.inclusion_tag("_phase_bar.html", takes_context=True)
def phase_bar(
    context: Context, task: Task, of_board: bool = False, has_own_step: bool | None = False, warns: bool = True
) -> dict[str, Any]:
    """Where the task stands, the reader's next steps but those of this page, and the tabs; on every page of the task.

    A page `of_board` shows no phases once the last is done: there the board comes first. A page that `has_own_step`, as those of
    an import and of a job in progress, names no other. One that does not warn here shows `task_warnings` elsewhere.
    """
    request = context["request"]
    reader = Reader.of(request.user, task.campaign)
    phases = [
        {
            "label": mark.label,
            "state": mark.state,
            "url": mark.url,
            "is_here": request.path == mark.url,
            "note": mark.share or _countdown(mark.deadline, task),
            **PHASE_MARKS[mark.state],
        }
        for mark in phase_marks(reader, task, phase_pages(reader, task))
    ]
    if of_board and phases[-1]["state"] == DONE:
        phases = []
    steps = [] if has_own_step else [*steps_of_campaign(reader, task.campaign), *next_steps(reader, [task])[task.pk]]
    elsewhere = [step for step in steps if not request.path.startswith(step.url.partition("?")[0])]
    return {
        "campaign": task.campaign,
        "organises": reader.organises,
        "phases": phases,
        "next_step": next(iter(elsewhere), None),
        "also": elsewhere[1:],
        "tabs": list(tab_links(reader, task, request.path)),
        "warnings": list(warnings_of(task)) if reader.organises and warns else [],
    }


@register.simple_tag(takes_context=True)
def task_warnings(context: Context, task: Task) -> list[TaskWarning]:
    """For organisers: the states of the task that contradict each other: {% task_warnings task as warnings %}."""
    return list(warnings_of(task)) if Reader.of(context["request"].user, task.campaign).organises else []


@register.inclusion_tag("runpool/overview/_check_list.html")
def check_list(task: Task) -> dict[str, Any]:
    """For organisers: what the task needs before it is open. Nothing once it is open: {% check_list task %}."""
    checks = []
    if task.campaign.archived_at is None and is_being_set_up(task):
        checks = checks_of(with_readiness(Task.objects.filter(pk=task.pk)).get())
    return {"checks": checks, "missing": sum(check.state == MISSING for check in checks)}


@register.inclusion_tag("runpool/overview/_later_card.html")
def later_card(title: str, task: Task, card: str, page: str) -> dict[str, str]:
    """A card of a later app on the page of a task: fetched from the address named `card`; its heading leads to `page`."""
    return {"title": title, "card_url": task.url(card), "page_url": task.url(page)}


@register.simple_tag(takes_context=True)
def listed_scores(context: Context, task: Task) -> ListedScores | None:
    """The scores of a task's runs by the newest leaderboard that the reader sees: {% listed_scores task as scores %}."""
    return listed_scores_of(context["request"].user, task)


@register.filter
def score_in(run: Run, scores: ListedScores) -> str:
    """The score of a run that counts: {{ run|score_in:scores }}; "" where it has none."""
    return scores.by_run.get(run.pk, "") if run.state == Run.VALID else ""


@register.inclusion_tag("campaign/collection/_topic_files.html")
def topic_files(task: Task) -> dict[str, Any]:
    """Links to the task's topics in every format: {% topic_files task %}."""
    return {"task": task, "files": FILES.values()}


register.filter(run_window)
register.filter(pool_share)


@register.filter
def share_graded_by(qrels: Qrels, preview: str = "") -> PoolShare | None:
    """What a board says of the pool that its qrels grade: {{ qrels|share_graded_by:preview }}, with the audience of a preview."""
    return released_share(qrels, will_be_public=preview == PUBLIC)


@register.filter
def share_told_to(task: Task, user: Visitor) -> PoolShare | None:
    """What this reader may know of the share of the pool that is judged: {{ task|share_told_to:user }}."""
    return told_share(Reader.of(user, task.campaign), task)


@register.inclusion_tag("_deadline.html")
def deadline(at: datetime, campaign: Campaign) -> dict[str, Any]:
    """A date and time in the campaign's own zone: {% deadline window.deadline campaign %}."""
    return {"at": at, "tz": zone_named(campaign.time_zone), "zone": campaign.time_zone}


@register.inclusion_tag("_uploads_end.html")
def uploads_end(window: RunWindow, campaign: Campaign, named: str = "") -> dict[str, Any]:
    """The deadline, `named` so, or what closed the uploads: {% uploads_end window campaign "deadline" %}."""
    return {"window": window, "campaign": campaign, "named": named}


@register.inclusion_tag("_countdown.html")
def countdown(at: datetime) -> dict[str, Any]:
    return {"at": at}


def _countdown(deadline: datetime | None, task: Task) -> str:
    if deadline is None:
        return ""
    there = deadline.astimezone(zone_named(task.campaign.time_zone))
    return format_html(
        '{} <time datetime="{}" data-countdown>{} {}</time>',
        "closes" if timezone.now() < deadline else "closed",
        deadline.isoformat(),
        there.strftime("%-d %b %H:%M"),
        task.campaign.time_zone,
    )


@register.filter
def counted(found: Run | Mapping[str, Any], severity: str) -> str:
    """The findings of a check or an import, then their places: {{ problems|counted:"warning" }} is "1 warning on 9 lines"."""
    return counted_problems(shown_problems(found) if isinstance(found, Run) else found, severity)


@register.filter
def score(value: float | None) -> str:
    """A score as tables print it: four decimals, an en dash for none."""
    return "–" if value is None else f"{value:.4f}"


@register.filter
def thousands(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


@register.filter
def p_value(value: float) -> str:
    """A p-value as papers print it: three decimals, no leading zero; more where rounding would make it the level of .05.

    >>> p_value(0.0321), p_value(0.05004), p_value(0.04996), p_value(0.05)
    ('.032', '.05004', '.04996', '.050')
    """
    if value < 0.001:
        return "< .001"
    text = f"{value:.3f}"
    for decimals in range(4, 10):
        if float(text) != SIGNIFICANT or value == SIGNIFICANT:
            break
        text = f"{value:.{decimals}f}"
    return text.removeprefix("0")
