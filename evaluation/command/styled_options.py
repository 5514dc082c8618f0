"""Reading options of which each belongs to one style of output or to several, and explaining them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

STYLES = ("trec_eval", "ndeval", "gdeval")
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


class Options:
    """A parser that knows which option belongs to which style."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.parser = parser
        self._styles: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, str] = {}
        self._group: argparse._ArgumentGroup | None = None

    def group(self, title: str) -> None:
        self._group = self.parser.add_argument_group(title)

    def add(self, *names: str, styles: Sequence[str] = STYLES, **settings: Any) -> None:
        """Add an option to the group. It is a switch unless it has a metavar; those not given are None."""
        if "metavar" not in settings:
            settings = {"action": "store_const", "const": True, **settings}
        action = (self._group or self.parser).add_argument(*names, default=None, **settings)
        self._styles[action.dest] = tuple(styles)
        self._names[action.dest] = " or ".join(documented_names(action))

    def check(self, given: dict[str, Any], style: str) -> None:
        """End with an error where an option was given that the style has no use for."""
        for dest, styles in self._styles.items():
            if dest in given and style not in styles:
                where = " and ".join(f"--style {name}" for name in styles)
                self.parser.error(
                    f"{self._names[dest]} has no meaning with --style {style}: it belongs to {where}. "
                    f"Leave it out, or write {where.replace(' and ', ' or ')}."
                )


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
