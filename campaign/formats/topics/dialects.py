"""Which element, key or column of a topic file becomes which part of a topic.

The names are those of TREC (ad hoc, web, genomics, COVID), CLEF (ad hoc with its `EN-title`, eHealth with its `query`) and NTCIR.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from campaign.formats.names import count_name, listed
from campaign.formats.problems import ProblemLog
from campaign.formats.topics.drafts import TopicDraft

DESCRIPTIONS = ("description", "desc", "topic_description")
NARRATIVES = ("narrative", "narr", "topic_narrative")
UTTERANCES = ("raw_utterance", "utterance", "user_utterance")
REWRITTEN = ("manual_rewritten_utterance", "resolved_utterance", "automatic_rewritten_utterance")
PARTS: Mapping[str, tuple[str, ...]] = {
    "number": (
        *(
            "number",
            "num",
            "qid",
            "query_id",
            "queryid",
            "topic_id",
            "topicid",
            "question_id",
            "tweet_id",
            "requestnumber",
            "request_id",
            "topid",
            "sample_id",
            "post_id",
        ),
        *("id", "_id", "identifier", "topic"),
    ),
    "title": (
        *(
            "title",
            "topic_title",
            "query",
            *UTTERANCES,
            "currentquery",
            "claim",
            "text",
            "content",
            "body",
            "requesttext",
            "tweet_content",
            "tweet_text",
            "query_text",
            "problem_statement",
            "name",
        ),
        *("topic", "question", "summary", *DESCRIPTIONS, *NARRATIVES),
    ),
    "description": (*DESCRIPTIONS, "question", "need", *REWRITTEN, "premise", "problem_statement", "text"),
    "narrative": (*NARRATIVES, "context", "guidelines", "background", "note", "conversation", "topic"),
}
"""Of several names in one topic the first one here counts: a question is a description where there is a title, else the title.
So is a description, which was all that TREC-4 gave, or a narrative, as in the track of 2025 for generated reports."""
USUAL = frozenset({"number", "num", "id", "title", "description", "desc", "narrative", "narr"})
SECOND_CHOICES = frozenset({*DESCRIPTIONS, *NARRATIVES})
NAMES = frozenset(name for names in PARTS.values() for name in names)
NUMBER_ATTRIBUTES = ("number", "num", "id", "qid", "topic_id", "query_id")
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


def is_subtopic(name: str, attributes: Iterable[str]) -> bool:
    """Whether an element is a subtopic; the background linking of 2020 calls it `sub`, which without a number is lower text.

    >>> is_subtopic("subtopic", []), is_subtopic("sub", ["num"]), is_subtopic("sub", [])
    (True, True, False)
    """
    return name.lower() == "subtopic" or (name.lower() == "sub" and any(map(_is_number, attributes)))


def _is_number(attribute: str) -> bool:
    return attribute.lower() in NUMBER_ATTRIBUTES


@dataclass(slots=True)
class Dialect:
    """Makes topics of named texts, and keeps for the note of the import which name became which part."""

    mark: str = "<{}>"
    read: dict[str, Counter[str]] = field(default_factory=lambda: {part: Counter() for part in PARTS})
    left_out: Counter[str] = field(default_factory=Counter)
    topics: Counter[str] = field(default_factory=Counter)
    """What a whole topic is called, where that is unusual."""

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
                draft.set(part, text)
                self.read[part][name] += 1
        if not draft.title and left:  # as in precision medicine: a disease, a gene and so on
            draft.set("title", "; ".join(f"{name}: {text}" for name, text in left))
            for name, _ in left:
                count_name(self.read["title"], name)
            return
        for name, _ in left:
            count_name(self.left_out, name)

    def leave_out_attributes(self, element: str, attributes: Iterable[str], read: Container[str] = ()) -> None:
        """Count what a topic here has no place for, such as the types of the web tracks: faceted, inf, nav.

        Attributes of a part that is left out go with it. `read`: those that are read.
        """
        if not read and plain_name(element) not in NAMES:
            return
        for name in attributes:
            if name.lower() not in read:
                count_name(self.left_out, f"{element} {name}")

    def note(self, problems: ProblemLog) -> None:
        """Say which name became what, unless all of them are the usual ones; and what was left out."""
        titles = self.read["title"]
        unusual = any(name.lower() not in USUAL for names in self.read.values() for name in names)
        if unusual or self.topics or any(plain_name(name) in SECOND_CHOICES for name in titles):
            parts = {"topic": self.topics, **self.read}
            became = "; ".join(f"{part} from {listed(names, self.mark)}" for part, names in parts.items() if names)
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
