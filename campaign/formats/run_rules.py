"""What a task asks of a run, and the problems that concern a run as a whole. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from campaign.formats.problems import ProblemLog, Severity

DEFAULT_TAG_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,29}"
NAMED_TOPICS = 10


@dataclass(frozen=True, slots=True)
class RunRules:
    """Rules of a task; `None` means that the rule is off. Patterns are Python regular expressions for the whole field."""

    topics: frozenset[str] | None = None
    max_documents_per_topic: int = 1000
    all_topics_required: bool = False
    docnos: frozenset[str] | None = None
    docno_pattern: str | None = None
    tag: str | None = None
    tag_pattern: str = DEFAULT_TAG_PATTERN

    def tag_is_well_formed(self, tag: str) -> bool:
        return re.fullmatch(self.tag_pattern, tag) is not None

    def docno_is_well_formed(self, docno: str) -> bool:
        return self.docno_pattern is None or re.fullmatch(self.docno_pattern, docno) is not None


def add_missing_topics(problems: ProblemLog, rules: RunRules, found: Collection[str]) -> None:
    missing = sorted((rules.topics or frozenset()).difference(found))
    if not missing:
        return
    severity: Severity = "error" if rules.all_topics_required else "warning"
    more = f" and {len(missing) - NAMED_TOPICS} more" if len(missing) > NAMED_TOPICS else ""
    message = f"{len(missing)} of {len(rules.topics or ())} topics have no document: {', '.join(missing[:NAMED_TOPICS])}{more}."
    if rules.all_topics_required:
        remedy = "Retrieve at least one document for every topic."
    else:
        remedy = "These topics will count as 0 in every mean."
    problems.add("topic_missing", message, remedy, severity=severity, times=len(missing))
