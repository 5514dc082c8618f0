"""Pools among the tabs of a task."""

from campaign.models import Task
from campaign.navigation import Tab, as_version, newest_of
from campaign.permissions import Reader
from pooling.models import Pool


def pools_tab(reader: Reader, task: Task) -> Tab | None:
    if not reader.organises:
        return None
    return Tab("Pool", "pool_list", ("pools/",), newest_of(Pool.objects.all(), "version"), as_version)
