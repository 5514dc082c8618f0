"""The consequences of moving a task to another phase by hand."""

from dataclasses import dataclass

from campaign.models import Campaign, Run, Task
from campaign.navigation import Step, page_step
from campaign.setup.selectors.rounds import why_not_open
from campaign.setup.selectors.schedule import when_runs_are_refused, when_runs_are_taken
from campaign.text.plurals import listed, number_of

ORDER = list(Task.PHASES)
BY_ITSELF = {
    Task.JUDGING: ("comes when a pool is frozen", "Build the pool", "pool_create"),
    Task.SCORES: ("comes when qrels are released or imported", "Release qrels", "qrels_list"),
    Task.PUBLISHED: (
        "comes when a leaderboard is published to everybody, with names",
        "Look at the scores",
        "score_board",
    ),
}


NO_TOPICS = "There are no topics yet: runs are checked again, with their topic numbers, when topics are imported."


@dataclass(frozen=True, slots=True)
class Way:
    phase: str
    label: str
    is_current: bool
    is_back: bool
    note: str = ""
    step: Step | None = None


def is_back(task: Task, phase: str) -> bool:
    return ORDER.index(phase) < ORDER.index(task.phase)


def phase_ways(task: Task) -> list[Way]:
    return [_way(task, phase) for phase in ORDER]


def _way(task: Task, phase: str) -> Way:
    label, current, back = Task.PHASES[phase], phase == task.phase, is_back(task, phase)
    if current or back or phase not in BY_ITSELF:
        return Way(phase, label, current, back)
    note, verb, page = BY_ITSELF[phase]
    return Way(phase, label, current, back, note, page_step(verb, page, task))


def phase_consequences(task: Task, phase: str) -> list[str]:
    lines = _back_lines(task, phase) if is_back(task, phase) else _forward_lines(task, phase)
    return [*lines, "The change is logged with your name and the time."]


def opening_consequences(campaign: Campaign, asked: Task | None = None) -> list[str]:
    """What opening the campaign, a draft so far, shows to whom. `asked`: the task of which the form asks by itself."""
    drafts = [task for task in campaign.tasks.filter(phase=Task.SETUP) if task != asked]
    return [
        "Everybody can read the campaign page: title, call and schedule.",
        "Teams can register for it.",
        *(f"The task {task} becomes visible, with its topics." for task in campaign.tasks.exclude(phase=Task.SETUP)),
        *(f"The task {task} stays hidden until you open it as well." for task in drafts),
        "An open campaign cannot be made a draft again.",
    ]


def task_to_open_with(campaign: Campaign) -> Task | None:
    """The first task of a draft, where it is in its set-up and lacks nothing: it can be opened by the same press."""
    first = campaign.tasks.order_by("pk").first()
    return first if first is not None and first.phase == Task.SETUP and not _warnings(first) else None


def is_moved_on(task: Task, phase: str) -> bool:
    """Whether freezing, releasing, importing or publishing moves the task to `phase`. Qrels that are there first open no task."""
    if task.phase == Task.SETUP and phase == Task.SCORES:
        return False
    return ORDER.index(task.phase) < ORDER.index(phase)


def moves_on(task: Task, phase: str) -> list[str]:
    """Tell who is about to freeze, release, import or publish that this moves the task on to `phase`; nothing if it does not."""
    if not is_moved_on(task, phase):
        return []
    skipped = [Task.PHASES[passed] for passed in ORDER[ORDER.index(task.phase) + 1 : ORDER.index(phase)]]
    marked = f"; {listed(skipped)} {'are' if len(skipped) > 1 else 'is'} then marked as done" if skipped else ""
    lines = [f"The task moves on from {Task.PHASES[task.phase]} to {Task.PHASES[phase]}{marked}."]
    if task.phase == Task.SETUP:
        lines.append(_shown_to_all(task))
    if task.phase == Task.RUNS and phase == Task.SCORES:
        lines.append(when_runs_are_refused(task))  # freezing and publishing close the uploads: `uploads_end` says how
    return lines


def _shown_to_all(task: Task) -> str:
    seen_by = "everybody" if task.campaign.opened_at else "everybody as soon as the campaign is open"
    return f"The task, its guidelines and {number_of(task.topics.count(), 'topic')} are shown to {seen_by}."


def _forward_lines(task: Task, phase: str) -> list[str]:
    lines = []
    if task.phase == Task.SETUP:
        lines += [_shown_to_all(task), *_warnings(task)]
    if phase == Task.RUNS:
        lines.append(when_runs_are_taken(task))
        if task.campaign.opened_at is None:
            lines.append("The campaign is a draft: no team can register or upload before you open it as well.")
    elif phase in BY_ITSELF:
        lines.append(
            f"Usually this phase {BY_ITSELF[phase][0]}. Entering it by hand makes no pool, qrels or leaderboard."
        )
    if phase != Task.RUNS:
        lines.append(when_runs_are_refused(task))
    return lines


def _back_lines(task: Task, phase: str) -> list[str]:
    lines = ["Nothing is deleted: runs, pools, judgments, qrels and published leaderboards stay as they are."]
    if phase == Task.SETUP:
        count = Run.objects.filter(task=task).counting().count()
        runs = f"{number_of(count, 'run')} {'stays' if count == 1 else 'stay'} with it"
        lines.append(f"The task disappears for everybody but organisers and assessors; {runs}.")
    elif phase == Task.RUNS:
        lines.append(when_runs_are_taken(task))
        lines.append("Runs that come in now are in no pool that is frozen already.")
        if task.qrels_known_at is not None and task.round_kind != Task.DEVELOPMENT:
            lines.append(
                "Participants can see the qrels: runs that come in now are marked “after the qrels” and never rank."
            )
    return lines


def _warnings(task: Task) -> list[str]:
    lines = []
    if problem := why_not_open(task):
        lines.append(problem)
    if not task.topics.exists():
        lines.append(NO_TOPICS)
    if task.collection_id is None and task.docno_policy == Task.KNOWN:
        lines.append("There are no documents yet: document numbers in runs cannot be checked.")
    return lines
