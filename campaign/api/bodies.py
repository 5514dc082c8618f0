"""What a request sends: a field that is not known is refused, since whoever misspells one believes that it was heard."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.http import HttpRequest
from ninja import Field, Schema
from pydantic import ConfigDict, JsonValue, model_validator


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


class Unconfirmed(Exception):  # noqa: N818 - read as an outcome
    """What is asked for has consequences, in words, that the request does not confirm."""

    def __init__(self, consequences: Iterable[str]) -> None:
        super().__init__()
        self.consequences = list(consequences)


class ChangedMeanwhile(Exception):  # noqa: N818 - read as an outcome
    """What is to be changed is not what the sender had read. `now`: the texts that are others now, by field."""

    def __init__(self, by: str, sha256: str, now: Mapping[str, str]) -> None:
        super().__init__()
        self.by, self.sha256, self.now = by, sha256, now


MAY_CONFLICT: dict[str, JsonValue] = {"x-may-conflict": True}
"""Marks a field by which an operation may answer 409."""


class ToConfirm(Body):
    """The base of bodies of operations for which the page asks before it acts."""

    confirm: bool = Field(
        False,
        description="true: do it. Otherwise the answer is 409 where there are consequences, and names them.",
        json_schema_extra=MAY_CONFLICT,
    )

    def require(self, consequences: Iterable[str]) -> None:
        if not self.confirm:
            raise Unconfirmed(consequences)


def require_known(given: Iterable[str], known: Collection[str], noun: str = "field") -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise UnknownFields(unknown, known, noun)


def require_known_parts(request: HttpRequest, body: type[Body], files: Collection[str]) -> None:
    """The same for a form, of which the framework reads no other parts than those it knows."""
    require_known([*request.POST, *request.FILES], [*body.model_fields, *files])
