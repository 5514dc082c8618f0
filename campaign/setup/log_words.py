"""Events of the audit log in words: a sentence, and the details beside it; and as CSV, for spreadsheets and records."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from campaign.formats.spreadsheet import csv_lines
from campaign.models import AuditEvent
from campaign.text.plurals import listed

NOBODY = "The site"
LONGEST = 300
DID = {
    "accept": "accepted",
    "accept by hand": "accepted by hand",
    "add document found by hand": "added a document found by hand to",
    "allow": "gave an allowance to",
    "answer": "answered",
    "archive": "archived",
    "ask": "asked",
    "ask again": "asked again to take part with",
    "check again": "had checked again",
    "check all again": "had all runs checked again of",
    "close": "closed",
    "confirm": "confirmed",
    "conflict of interest": "noted a conflict of interest of",
    "create": "created",
    "create model assessor": "created",
    "decide": "decided on",
    "decline role": "declined",
    "delete": "deleted",
    "discard": "discarded",
    "edit": "edited",
    "enter phase": "changed the phase of",
    "free held documents": "freed held documents of",
    "freeze": "froze",
    "go on with topic": "went on with a topic of",
    "grant": "received or gave",
    "import": "imported",
    "invite to role": "sent",
    "join": "joined",
    "leave": "left",
    "open": "opened",
    "publish": "published",
    "receive": "uploaded",
    "register": "registered",
    "reinstate": "reinstated",
    "reject by hand": "rejected by hand",
    "release": "released",
    "renew token of model assessor": "renewed the token of",
    "reopen": "reopened",
    "replace": "replaced",
    "restore": "restored",
    "retire": "retired",
    "revoke": "took away",
    "revoke model assessor": "revoked",
    "set practice answers": "set practice answers of",
    "stop topic": "stopped a topic of",
    "submit": "submitted",
    "take out of the archive": "took out of the archive",
    "take over": "took over",
    "update": "changed",
    "valid": "accepted after its check",
    "rejected": "rejected after its check",
    "withdraw": "withdrew",
    "withdraw registration": "withdrew the registration of",
    "withdraw role invitation": "withdrew",
}
"""By verb, as it is stored. Verbs that are told here by themselves stand in the past already."""
KINDS = {
    "assignment": "topic",
    "allowance": "an allowance",
    "acceptance": "an agreement",
    "duplicatesearch": "the search for near-identical documents",
    "modelassessor": "a model assessor",
    "import": "a file",
    "organiserquestion": "a question to the organisers",
    "preferenceassignment": "an assignment of preferences",
    "preferenceorder": "an order by preferences",
    "poolentry": "a document of a pool",
    "assigningrules": "the rules of assigning",
    "roleinvitation": "an invitation to a role",
}
NAMES = ("title", "tag", "team", "user", "email", "name", "version", "topic")
"""Entries of the data that name the object, best first."""
HEAD = ["id", "happened_at", "user", "name", "verb", "object", "object_id", "what", "details"]


def actor_of(event: AuditEvent) -> str:
    return str(event.actor) if event.actor is not None else NOBODY


def deed_of(event: AuditEvent, name: str = "") -> str:
    """What was done, without who did it: changed the task Ad hoc. `name`: that of the object, where it is still there."""
    return f"{DID.get(event.verb, event.verb)} {kind_in_words(event.object_type)} {_short(name) or _name(event)}"


def kind_in_words(object_type: str) -> str:
    return KINDS.get(object_type, f"the {object_type}")


def details_of(event: AuditEvent) -> list[str]:
    """The data of the event, an entry each: reason: late; phase: setup → runs."""
    return list(_details(event.data))


def _name(event: AuditEvent) -> str:
    named = next((str(event.data[name]) for name in NAMES if isinstance(event.data.get(name), str | int)), "")
    return _short(named) if named else f"no. {event.object_id}"


def _details(data: Mapping[str, Any]) -> Iterator[str]:
    for name, value in data.items():
        words = name.replace("_", " ")
        if isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value):
            before, after = (_short(one) or "nothing" for one in value)
            yield f"{words}: {before} → {after}"
        elif value not in ("", None, [], {}):
            yield f"{words}: {_text(value)}"


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return _short("; ".join(_details(value)))
    if isinstance(value, list):
        return _short(listed([_text(one) for one in value]))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _short(str(value))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def log_csv(events: Iterable[tuple[AuditEvent, str]]) -> Iterator[str]:
    """Each event with the name of its object."""
    return csv_lines(HEAD, (_row(event, name) for event, name in events))


def _row(event: AuditEvent, name: str) -> list[object]:
    user = event.actor.username if event.actor is not None else ""
    about = [event.verb, event.object_type, event.object_id]
    return [
        event.pk,
        event.happened_at,
        user,
        actor_of(event),
        *about,
        deed_of(event, name),
        "; ".join(details_of(event)),
    ]
