"""What waits for a person in a task, counted, and the next step that follows. Phase bar, home page, pages of campaigns and cards
all have it from here."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from django.urls import reverse

from campaign.collection.selectors.todo import imports_to_confirm
from campaign.models import Campaign, Registration, Task, Team, User
from campaign.navigation import Step, Todo, page_step
from campaign.permissions import Reader
from campaign.runs.selectors.todo import runs_to_check_again, runs_to_mend
from campaign.setup.selectors.schedule import run_window
from campaign.teams.selectors.quotas import windows_with_room
from campaign.text.plurals import number_of
from evaluation.selectors.todo import scores_to_publish
from judging.preferences.selectors import preferences_to_judge
from judging.selectors.todo import judging_to_organise, pools_to_build, topics_to_judge
from runpool.overview.selectors.check_list import check_list, in_words, is_being_set_up, missing, with_readiness

TodosOf = Callable[[User, Sequence[Task]], Iterable[Todo]]
"""The number of its queries does not grow with tasks in which nothing waits."""

OF_ORGANISERS: tuple[TodosOf, ...] = (
    imports_to_confirm,
    runs_to_check_again,
    pools_to_build,
    judging_to_organise,
    scores_to_publish,
)
OF_ASSESSORS: tuple[TodosOf, ...] = (topics_to_judge, preferences_to_judge)
OF_PARTICIPANTS: tuple[TodosOf, ...] = (runs_to_mend,)
"""Each in the order of the work: what comes first is the next step."""

Work = dict[int, list[Todo]]
"""By task: what is next there, most urgent first."""


def next_steps(reader: Reader, tasks: Sequence[Task]) -> dict[int, list[Step]]:
    """By task of the reader's campaign: their own next steps, most urgent first; none leads where they may not go."""
    if _is_at_rest(reader, tasks):
        return {task.pk: _steps_of_visitor(reader, task) for task in tasks}
    work: list[Work] = []
    if isinstance(reader.user, User):
        if reader.organises:
            work.append(organiser_work(reader.user, tasks))
        if reader.assesses:
            work.append(_by_task(todos(OF_ASSESSORS, reader.user, tasks)))
        if reader.takes_part:
            work.append(participant_work(reader.user, tasks))
    steps = {task.pk: [todo.step for part in work for todo in part.get(task.pk, [])] for task in tasks}
    return {task.pk: steps[task.pk] or _steps_of_visitor(reader, task) for task in tasks}


def _is_at_rest(reader: Reader, tasks: Sequence[Task]) -> bool:
    """Nothing waits for anybody in an archived campaign, and in a closed one for organisers alone."""
    campaign = next((task.campaign for task in tasks), None)
    return campaign is not None and bool(campaign.archived_at or (campaign.closed_at and not reader.organises))


def organiser_work(user: User, tasks: Sequence[Task]) -> Work:
    """What waits for organisers; where nothing does, the step that the phase asks for. Nothing of what is published and done."""
    work = _by_task(todos(OF_ORGANISERS, user, tasks))
    quiet = [task.pk for task in tasks if task.pk not in work and task.phase != Task.PUBLISHED]
    for task in with_readiness(Task.objects.filter(pk__in=quiet)) if quiet else []:
        if step := _step_of_phase(task):
            work[task.pk] = [Todo(task, _situation(task), step, run_window(task).closes_at)]
    return work


def participant_work(user: User, tasks: Sequence[Task]) -> Work:
    """What waits for members of teams; `tasks` must be of campaigns in which the user takes part."""
    work = _by_task(todos(OF_PARTICIPANTS, user, tasks))
    for task, window in windows_with_room(user, [task for task in tasks if task.phase != Task.PUBLISHED]):
        step = Step("Upload a run", task.url("run_create"))
        work.setdefault(task.pk, []).append(Todo(task, "open for your runs", step, window.deadline))
    return work


def steps_of_campaign(reader: Reader, campaign: Campaign) -> list[Step]:
    """What waits in the campaign whatever the task."""
    decides = reader.organises and campaign.archived_at is None
    teams = campaign.registrations.filter(state=Registration.REQUESTED).count() if decides else 0
    return [deciding_step(campaign, teams)] if teams else []


def deciding_step(campaign: Campaign, teams: int) -> Step:
    """How organisers decide on the teams that have asked to take part."""
    page = reverse("registration_list", kwargs={"campaign_slug": campaign.slug})
    return Step(f"Decide on {number_of(teams, 'team')}", f"{page}?state={Registration.REQUESTED}")


def todos(lists: Sequence[TodosOf], user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    for todos_of in lists if tasks else ():
        yield from todos_of(user, tasks)


def _by_task(found: Iterable[Todo]) -> Work:
    work: Work = {}
    for todo in found:
        work.setdefault(todo.task.pk, []).append(todo)
    return work


def _steps_of_visitor(reader: Reader, task: Task) -> list[Step]:
    """What is left to do for somebody for whom nothing waits: to look at the results, or to take part."""
    if task.phase == Task.PUBLISHED:
        return _steps(page_step("See the leaderboard", "leaderboard_latest", task))
    if reader.organises or reader.assesses or reader.takes_part or not run_window(task).is_open:
        return []
    page = reverse("campaign_register", kwargs={"campaign_slug": task.campaign.slug})
    has_asked = task.campaign.registrations.filter(team__in=Team.objects.of(reader.user)).exists()
    return [Step("See your registration" if has_asked else "Register a team", page)]


def _steps(step: Step | None) -> list[Step]:
    return [step] if step else []


def _step_of_phase(task: Task) -> Step | None:
    """`task` must come from `with_readiness`."""
    if is_being_set_up(task):
        return missing(check_list(task))
    return {
        Task.RUNS: page_step("See the runs", "run_list", task),
        Task.POOL: page_step("See the pools", "pool_list", task),
        Task.JUDGING: page_step("See how judging goes", "judging_progress", task),
        Task.SCORES: page_step("Look at the scores", "score_board", task),
    }.get(task.phase)


def _situation(task: Task) -> str:
    if is_being_set_up(task):
        return f"being set up: {in_words(check_list(task))}"
    runs, teams = task.run_count, task.team_count  # type: ignore[attr-defined]  # annotated
    return {
        Task.RUNS: f"{number_of(runs, 'valid run')} of {number_of(teams, 'team')}",
        Task.POOL: "closed for runs; the pool is being frozen, or is frozen",
        Task.JUDGING: "being judged",
        Task.SCORES: "has scores to look at and to publish",
    }[task.phase]
