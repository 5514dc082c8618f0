"""Runs in the line of a task's rooms."""

from campaign.models import Run, Task
from campaign.permissions import Reader
from campaign.rooms import Room, number_of_rows


def runs_room(reader: Reader, task: Task) -> Room | None:
    """For organisers with the valid runs of all teams, for participants with those of their own."""
    if not (reader.organises or reader.takes_part):
        return None
    visible = Run.objects.all() if reader.organises else Run.objects.of_teams_of(reader.user)
    return Room("Runs", "run_list", ("runs/", "check-runs/"), number_of_rows(visible.valid()))
