"""The form of every error of the API: application/problem+json (RFC 9457), from whichever part of the site."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.http import HttpRequest, HttpResponse
from ninja import Schema

from campaign.web.links import absolute

ROOT = "/api/"
CONTENT_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """One type of problem. `remedy`: what to do, unless the error has its own."""

    slug: str
    status: int
    title: str
    remedy: str


_KINDS = [
    Kind(
        "bad-request",
        400,
        "The request cannot be understood",
        "Send JSON, or a form as multipart/form-data where a file goes with it, complete and encoded as UTF-8.",
    ),
    Kind(
        "no-valid-token",
        401,
        "A valid token is needed",
        "Send the header “Authorization: Bearer <token>”. Tokens are made on the page /account/tokens/.",
    ),
    Kind(
        "not-allowed",
        403,
        "Not allowed",
        "Your account or this token may not do this. Ask an organiser, or use another token.",
    ),
    Kind(
        "not-found",
        404,
        "Nothing here",
        "There is nothing at this address that you may see. Check its spelling, and whose token it is.",
    ),
    Kind(
        "wrong-method",
        405,
        "This address does not answer to this method",
        "The header Allow names the methods that it answers to.",
    ),
    Kind(
        "not-confirmed",
        409,
        "This has consequences that are not confirmed",
        "`errors` names what follows. Send the same with `confirm` true to do it; nothing is changed until then.",
    ),
    Kind("too-large", 413, "The request is too large", "Send less at once. Only the part “file” may be large."),
    Kind(
        "not-accepted",
        422,
        "The request was understood but not accepted",
        "Correct what `errors` names and send it again.",
    ),
    Kind(
        "too-many-requests",
        429,
        "Too many requests",
        "Wait as many seconds as the header Retry-After says, then go on.",
    ),
    Kind(
        "server-error",
        500,
        "Something failed on this side",
        "Check whether the change was made, then try again. Tell the operator of the site if the error persists.",
    ),
    Kind(
        "not-available-now",
        503,
        "This cannot be answered now",
        "The database does not answer, is busy or takes no writes. Wait for the seconds of the header Retry-After, then see "
        "whether a change was made.",
    ),
    Kind(
        "no-room",
        507,
        "The site has no room for this file now",
        "It was not stored. Tell the operators of the site, and send it again later.",
    ),
]
KINDS = {kind.status: kind for kind in _KINDS}
CHANGED_MEANWHILE = Kind(
    "changed-meanwhile",
    409,
    "Somebody else was faster",
    "Nothing was saved. Read what is there now, then send the change again with its SHA-256.",
)
ALL_KINDS = [*_KINDS, CHANGED_MEANWHILE]


class FieldError(Schema):
    field: str
    """Empty where the request as a whole is refused."""
    message: str


class Problem(Schema):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    errors: list[FieldError] = []


def problem(
    request: HttpRequest,
    status: int,
    detail: str = "",
    errors: Sequence[FieldError] = (),
    headers: Mapping[str, str] | None = None,
    kind: Kind | None = None,
) -> HttpResponse:
    """`kind`: another than the usual one of the status."""
    kind = kind or _kind(status)
    body = Problem(
        type=absolute(f"/api/v1/problems/{kind.slug}"),
        title=kind.title,
        status=status,
        detail=detail or kind.remedy,
        instance=request.path,
        errors=list(errors),
    )
    content = json.dumps(body.model_dump(), ensure_ascii=False).encode("utf-8", "replace")
    return HttpResponse(content, status=status, content_type=CONTENT_TYPE, headers=dict(headers or {}))


def refused(request: HttpRequest, refusal: ValidationError) -> HttpResponse:
    """The messages of a service's ValidationError, by field."""
    fields = refusal.message_dict if hasattr(refusal, "error_dict") else {NON_FIELD_ERRORS: refusal.messages}
    errors = [
        FieldError(field="" if field == NON_FIELD_ERRORS else field, message=message)
        for field, messages in fields.items()
        for message in messages
    ]
    return problem(request, 422, " ".join(error.message for error in errors), errors)


def _kind(status: int) -> Kind:
    return KINDS.get(status) or KINDS[400 if status < 500 else 500]
