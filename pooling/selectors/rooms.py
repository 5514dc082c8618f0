"""Pools in the line of a task's rooms."""

from campaign.models import Task
from campaign.permissions import Reader
from campaign.rooms import Room, as_version, newest_of
from pooling.models import Pool


def pools_room(reader: Reader, task: Task) -> Room | None:
    if not reader.organises:
        return None
    return Room("Pool", "pool_list", ("pools/",), newest_of(Pool.objects.all(), "version"), as_version)
