"""Reading options of which each belongs to one style of output or to several, and explaining them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from campaign.command.options import OptionGroup, documented_names

STYLES = ("trec_eval", "ndeval", "gdeval")


class Options:
    """A parser that knows which option belongs to which style."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.parser = parser
        self._styles: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, str] = {}
        self._group: OptionGroup | None = None

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
