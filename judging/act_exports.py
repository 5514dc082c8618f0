"""The acts of assessors as a file, one line each."""

import json
from collections.abc import Iterator

from django.db.models import QuerySet

from campaign.formats.spreadsheet import csv_lines
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


def acts_csv(acts: "QuerySet[Judgment]") -> Iterator[str]:
    """One line an act; the answers of the judging mode as JSON."""
    place = list(ACT_COLUMNS).index("details")
    rows = acts.values_list(*ACT_COLUMNS.values()).iterator(chunk_size=2000)
    return csv_lines(
        list(ACT_COLUMNS),
        ([*row[:place], json.dumps(row[place], ensure_ascii=False, sort_keys=True), *row[place + 1 :]] for row in rows),
    )
