"""Reading and explaining options, the same way in every program."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

OptionGroup: TypeAlias = "argparse._ArgumentGroup"
"""What `add_argument_group` returns. argparse has no public name for it; the check of types fails where this one goes."""
HELP_WIDTH = 110
END_OF_OPTIONS = "--"


class Help(argparse.RawDescriptionHelpFormatter):
    """Shows of each option its short name and its first long one; the others are those of other programs.

    argparse has no public way to leave names out.

    >>> parser = argparse.ArgumentParser(formatter_class=Help)
    >>> _ = parser.add_argument("-n", "--depth", "--cutoff", metavar="N", help="ranks to read")
    >>> print(parser.format_help().splitlines()[-1])
      -n, --depth N  ranks to read
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32, width=HELP_WIDTH)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        value = "" if action.nargs == 0 else f" {action.metavar}"
        return ", ".join(documented_names(action)) + value


def read_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """What the words say, with options and other words in any order; what follows `--` is no option, whatever it begins with.

    `parse_intermixed_args` reads the words twice and has dropped `--` by the second time.

    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--seed"), parser.add_argument("runs", nargs="+")
    >>> read_options(parser, ["bm25", "--seed", "7", "--", "-x", "--seed"])
    Namespace(seed='7', runs=['bm25', '-x', '--seed'])
    """
    end = words.index(END_OF_OPTIONS) if END_OF_OPTIONS in words else len(words)
    later = words[end + 1 :]
    # No word of a command line holds a NUL: such stand-ins look like no option and like no other word.
    meant = {f"\0{place}": word for place, word in enumerate(later)}
    given = parser.parse_intermixed_args([*words[:end], *meant])
    return argparse.Namespace(**{name: _meant(value, meant) for name, value in vars(given).items()})


def _meant(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_meant(part, words) for part in value]
    return words.get(value, value) if isinstance(value, str) else value


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
