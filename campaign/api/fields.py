"""Kinds of values that come in: what a database cannot hold or look for is refused before it gets there."""

from typing import Annotated

from ninja import Field
from pydantic import AfterValidator

LARGEST = 2**31 - 1


def _no_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("A NUL character cannot stand here.")
    return value


Text = Annotated[str, AfterValidator(_no_nul)]
Slug = Annotated[str, Field(min_length=1, max_length=50), AfterValidator(_no_nul)]
