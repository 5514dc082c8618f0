"""Kinds of values that come in: what a database cannot hold or look for is refused before it gets there."""

import re
from collections.abc import Iterable
from typing import Annotated, Any

from ninja import Field
from pydantic import AfterValidator

LARGEST = 2**31 - 1
HALF = re.compile("[\ud800-\udfff]")


def one_of(choices: Iterable[str], description: str = "") -> Any:
    """A text of an answer that is one of these: the document enumerates them as the models know them."""
    return Field(description=description or None, json_schema_extra={"enum": list(choices)})


def _storable(value: str) -> str:
    if "\0" in value:
        raise ValueError("A NUL character cannot stand here.")
    if not value.isascii() and HALF.search(value):
        raise ValueError("Half a character (a lone surrogate) cannot stand here.")
    return value


Text = Annotated[str, AfterValidator(_storable)]
Slug = Annotated[str, Field(min_length=1, max_length=50), AfterValidator(_storable)]
