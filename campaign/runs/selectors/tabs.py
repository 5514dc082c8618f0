"""Runs among the tabs of a task."""

from campaign.models import Run, Task
from campaign.navigation import Tab, number_of_rows
from campaign.permissions import Reader


def runs_tab(reader: Reader, task: Task) -> Tab | None:
    """For organisers with the valid runs of all teams, for participants with those of their own."""
    if not (reader.organises or reader.takes_part):
        return None
    visible = Run.objects.all() if reader.organises else Run.objects.of_teams_of(reader.user)
    return Tab("Runs", "run_list", ("runs/", "check-runs/"), number_of_rows(visible.valid()))
