"""What the sweep does besides sending jobs again: later apps register what of theirs may have been lost."""

from collections.abc import Callable

_sweeps: list[Callable[[], int]] = []


def sweep_with(sweep: Callable[[], int]) -> None:
    """Register a function that the sweep calls every minute; it returns how much it has asked for again."""
    if sweep not in _sweeps:
        _sweeps.append(sweep)


def sweep_all() -> None:
    for sweep in _sweeps:
        sweep()
