"""What a released order of preferences rests on, as a file."""

from typing import Any

from judging.models import PreferenceOrder


def manifest(order: PreferenceOrder) -> dict[str, Any]:
    """The checksum of the order's file, the qrels that its documents come from, and how each topic's order came about."""
    return {
        "campaign": order.task.campaign.slug,
        "task": order.task.slug,
        "preferences": order.version,
        "columns": ["topic", "docno", "level"],
        "sha256": order.sha256,
        "released_at": order.released_at.isoformat(),
        "qrels": order.qrels.checksums,
        "documents": order.document_count,
        "topics": order.topics,
        "note": order.note,
    }
