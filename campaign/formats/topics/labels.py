"""Topics whose parts begin with a label at the start of a line: `.I 1` and `.W` of SMART, `Topic:` and `Title:` of CLEF TAR."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from campaign.formats.problems import ProblemLog
from campaign.formats.smart import SMART, smart_records, with_joined_lines
from campaign.formats.topics.dialects import AS_USUAL, Dialect, TopicChoices
from campaign.formats.topics.drafts import TopicDraft, are_too_many

OF_SMART: Mapping[str, str] = {"I": "number", "T": "title", "W": "text"}
TOPIC = re.compile(r"Topic\s*:\s*(\S+)\s*")
LABEL = re.compile(r"(Topic|Title|Query|Pids|Objectives?)\s*:(.*)")
"""Of technology assisted review: a review with its boolean query and the articles that it found."""
Parts = list[tuple[str, str]]


def are_labelled(first: str) -> bool:
    """Whether topics with labels begin with this line.

    >>> are_labelled("Topic: CD008643"), are_labelled(".I 1"), are_labelled("Topic: mills and ponds")
    (True, True, False)
    """
    return bool(TOPIC.fullmatch(first) or SMART.fullmatch(first))


def labelled_drafts(
    lines: Sequence[tuple[int, str]], problems: ProblemLog, choices: TopicChoices = AS_USUAL
) -> list[TopicDraft]:
    drafts: list[TopicDraft] = []
    dialect = Dialect("{}", choices)
    first = next(line for _, line in lines if line.strip())
    for line, parts in _of_smart(lines) if SMART.fullmatch(first) else _of_reviews(lines):
        drafts.append(TopicDraft(line))
        dialect.fill(drafts[-1], parts, may_join=False)
        if are_too_many(len(drafts), 0, line, problems):
            return []
    dialect.note(problems)
    return drafts


def _of_smart(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Parts]]:
    for line, parts in smart_records(iter(lines)):
        yield line, [(OF_SMART.get(letter, f".{letter}"), text) for letter, text in parts]


def _of_reviews(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Parts]]:
    start, parts = 0, list[tuple[str, list[str]]]()
    for line, text in lines:
        label = LABEL.fullmatch(text)
        if label and label[1] == "Topic" and parts:
            yield start, with_joined_lines(parts)
            parts = []
        if label:
            start = start if parts else line
            parts.append(("number" if label[1] == "Topic" else label[1], [label[2].strip()]))
        elif parts:
            parts[-1][1].append(text)
    if parts:
        yield start, with_joined_lines(parts)
