"""What moves a task on says so before it happens."""

import pytest
from django.utils import timezone

from campaign.models import Campaign, Task
from campaign.setup.selectors.phases import moves_on

PAST_TWO = "The task moves on from Runs to Scores; Pool and Judging are then marked as done."
PAST_ONE = "The task moves on from Runs to Judging; Pool is then marked as done."


@pytest.mark.parametrize(
    ("phase", "target", "told"),
    [
        (Task.RUNS, Task.SCORES, [PAST_TWO, "No more runs are taken."]),
        (Task.RUNS, Task.JUDGING, [PAST_ONE, "No more runs are taken."]),
        (Task.POOL, Task.JUDGING, ["The task moves on from Pool to Judging."]),
        (Task.SCORES, Task.SCORES, []),
        (Task.PUBLISHED, Task.SCORES, []),
    ],
)
def test_the_phases_that_are_passed_and_the_end_of_submissions_are_told(
    phase: str, target: str, told: list[str]
) -> None:
    assert moves_on(Task(phase=phase, campaign=Campaign(opened_at=timezone.now())), target) == told
