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


_cleanings: list[Callable[[], str]] = []


def clean_with(cleaning: Callable[[], str]) -> None:
    """Register what the daily cleaning does besides; it returns what it removed, for the report."""
    if cleaning not in _cleanings:
        _cleanings.append(cleaning)


def clean_all() -> list[str]:
    return [cleaning() for cleaning in _cleanings]
