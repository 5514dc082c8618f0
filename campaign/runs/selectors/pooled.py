"""Which pools a run is in, for its page.

Pools belong to a later app, which this one does not import: that app registers its reader here when it starts.
"""

from collections.abc import Callable

from campaign.models import Run

Reader = Callable[[Run], list[str]]
"""Returns sentences about the frozen pools and this run."""

_readers: list[Reader] = []


def tell_pools_with(reader: Reader) -> None:
    _readers[:] = [reader]


def pools_in_words(run: Run) -> list[str]:
    return [line for reader in _readers for line in reader(run)]
