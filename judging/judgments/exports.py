"""The acts of assessors as a file, one line each."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.db.models import QuerySet

from campaign.formats.spreadsheet import csv_lines
from campaign.models import Task
from judging.judgments.selectors.versions import SeenVersions
from judging.models import Judgment

ACT_COLUMNS = {
    "act": "pk",
    "uuid": "uuid",
    "topic": "topic__number",
    "docno": "docno",
    "assessor": "assessor__username",
    "pass": "pass_number",
    "verdict": "verdict",
    "grade": "grade",
    "details": "details",
    "reason": "reason",
    "flagged": "flagged",
    "note": "note",
    "judged_at": "judged_at",
    "received_at": "received_at",
    "active_ms": "active_ms",
    "away_ms": "away_ms",
    "input": "input_method",
    "position": "position",
    "extent": "extent",
    "text_sha256": "text_sha256",
    "topic_sha256": "topic_sha256",
    "guidelines_sha256": "guidelines_sha256",
    "previous": "previous",
    "undoes": "undoes",
}
"""Columns of a file of judgments, and the fields that they hold."""


VERSIONS = ["topic_version", "document_version"]
"""Columns besides, of the texts that the judgment saw."""
READ = ("topic__number", "topic_sha256", "received_at"), ("docno", "text_sha256", "received_at")


def acts_csv(acts: "QuerySet[Judgment]", task: Task) -> Iterator[str]:
    """One line an act; the answers of the judging mode as JSON."""
    fields, seen = list(ACT_COLUMNS.values()), SeenVersions(task)
    place, (topic, document) = fields.index("details"), ([fields.index(name) for name in names] for names in READ)
    rows = acts.values_list(*fields).iterator(chunk_size=2000)
    return csv_lines(
        [*ACT_COLUMNS, *VERSIONS],
        (
            [
                *map(_moment, row[:place]),
                _details(row[place]),
                *map(_moment, row[place + 1 :]),
                seen.topic(*(row[one] for one in topic)),
                seen.document(*(row[one] for one in document)),
            ]
            for row in rows
        ),
    )


HISTORY_COLUMNS = {**ACT_COLUMNS, "shown_at": "shown_at", "pool": "assignment__pool__version", "counts": "is_current"}
"""Of a file of all acts: what was replaced or taken back is in it as well, so it says of each whether it counts."""
ACTS_AT_ONCE = 2000


def history_csv(task: Task) -> Iterator[str]:
    """Every act of every assessor, one line each, the oldest first."""
    place = list(HISTORY_COLUMNS).index("details")
    rows = (
        [*map(_moment, row[:place]), _details(row[place]), *map(_moment, row[place + 1 :])] for row in _history(task)
    )
    return csv_lines([*HISTORY_COLUMNS, *VERSIONS], rows)


def history_jsonl(task: Task) -> Iterator[str]:
    """The same as JSON, with nothing put in front of texts."""
    for row in _history(task):
        values = dict(zip([*HISTORY_COLUMNS, *VERSIONS], row, strict=True))
        yield json.dumps(values, ensure_ascii=False, default=_text) + "\n"


def _history(task: Task) -> Iterator[tuple[Any, ...]]:
    """No cursor stays open for as long as the reader takes."""
    acts = Judgment.objects.of_task(task.pk).order_by("pk").values_list(*HISTORY_COLUMNS.values())
    last, seen = 0, SeenVersions(task)
    while batch := list(acts.filter(pk__gt=last)[:ACTS_AT_ONCE]):
        for row in batch:
            act = dict(zip(HISTORY_COLUMNS.values(), row, strict=True))
            yield (*row, seen.topic(*(act[name] for name in READ[0])), seen.document(*(act[name] for name in READ[1])))
        last = batch[-1][0]


def _text(value: Any) -> str:
    timespec = "microseconds" if getattr(value, "microsecond", 0) % 1000 else "milliseconds"
    return value.astimezone(UTC).isoformat(timespec=timespec) if isinstance(value, datetime) else str(value)


def _moment(value: Any) -> Any:
    """With the parts of its second, by which the latest of several judgments is told."""
    return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat()}Z" if isinstance(value, datetime) else value


def _details(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
