"""Files of qrels: the judgments behind them, and the names of all their files."""

from collections.abc import Iterator

from django.utils.text import slugify

from campaign.formats.spreadsheet import csv_lines
from judging.models import Qrels
from judging.qrels.selectors.manifests import judgments_under


def judgments_csv(qrels: Qrels) -> Iterator[str]:
    """Every judgment that a version of the qrels rests on, one line each, under pseudonyms."""
    return csv_lines(["topic", "assessor", "pass", "docno", "grade"], judgments_under(qrels))


def qrels_file_name(qrels: Qrels, kind: str, extension: str) -> str:
    """As in `velo-everyday-cycling-qrels-v1.txt`; with the set where it is not relevance: `...-qrels-readability-v2.txt`."""
    kinds = "-".join(part for part in (kind, slugify(qrels.set_name, allow_unicode=True)) if part)
    return f"{qrels.task.campaign.slug}-{qrels.task.slug}-{kinds}-v{qrels.version}.{extension}"
