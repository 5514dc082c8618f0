"""Which element, key or column of a topic file becomes which part of a topic.

The names are those of TREC (ad hoc, web, genomics, COVID), CLEF (ad hoc with its `EN-title`, eHealth with its `query`) and NTCIR.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from campaign.formats.markup import one_line, paragraphs
from campaign.formats.names import count_name, listed
from campaign.formats.problems import ProblemLog
from campaign.formats.topics.drafts import TopicDraft

PARTS: Mapping[str, tuple[str, ...]] = {
    "number": ("number", "num", "qid", "query_id", "topic_id", "topicid", "id", "_id", "identifier", "topic"),
    "title": ("title", "query", "text", "content", "question", "summary", "description", "desc"),
    "description": ("description", "desc", "question", "need"),
    "narrative": ("narrative", "narr", "context"),
}
"""Of several names in one topic the first one here counts: a question is a description where there is a title, else the title.
So is a description, which was all that TREC-4 gave."""
USUAL = frozenset({"number", "num", "id", "title", "description", "desc", "narrative", "narr"})
NAMES = frozenset(name for names in PARTS.values() for name in names)
NUMBER_ATTRIBUTES = ("number", "num", "id", "qid")
DESCRIPTIONS = frozenset({"description", "desc"})
LANGUAGE = re.compile(r"[a-z]{1,3}-(?=[a-z_]+$)")
"""CLEF's mark before the name: of the language, as in `EN-title`, or that of the topic's part, as in `C-title`."""


def plain_name(name: str) -> str:
    """The name in lower case and without a mark of the language.

    >>> plain_name("EN-title"), plain_name("C-desc"), plain_name("NARR")
    ('title', 'desc', 'narr')
    """
    lowered = name.lower()
    plain = LANGUAGE.sub("", lowered)
    return plain if plain in NAMES else lowered


@dataclass(slots=True)
class Dialect:
    """Makes topics of named texts, and keeps for the note of the import which name became which part."""

    mark: str = "<{}>"
    read: dict[str, Counter[str]] = field(default_factory=lambda: {part: Counter() for part in PARTS})
    left_out: Counter[str] = field(default_factory=Counter)

    def fill(self, draft: TopicDraft, texts: Iterable[tuple[str, str]]) -> None:
        """Fill the draft with (name, text); a part that it has already is kept."""
        left = [(name, text) for name, text in texts if text.strip()]
        for part, wanted in PARTS.items():
            if getattr(draft, part):
                continue
            order = {name: place for place, name in enumerate(wanted)}
            found = [index for index, (name, _) in enumerate(left) if plain_name(name) in order]
            if found:
                name, text = left.pop(min(found, key=lambda index: (order[plain_name(left[index][0])], index)))
                setattr(draft, part, paragraphs(text) if part in ("description", "narrative") else one_line(text))
                self.read[part][name] += 1
        self.left_out.update(name for name, _ in left)

    def leave_out_attributes(self, element: str, attributes: Iterable[str]) -> None:
        """Count what a topic here has no place for, such as the types of the web tracks: faceted, inf, nav."""
        for name in attributes:
            if name.lower() not in NUMBER_ATTRIBUTES:
                count_name(self.left_out, f"{element} {name}")

    def note(self, problems: ProblemLog) -> None:
        """Say which name became what, unless all of them are the usual ones; and what was left out."""
        titles = self.read["title"]
        unusual = any(name.lower() not in USUAL for names in self.read.values() for name in names)
        if unusual or any(plain_name(name) in DESCRIPTIONS for name in titles):
            became = "; ".join(f"{part} from {listed(names, self.mark)}" for part, names in self.read.items() if names)
            problems.add(
                "topic_dialect",
                f"The topics were read like this: {became}.",
                "Check in the preview that each text stands in its place.",
                severity="warning",
            )
        if self.left_out:
            problems.add(
                "topic_parts_left_out",
                f"Left out, since a topic here has no place for it: {listed(self.left_out, self.mark)}.",
                "Move what assessors or teams need into title, description or narrative.",
                severity="warning",
            )
