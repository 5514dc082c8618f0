from django.db.models import Max

from campaign.models import Run, Task, Team

LAST_PRIORITY = 999


def next_priority(task: Task, team: Team) -> int:
    """The priority of a run that is sent without one: the next after those of the team's runs that count in the task."""
    last = Run.objects.counting().filter(task=task, team=team).aggregate(last=Max("priority"))["last"] or 0
    return min(last + 1, LAST_PRIORITY)
