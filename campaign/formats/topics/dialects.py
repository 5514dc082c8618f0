"""Which element, key or column of a topic file becomes which part of a topic.

The names are those of TREC (ad hoc, web, genomics, COVID), CLEF (ad hoc with its `EN-title`, eHealth with its `query`) and NTCIR.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from campaign.formats.markup import one_line
from campaign.formats.names import count_name, folded, listed
from campaign.formats.problems import ProblemLog, visible
from campaign.formats.topics.drafts import TopicDraft
from campaign.formats.topics.languages import LanguageChoice, nearest

DESCRIPTIONS = ("description", "desc", "topic_description")
NARRATIVES = ("narrative", "narr", "topic_narrative")
UTTERANCES = ("raw_utterance", "utterance", "user_utterance")
REWRITTEN = ("manual_rewritten_utterance", "resolved_utterance", "automatic_rewritten_utterance")
CLAIMS = ("rumor", "rumour", "claim", "iclaim", "statement")
"""What is searched for where claims are checked: its number stands before that of the post that makes it."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "number": (
        *("number", "num", "qid", "query_id", "query_number", "query_no", "qno"),
        *("topic_id", "topic_number", "topic_no", "question_id", "question_number"),
        *(f"{name}_id" for name in CLAIMS),
        *("tweet_id", "requestnumber", "request_id", "topid", "sample_id", "post_id", "qa_id"),
        *("id", "_id", "identifier", "topic", "text_id"),
    ),
    "title": (
        *("title", "topic_title", "query_title", "query", *UTTERANCES, "currentquery", *CLAIMS),
        *("text", "content", "body", "requesttext"),
        *(f"{name}_{kind}" for name in CLAIMS for kind in ("text", "content")),
        *("tweet_content", "tweet_text", "post_text", "query_text", "topic_text", "question_text"),
        *("qstr", "text_topic", "text_instance_topic"),
        *("problem_statement", "name", "topic", "question", "summary", *DESCRIPTIONS, *NARRATIVES, "page_title"),
        "place of the request",
    ),
    "description": (*DESCRIPTIONS, "question", "need", *REWRITTEN, "premise", "problem_statement", "text"),
    "narrative": (
        *NARRATIVES,
        "context",
        "guidelines",
        "background",
        "note",
        "conversation",
        "target",
        "topic",
        "request",
    ),
}
"""Of several names in one topic the first one here counts: a question is a description where there is a title, else the title.
So is a description, which was all that TREC-4 gave, or a narrative, as in the track of 2025 for generated reports."""
USUAL = frozenset({"number", "num", "id", "title", "description", "desc", "narrative", "narr"})
SECOND_CHOICES = frozenset({*DESCRIPTIONS, *NARRATIVES})
NUMBERS = frozenset(PARTS["number"]) - frozenset(PARTS["title"])
"""Names that number a topic, and are never its title."""
NAMES = frozenset(name for names in PARTS.values() for name in names)
SPELT = {folded(name): name for names in PARTS.values() for name in reversed(names)}
NUMBER_ATTRIBUTES = ("number", "num", "id", "qid", "topicid", "queryid")
"""Compared as `folded`."""
LANGUAGE = re.compile(r"[a-z]{1,3}-(?=[a-z_]+$)")
"""CLEF's mark before the name: of the language, as in `EN-title`, or that of the topic's part, as in `C-title`."""


def plain_name(name: str) -> str:
    """The name as it stands in PARTS, however it is spelt and without a mark of the language; else in lower case.

    >>> plain_name("EN-title"), plain_name("C-desc"), plain_name("QueryText"), plain_name("Profile")
    ('title', 'desc', 'query_text', 'profile')
    """
    lowered = name.lower()
    if lowered in NAMES:
        return lowered
    return SPELT.get(folded(lowered)) or SPELT.get(folded(LANGUAGE.sub("", lowered)), lowered)


def number_attribute(attributes: Mapping[str, str]) -> str:
    """The number that attributes give to their element, or "".

    >>> number_attribute({"lang": "en", "query-id": " 7 "})
    '7'
    """
    name = numbering_attribute(attributes)
    return attributes[name].strip() if name else ""


