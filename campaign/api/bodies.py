"""What a request sends: a field that is not known is refused, since whoever misspells one believes that it was heard."""

from collections.abc import Collection, Iterable
from typing import Any

from django.http import HttpRequest
from ninja import Schema
from pydantic import ConfigDict, model_validator


class UnknownFields(Exception):  # noqa: N818 - read as an outcome
    """The request sends what the operation does not take."""

    def __init__(self, unknown: Iterable[str], known: Iterable[str], noun: str = "field") -> None:
        super().__init__()
        self.unknown = list(unknown)
        self.known = list(known)
        self.noun = noun

    @property
    def message(self) -> str:
        if not self.known:
            return f"This operation takes no {self.noun}s."
        return f"There is no such {self.noun}. {self.noun.capitalize()}s: {', '.join(self.known)}."


class Body(Schema):
    """The base of everything that is sent as a body."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, values: Any) -> Any:
        if isinstance(values, dict):
            require_known(values, cls.model_fields)
        return values


def require_known(given: Iterable[str], known: Collection[str], noun: str = "field") -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise UnknownFields(unknown, known, noun)


def require_known_parts(request: HttpRequest, body: type[Body], files: Collection[str]) -> None:
    """The same for a form, of which the framework reads no other parts than those it knows."""
    require_known([*request.POST, *request.FILES], [*body.model_fields, *files])
