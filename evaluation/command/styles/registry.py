"""All styles, by the names of the option --style."""

from importlib import import_module
from typing import cast

from evaluation.command.arguments import StyleName
from evaluation.command.styles.declaration import Style


def style_of(name: StyleName) -> Style:
    """Load the one style that is asked for.

    >>> style_of("gdeval").digits
    5
    """
    return cast(Style, import_module(f"evaluation.command.styles.{name}").STYLE)
