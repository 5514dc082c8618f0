"""How the exceptions of an operation become problems."""

import logging
import math
from collections.abc import Iterable
from typing import Any, NoReturn

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation, ValidationError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja import errors as ninja_errors

from campaign.api.bodies import ChangedMeanwhile, Unconfirmed, UnknownFields
from campaign.api.problems import CHANGED_MEANWHILE, FieldError, problem, refused
from campaign.formats.json_values import SHOWN, RepeatedKeyError, TooManyValuesError
from campaign.formats.problems import visible
from campaign.storage.interface import StorageAwayError, storage_is_away
from campaign.storage.quarantine import DamagedFileError
from campaign.storage.room import NoRoomError

CHALLENGE = {"WWW-Authenticate": 'Bearer realm="Runpool API"'}
LONGEST_TOLD = 2_000
MOST_TOLD = 100
"""Faults of a request that are named: the sentence of each is a hundred times as long as what was sent there."""
WORDS = {"missing": "This is missing."}
REPEATED = "This key stands more than once in one object. Keep one of them."
BROKEN_OFF = "The request ended before all of it had arrived, and nothing was stored. Send it again."


logger = logging.getLogger(__name__)


class Unauthenticated(Exception):  # noqa: N818 - read as an outcome
    """No token where one is needed, or one that does not work."""


def add_handlers(api: NinjaAPI) -> None:
    handlers: dict[type[Exception], Any] = {
        Exception: _unforeseen,
        Unauthenticated: lambda request, error: problem(request, 401, str(error), headers=CHALLENGE),
        ninja_errors.Throttled: _throttled,
        ninja_errors.HttpError: _http_error,
        ninja_errors.ValidationError: _invalid,
        UnknownFields: _unknown,
        Unconfirmed: _unconfirmed,
        ChangedMeanwhile: _changed_meanwhile,
        NoRoomError: lambda request, error: problem(request, 507),
        ValidationError: refused,
        StorageAwayError: lambda request, error: problem(request, 503, str(error), headers={"Retry-After": "60"}),
        OSError: _closed,
        DamagedFileError: lambda request, error: problem(request, 503, str(error)),
        PermissionDenied: lambda request, error: problem(request, 403, str(error)),
        Http404: lambda request, error: problem(request, 404),
        RequestDataTooBig: lambda request, error: problem(request, 413),
        SuspiciousOperation: lambda request, error: problem(request, 400),
        BadRequest: lambda request, error: problem(request, 400),
        MultiPartParserError: lambda request, error: problem(request, 400, BROKEN_OFF),
        UnreadablePostError: lambda request, error: problem(request, 400, BROKEN_OFF),
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)


def _closed(request: HttpRequest, error: OSError) -> HttpResponse:
    """A folder of the site, closed to its own user or only to be read: as good as a storage that does not answer."""
    if not storage_is_away(error):
        raise error
    logger.warning("storage: %s", error)
    return problem(request, 503, str(StorageAwayError(str(error))), headers={"Retry-After": "60"})


def _throttled(request: HttpRequest, error: ninja_errors.Throttled) -> HttpResponse:
    return problem(request, 429, headers={"Retry-After": str(max(1, math.ceil(error.wait or 1)))})


def _unforeseen(_request: HttpRequest, error: Exception) -> NoReturn:
    raise error  # logged by Django; the middleware makes the answer


def _http_error(request: HttpRequest, error: ninja_errors.HttpError) -> HttpResponse:
    if isinstance(error.__cause__, TooManyValuesError):
        return problem(request, 413, f"The body holds {error.__cause__}. Send less at once.")
    if isinstance(error.__cause__, RepeatedKeyError):
        errors = [FieldError(field=visible(place, SHOWN), message=REPEATED) for place in error.__cause__.places]
        return problem(request, 400, f"{error.__cause__}.", errors)
    return problem(request, error.status_code)


def errors_of(contexts: Iterable[Any]) -> ninja_errors.ValidationError:
    """The faults of a request as the framework tells them, without the values that were sent; the first hundred and a count."""
    told, count = [], 0
    for context in contexts:
        found, model = context.pydantic_validation_error, context.model
        count += found.error_count()
        # ninja has no public names for where a value came from, and under which name a request gives it.
        for error in found.errors(include_url=False, include_context=False, include_input=False)[:MOST_TOLD]:
            place = model.__ninja_flatten_map_reverse__.get(error["loc"], error["loc"])
            told.append({**error, "loc": (model.__ninja_param_source__, *place)})
    rest = count - len(told[:MOST_TOLD])
    more = [{"type": "more", "loc": ("",), "msg": f"{rest:,} more places are wrong"}] if rest else []
    return ninja_errors.ValidationError([*told[:MOST_TOLD], *more])


def _invalid(request: HttpRequest, error: ninja_errors.ValidationError) -> HttpResponse:
    errors = [FieldError(field=_field(detail["loc"]), message=_message(detail)) for detail in error.errors]
    return problem(request, 422, errors=errors)


def _unknown(request: HttpRequest, error: UnknownFields) -> HttpResponse:
    names = [visible(name) for name in error.unknown[:MOST_TOLD]]
    rest = len(error.unknown) - len(names)
    named = ", ".join(names) + (f" and {rest:,} more" if rest else "")
    return problem(
        request, 400, f"{named}: {error.message}", [FieldError(field=name, message=error.message) for name in names]
    )


def _unconfirmed(request: HttpRequest, asked: Unconfirmed) -> HttpResponse:
    return problem(request, 409, errors=[FieldError(field="confirm", message=line) for line in asked.consequences])


def _changed_meanwhile(request: HttpRequest, changed: ChangedMeanwhile) -> HttpResponse:
    kind = CHANGED_MEANWHILE
    errors = [FieldError(field="seen_sha256", message=f"The SHA-256 of the texts is now {changed.sha256}.")]
    errors += [FieldError(field=name, message=f"The text is now: {_cut(text)}") for name, text in changed.now.items()]
    detail = f"{changed.by} changed these texts after you read them. {kind.remedy}"
    return problem(request, kind.status, detail, errors, kind=kind)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TOLD else f"{text[:LONGEST_TOLD]} …"


def _field(place: tuple[object, ...]) -> str:
    """The path of the field, without the framework's prefixes: the source, and the argument for a body."""
    names = [str(step) for step in place[1:]]
    return ".".join(names[1:] if place[0] == "body" and len(names) > 1 else names)


def _message(detail: dict[str, Any]) -> str:
    return WORDS.get(detail["type"]) or f"{detail['msg'].removeprefix('Value error, ').rstrip('.')}."
