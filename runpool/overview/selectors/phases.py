"""The phases of a task as its phase bar shows them, each with the page on which the reader sees that phase."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from campaign.models import Task
from campaign.navigation import page_step
from campaign.permissions import Reader
from campaign.setup.selectors.schedule import run_window
from judging.progress.selectors.pool_share import told_share

COMING, CURRENT, DONE, LEFT_OPEN = "todo", "current", "done", "left-open"


@dataclass(frozen=True, slots=True)
class PhaseMark:
    """`url`: the reader's page of the phase, empty where they have none. `share`: how much of the pool is judged, in words."""

    label: str
    state: str
    deadline: datetime | None = None
    url: str = ""
    share: str = ""


def phase_marks(reader: Reader, task: Task, pages: Mapping[str, str] | None = None) -> list[PhaseMark]:
    """The phases in their order. `pages`: addresses by phase, as `phase_pages` finds them.

    Judging that has begun tells whoever may know how much of the pool is judged; once it is over, only if that is not all.
    """
    current = list(Task.PHASES).index(task.phase)
    deadline = run_window(task).deadline
    finished = task.phase == Task.PUBLISHED
    marks = []
    for position, (phase, label) in enumerate(Task.PHASES.items()):
        state = DONE if position < current or finished else CURRENT if position == current else COMING
        shown = deadline if phase == Task.RUNS and position >= current else None
        share = told_share(reader, task) if phase == Task.JUDGING and state != COMING else None
        is_left = state == DONE and phase == Task.JUDGING and share is not None and not share.is_whole
        words = share.in_words if share is not None and (is_left or state == CURRENT) else ""
        marks.append(PhaseMark(label, LEFT_OPEN if is_left else state, shown, (pages or {}).get(phase, ""), words))
    return marks


def phase_pages(reader: Reader, task: Task) -> dict[str, str]:
    """By phase, the address of the page that shows it to this reader; phases without a page for them are left out."""
    if reader.organises:
        names = {
            Task.SETUP: "task_edit",
            Task.RUNS: "run_list",
            Task.POOL: "pool_list",
            Task.JUDGING: "judging_progress",
            Task.SCORES: "score_board",
        }
    else:
        names = {Task.SETUP: "topic_list"}
        if reader.takes_part:
            names[Task.RUNS] = "run_list"
        if reader.assesses:
            names[Task.JUDGING] = "my_topics"
        elif task.phase == Task.PUBLISHED:
            names[Task.JUDGING] = "qrels_list"
    names[Task.PUBLISHED] = "leaderboard_latest"
    steps = {phase: page_step("", name, task) for phase, name in names.items()}
    return {phase: step.url for phase, step in steps.items() if step is not None}
