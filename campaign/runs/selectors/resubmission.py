from collections.abc import Sequence

from django.db.models import Exists, OuterRef

from campaign.models import Run, Task, Team, Visitor


def runs_to_resubmit(user: Visitor, task: Task) -> Sequence[Run]:
    """The valid runs in the round before of the user's teams that take part, without those whose tag this round has already."""
    if task.follows_id is None:
        return []
    there = Run.objects.counting().filter(task=task, tag=OuterRef("tag"))
    teams = Team.objects.taking_part(user, task.campaign)
    runs = Run.objects.valid().filter(task=task.follows_id, team__in=teams).exclude(Exists(there))
    return list(runs.select_related("team", "task__campaign").order_by("team__name", "priority", "tag"))
