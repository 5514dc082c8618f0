"""Kinds of values that come in: what a database cannot hold or look for is refused before it gets there."""

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import Annotated, Any

from ninja import Field
from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticCustomError

from campaign.formats.moments import MomentError, read_day, read_moment

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


def _read_by(read: Callable[[object], Any]) -> BeforeValidator:
    def checked(value: Any) -> Any:
        try:
            return None if value is None else read(value)
        except MomentError as problem:
            raise PydanticCustomError("moment", "{problem}", {"problem": str(problem)}) from None

    return BeforeValidator(checked)


Moment = Annotated[datetime, _read_by(read_moment)]
Day = Annotated[date, _read_by(read_day)]
Text = Annotated[str, AfterValidator(_storable)]
Slug = Annotated[str, Field(min_length=1, max_length=50), AfterValidator(_storable)]
