"""What moves a task on says so before it happens."""

import pytest
from django.utils import timezone

from campaign.models import Campaign, Task
from campaign.setup.selectors.phases import moves_on, phase_consequences
from tests.factories import Cast

PAST_TWO = "The task moves on from Runs to Scores; Pool and Judging are then marked as done."
PAST_ONE = "The task moves on from Runs to Judging; Pool is then marked as done."


@pytest.mark.parametrize(
    ("phase", "target", "told"),
    [
        (Task.RUNS, Task.SCORES, [PAST_TWO, "No more runs are taken."]),
        (Task.RUNS, Task.JUDGING, [PAST_ONE]),
        (Task.POOL, Task.JUDGING, ["The task moves on from Pool to Judging."]),
        (Task.SETUP, Task.SCORES, []),
        (Task.SCORES, Task.SCORES, []),
        (Task.PUBLISHED, Task.SCORES, []),
    ],
)
def test_the_phases_that_are_passed_and_the_end_of_submissions_are_told(
    phase: str, target: str, told: list[str]
) -> None:
    assert moves_on(Task(phase=phase, campaign=Campaign(opened_at=timezone.now())), target) == told


@pytest.mark.django_db
def test_opening_a_task_of_a_draft_says_that_no_team_can_upload_yet(cast: Cast) -> None:
    cast.task.phase = Task.SETUP
    draft = "The campaign is a draft: no team can register or upload before you open it as well."
    assert draft not in phase_consequences(cast.task, Task.RUNS)
    cast.task.campaign.opened_at = None
    assert draft in phase_consequences(cast.task, Task.RUNS)


@pytest.mark.django_db
def test_phases_that_are_passed_read_as_a_list(cast: Cast) -> None:
    cast.task.phase = Task.SETUP
    [first, *_] = moves_on(cast.task, Task.PUBLISHED)
    assert (
        first == "The task moves on from Set-up to Published; Runs, Pool, Judging and Scores are then marked as done."
    )
