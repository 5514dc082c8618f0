"""Reading and explaining options, the same way in every program."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

HELP_WIDTH = 110


class Help(argparse.RawDescriptionHelpFormatter):
    """Shows of each option its short name and its first long one; the others are those of other programs."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32, width=HELP_WIDTH)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        value = "" if action.nargs == 0 else f" {action.metavar}"
        return ", ".join(documented_names(action)) + value


def documented_names(action: argparse.Action) -> Sequence[str]:
    """Give the short name, if there is one, and the first long one."""
    first_long = next(place for place, name in enumerate(action.option_strings) if name.startswith("--"))
    return action.option_strings[: first_long + 1]


def number(kind: Callable[[str], float], low: float, high: float | None = None) -> Callable[[str], float]:
    """Give a reader of numbers from `low` to `high`."""
    noun = "a whole number" if kind is int else "a number"
    expected = f"{noun} from {low:g}" + ("" if high is None else f" to {high:g}")

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected {expected}, not {text}") from None
        if not low <= value <= (sys.float_info.max if high is None else high):
            raise argparse.ArgumentTypeError(f"expected {expected}, not {text}")
        return value

    return read
