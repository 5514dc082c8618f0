"""What can be verified of a site, section by section. `manage.py verify` and the job of the operations page run it."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from campaign.collection.selectors.integrity import verify_document_counts, verify_errata, verify_texts
from campaign.integrity import MEND, NOT_FOUND_OUT, Extent, Finding, Verifier, what_failed
from campaign.runs.selectors.integrity import verify_receipts
from campaign.storage.consistent_read import one_state
from evaluation.selectors.integrity import (
    verify_boards,
    verify_log_of_releases,
    verify_means,
    verify_references,
    verify_unjudged_of_boards,
)
from evaluation.services.integrity import verify_scores
from judging.selectors.integrity import verify_judgments, verify_qrels
from pooling.selectors.integrity import verify_pools
from runpool.operations.row_states import verify_row_states
from runpool.operations.seals import verify_seals
from runpool.operations.site_integrity import verify_checksums, verify_dates, verify_files, verify_log

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Check:
    """`in_one_state`: it reads the database as it is at one moment, and writes nothing."""

    section: str
    verifier: Verifier
    in_one_state: bool = True


SECTIONS = {
    "files": "stored files, by their checksums",
    "pools": "frozen pools, by their entries and runs",
    "judgments": "which judgments stand, by the acts",
    "qrels": "versions of the qrels, by the acts and decisions that they were released from",
    "scores": "a sample of scores, computed anew from the stored run and qrels",
    "boards": "stored and published boards, by their evaluations",
    "documents": "the stored numbers of the documents of collections, and the checksum of their texts, by their rows",
    "errata": "texts and their versions, by their checksums",
    "dates": "dates and times, by the years that every time zone has",
    "audit": "the log, by the checksums that it has of releases",
    "seals": "rows that are written once, by the checksums under which they were sealed",
    "runs": "where runs came from and when, by the log",
    "settings": "settings of tasks, grades, topics and assignments, by what the site itself left of them",
}
CHECKS = (
    Check("files", verify_files, in_one_state=False),
    Check("files", verify_checksums),
    Check("pools", verify_pools),
    Check("judgments", verify_judgments),
    Check("qrels", verify_qrels),
    Check("scores", verify_references),
    Check("scores", verify_means),
    Check("scores", verify_scores, in_one_state=False),
    Check("boards", verify_boards),
    Check("boards", verify_unjudged_of_boards, in_one_state=False),
    Check("documents", verify_document_counts),
    Check("documents", verify_texts, in_one_state=False),
    Check("errata", verify_errata),
    Check("dates", verify_dates),
    Check("audit", verify_log),
    Check("audit", verify_log_of_releases),
    Check("seals", verify_seals),
    Check("runs", verify_receipts),
    Check("settings", verify_row_states),
)


def verify_sections(sections: Sequence[str], extent: Extent) -> Iterator[Finding]:
    """What is found in these sections, in the order of `SECTIONS`; others may go on writing meanwhile."""
    for section, about in SECTIONS.items():
        if section not in sections:
            continue
        extent.report(about)
        for check in CHECKS:
            if check.section == section:
                yield from _found(check, extent)


def _found(check: Check, extent: Extent) -> Iterator[Finding]:
    """What one comparison finds. That it breaks off is a finding as well: the others go on."""
    try:
        with one_state() if check.in_one_state else nullcontext():
            yield from check.verifier(extent)
    except NOT_FOUND_OUT:
        raise
    except Exception as problem:
        logger.exception("the section %s broke off", check.section)
        text = f"It broke off, so that the rest of it was not compared. {what_failed(problem)}"
        yield Finding(check.section, f"the section {check.section}", text, MEND)