def numbering_attribute(attributes: Iterable[str]) -> str:
    """The name of the attribute that numbers its element, or "".

    >>> numbering_attribute({"queryId": "7", "number": "1"})
    'number'
    """
    spelt = {folded(name): name for name in attributes}
    return next((spelt[name] for name in NUMBER_ATTRIBUTES if name in spelt), "")


LANGUAGES = frozenset({"lang", "language"})
ENDS = frozenset(name[-4:] for name in LANGUAGES)
"""Looked at first: names may have megabytes, and each would be put into lower case as a whole."""
TO_NARRATIVE = "narrative"
"""Where parts that have no place may go."""


@dataclass(frozen=True, slots=True)
class TopicChoices:
    """What the sender of a file says of it: the names of the parts that hold number and title, and where further parts go."""

    number_from: str = ""
    title_from: str = ""
    appends: bool = False
    """Whether parts that have no place are appended to the narrative."""
    language: str = ""
    """The beginning of the code of the language that is read where there are several, such as fr; English without it."""


AS_USUAL = TopicChoices()
HOW_TO_APPEND = (
    "To append it to the narrative, choose this as “Other parts” when you send the file "
    "(--other-parts narrative by command, other_parts=narrative by program)."
)
UNKNOWN = "topic_part_unknown"


def is_subtopic(name: str, attributes: Iterable[str]) -> bool:
    """Whether an element is a subtopic; the background linking of 2020 calls it `sub`, which without a number is lower text.

    >>> is_subtopic("subtopic", []), is_subtopic("sub", ["num"]), is_subtopic("sub", [])
    (True, True, False)
    """
    return name.lower() == "subtopic" or (name.lower() == "sub" and bool(numbering_attribute(attributes)))


def language_of(attributes: Mapping[str, object]) -> str:
    """The code of the language that an element, an object or a line names, in lower case; "" for none.

    >>> language_of({"xml:lang": "en-GB"}), language_of({"Language": "DE"}), language_of({"lang": ["de"]})
    ('en-gb', 'de', '')
    """
    named = (key for key in attributes if key[-4:].lower() in ENDS and key.lower().rpartition(":")[2] in LANGUAGES)
    found = attributes.get(next(named, ""), "")
    return found.strip().lower() if isinstance(found, str) else ""


@dataclass(slots=True)
class Dialect:
    """Makes topics of named texts, and keeps for the note of the import which name became which part."""

    mark: str = "<{}>"
    choices: TopicChoices = AS_USUAL
    read: dict[str, Counter[str]] = field(default_factory=lambda: {part: Counter() for part in PARTS})
    left_out: Counter[str] = field(default_factory=Counter)
    appended: Counter[str] = field(default_factory=Counter)
    topics: Counter[str] = field(default_factory=Counter)
    """What a whole topic is called, where that is unusual."""
    names: Counter[str] = field(default_factory=Counter)
    """All names, where the sender has chosen some."""
    languages: Counter[str] = field(default_factory=Counter)
    """Those that the file names."""
    others: list[tuple[str, str]] = field(default_factory=list)
    """What of the topic that is being read goes into its narrative, besides the texts that `fill` has left."""
    chosen: dict[str, str] = field(init=False)
    language: LanguageChoice = field(init=False)
    """Of parts within one topic."""

    def __post_init__(self) -> None:
        self.language = LanguageChoice(self.choices.language)
        chosen = {"number": folded(self.choices.number_from), "title": folded(self.choices.title_from)}
        self.chosen = {part: name for part, name in chosen.items() if name}

    def plain(self, name: str) -> str:
        """`plain_name`, where a name that the sender has chosen is that of its part."""
        return next((part for part in self.chosen if self.is_chosen(part, name)), "") or plain_name(name)

    def is_chosen(self, part: str, name: str) -> bool:
        return self.chosen.get(part) == folded(name)

    def number_in(self, attributes: Mapping[str, str]) -> str:
        """The number of a topic among the attributes of its element, or ""."""
        if "number" not in self.chosen:
            return number_attribute(attributes)
        return next((value.strip() for name, value in attributes.items() if self.is_chosen("number", name)), "")

    def read_attributes(self, attributes: Mapping[str, str]) -> set[str]:
        """The names of the attributes of a topic's element that are read, and of those that say the same number."""
        number = self.number_in(attributes)
        numbering = () if "number" in self.chosen else (numbering_attribute(attributes),)
        chosen = (name for name in attributes if folded(name) in self.chosen.values())
        same = (name for name, text in attributes.items() if number and text.strip() == number)
        return {*numbering, *chosen, *(name for name in same if folded(name) in NUMBER_ATTRIBUTES)}

    def language_in(self, attributes: Mapping[str, object], name: str = "") -> str:
        """The language that a topic or a part of it names; "" for none.

        The mark of a name, as in `fr-title`, counts where the sender names a language.
        """
        language = language_of(attributes)
        if not language and self.choices.language and (mark := LANGUAGE.match(name.lower())):
            language = mark[0].rstrip("-")
        if language:
            count_name(self.languages, language)
        return language

    def chosen_first(
        self, texts: Sequence[tuple[str, str]], languages: Mapping[int, str] | None = None
    ) -> list[tuple[str, str]]:
        """The (name, text) of a topic; of those of one name the ones in the language that is read come first.

        `languages`: those of the texts by their places; without them the marks of the names count.

        >>> texts = [("title", "Drachen"), ("id", "7"), ("title", "kites"), ("title", "sails")]
        >>> Dialect().chosen_first(texts, {0: "de", 2: "en", 3: "en"})
        [('title', 'kites'), ('id', '7'), ('title', 'sails'), ('title', 'Drachen')]
        """
        if languages is None:
            languages = {place: self.language_in({}, name) for place, (name, _) in enumerate(texts)}
        places = defaultdict(list)
        for place, (name, _) in enumerate(texts):
            places[plain_name(name)].append(place)
        ordered = list(texts)
        for name, same in places.items():
            there = {place: languages.get(place, "") for place in same}
            read = self.language.of(list(there.values()))
            for place, taken in zip(same, sorted(same, key=lambda place: there[place] != read), strict=True):
                ordered[place] = texts[taken]
            if name in NAMES and all(there.values()):
                for place in same:
                    self.language.count(there[place], read, texts[place][0])
        return ordered

    def see(self, names: Iterable[str]) -> None:
        if self.chosen:
            for name in names:
                count_name(self.names, name)

    def fill(self, draft: TopicDraft, texts: Sequence[tuple[str, str]], *, may_join: bool = True) -> None:
        """Fill the draft with (name, text); a part that it has already is kept.

        `may_join`: whether a topic of unknown names alone has all of them as its title.
        """
        self.see(name for name, _ in texts)
        left = [(name, text) for name, text in texts if text.strip()]
        plain = [plain_name(name) for name, _ in left]
        for part in PARTS:
            if getattr(draft, part):
                continue
            if (index := self._place_of(part, left, plain)) is not None:
                name, text = left[index]
                if part != "number" or not self.is_chosen("title", name):
                    del left[index], plain[index]
                draft.set(part, text)
                self.read[part][name] += 1
                plain = _without_other_languages(name, plain)
        if "number" not in self.chosen:
            draft.other_numbers += tuple(one_line(text) for name, text in left if plain_name(name) in NUMBERS)
        if may_join and not draft.title and left and "title" not in self.chosen:  # a disease, a gene and so on
            draft.set("title", "; ".join(f"{name}: {text.strip()}" for name, text in left))
            for name, _ in left:
                count_name(self.read["title"], name)
            left.clear()
        for name, text in left:
            self.leave_out(name, text)
        if self.others:
            parts = [f"{visible(one_line(name))}: {text.strip()}" for name, text in self.others]
            draft.set("narrative", "\n\n".join([*([draft.narrative] if draft.narrative else []), *parts]))
            self.others.clear()

    def _place_of(self, part: str, texts: Sequence[tuple[str, str]], plain: Sequence[str]) -> int | None:
        if part in self.chosen:
            return next((index for index, (name, _) in enumerate(texts) if self.is_chosen(part, name)), None)
        order = {name: place for place, name in enumerate(PARTS[part])}
        found = [(order[name], index) for index, name in enumerate(plain) if name in order]
        return min(found)[1] if found else None

    def leave_out(self, name: str, text: str, label: str = "") -> None:
        """Count what a topic has no place for, or keep it for the narrative, there called `label`."""
        count_name(self.appended if self.choices.appends else self.left_out, name)
        if self.choices.appends:
            self.others.append((label or name, text))

    def leave_out_attributes(
        self, element: str, attributes: Mapping[str, str], read: Container[str] = (), label: str = ""
    ) -> None:
        """Count what a topic here has no place for, such as the types of the web tracks: faceted, inf, nav.

        Attributes of a part that is left out go with it; those of one that is appended are appended. `read`: names of those
        that are read, or have the value of one.
        """
        if not (read or self.choices.appends) and plain_name(element) not in NAMES:
            return
        for name, text in attributes.items():
            if name not in read:
                self.leave_out(f"{element} {name}", text, f"{label or element} {name}")

    def leave_out_empty(self, element: str, attributes: Mapping[str, str]) -> None:
        """Count the attributes of a part without a text, such as the file of a picture: the part cannot be named for them."""
        if plain_name(element) not in NAMES and not self.choices.appends:
            self.leave_out_attributes(element, attributes, {"name"})

    def note(self, problems: ProblemLog) -> None:
        """Say which name became what, unless all of them are the usual ones; and what was left out."""
        for part in self.chosen:
            if self.names and not any(self.is_chosen(part, name) for name in self.names):
                self._add_unknown(part, problems)
        self._check_language(problems)
        self.language.note("Parts of topics", self.mark, problems)
        titles = self.read["title"]
        unusual = any(name.lower() not in USUAL for names in self.read.values() for name in names)
        if unusual or self.topics or any(plain_name(name) in SECOND_CHOICES for name in titles):
            parts = {"topic": self.topics, **self.read}
            became = "; ".join(f"{part} from {listed(names, self.mark)}" for part, names in parts.items() if names)
            problems.add(
                "topic_dialect",
                f"The topics were read like this: {became}.",
                "Check that each text stands in its place: the page of the topic shows it.",
                severity="warning",
            )
        if self.appended:
            message = f"Appended to the narrative: {listed(self.appended, self.mark)}."
            problems.add("topic_parts_appended", message, "", severity="warning")
        if self.left_out:
            problems.add(
                "topic_parts_left_out",
                f"Left out, since a topic here has no place for it: {listed(self.left_out, self.mark)}.",
                "It does not belong to one topic alone." if self.choices.appends else HOW_TO_APPEND,
                severity="warning",
            )

    def _check_language(self, problems: ProblemLog) -> None:
        wanted = self.choices.language
        if wanted and not nearest(self.languages, wanted):
            message = f"No part of the file says that it is in the language “{visible(wanted)}”."
            named = f"It names {listed(self.languages, '“{}”')}." if self.languages else "It names no language."
            problems.add(UNKNOWN, message, f"{named} Choose one of these, or leave the field empty.")

    def _add_unknown(self, part: str, problems: ProblemLog) -> None:
        name = {"number": self.choices.number_from, "title": self.choices.title_from}[part]
        message = f"No topic of the file has {visible(self.mark.format(name))}, from which you want to read the {part}."
        problems.add(UNKNOWN, message, f"It has {listed(self.names, self.mark)}.")


def _without_other_languages(name: str, plain: Sequence[str]) -> list[str]:
    """The plain names of further texts: what is called as `name` but for its mark of the language is no other part.

    >>> _without_other_languages("EN-description", ["description", "narr"]), _without_other_languages("desc", ["desc"])
    (['', 'narr'], ['desc'])
    """
    is_marked, same = LANGUAGE.match(name.lower()), plain_name(name)
    return ["" if is_marked and kind == same else kind for kind in plain]
