"""Topics as they stand in a file, and the rules that make records of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from campaign.formats.keys import key_problem
from campaign.formats.markup import one_line, paragraphs
from campaign.formats.problems import ProblemLog, visible
from campaign.text import limits

MOST_SUBTOPICS = 1_000_000
MOST_TOPICS = 100_000
"""Of a file: it could hold many times as many, whose texts would take gigabytes."""
SHORT_TITLE = 300
"""Characters. A longer title without a description is a story: it becomes the description, and its beginning the title."""

NAMED_BY = {
    part: f"“{part.capitalize()} from” (--{part}-from by command, {part}_from by program)"
    for part in ("number", "title")
}
GIVE_NUMBER = f"Give the topic number, or say which part of the file holds it: {NAMED_BY['number']}."
KEEP_ONE = "Keep one of the two."
NAME_NUMBER = f"Keep one of the two, or say which part of the file holds the number: {NAMED_BY['number']}."
GIVE_TITLE = f"Add a title, or say which part of the file holds it: {NAMED_BY['title']}."


@dataclass(frozen=True, slots=True)
class SubtopicRecord:
    number: str
    text: str


@dataclass(frozen=True, slots=True)
class TopicRecord:
    number: str
    title: str
    description: str
    narrative: str
    subtopics: tuple[SubtopicRecord, ...]
    line: int


@dataclass(slots=True)
class TopicDraft:
    """A topic as read; `subtopics` are (line, number, text). `title_text`: the text of the title with its line breaks.

    `language`: the code that the topic itself names.

    `other_numbers`: what else in the topic could number it, unless the sender has said what does. Topics that differ in it are
    two, whatever else they share.
    """

    line: int
    number: str = ""
    title: str = ""
    title_text: str = ""
    description: str = ""
    narrative: str = ""
    subtopics: list[tuple[int, str, str]] = field(default_factory=list)
    other_numbers: tuple[str, ...] = ()
    language: str = ""

    def set(self, part: str, text: str) -> None:
        """Give a part its text: descriptions and narratives have paragraphs, the others are on one line."""
        if part == "title":
            self.title_text = text
        setattr(self, part, paragraphs(text) if part in ("description", "narrative") else one_line(text))


def add_too_many(problems: ProblemLog, what: str, line: int | None = None) -> None:
    problems.add("too_many", f"The file has more than {what}.", "Send the topics of one task only.", line=line)


def are_too_many(topics: int, subtopics: int, line: int, problems: ProblemLog) -> bool:
    """Whether a file holds more topics or subtopics than are read; if so, this is added to the problems.

    >>> are_too_many(topics=50, subtopics=0, line=50, problems=ProblemLog())
    False
    """
    if subtopics > MOST_SUBTOPICS:
        add_too_many(problems, f"{MOST_SUBTOPICS:,} subtopics", line)
    elif topics > MOST_TOPICS:
        add_too_many(problems, f"{MOST_TOPICS:,} topics", line)
    else:
        return False
    return True


def checked_topics(drafts: Iterable[TopicDraft], problems: ProblemLog) -> tuple[TopicRecord, ...]:
    drafts = list(drafts)
    if len(drafts) > 1 and not any(draft.title for draft in drafts):
        numbers = all(draft.number for draft in drafts)
        message = f"None of the {len(drafts):,} topics has a title{': there are numbers alone' if numbers else ''}."
        problems.add("topic_title_missing", message, GIVE_TITLE, line=drafts[0].line, times=len(drafts))
        return ()
    first: dict[str, _First] = {}
    records = []
    for draft in drafts:
        if _is_a_repetition(draft, first, problems):
            continue
        sound = _number_is_sound(draft, first, problems)
        _shorten_title(draft, problems)
        if not draft.title:
            message = f"Topic {visible(draft.number)} has no title." if draft.number else "The topic has no title."
            problems.add("topic_title_missing", message, GIVE_TITLE, line=draft.line)
            sound = False
        sound = _lengths_are_sound(draft, problems) and sound
        subtopics = _checked_subtopics(draft, problems)
        if sound and subtopics is not None:
            records.append(
                TopicRecord(draft.number, draft.title, draft.description, draft.narrative, subtopics, draft.line)
            )
    return tuple(records)


@dataclass(frozen=True, slots=True)
class _First:
    """The first topic of a number: made ready once for the comparison with all that follow."""

    line: int
    texts: TopicDraft


def _is_a_repetition(draft: TopicDraft, first: dict[str, _First], problems: ProblemLog) -> bool:
    """Whether the same topic stood in the file before, as turns do where each branch of a conversation is written out."""
    before = first.get(draft.number)
    if before is None or _without_lines(draft) != before.texts:
        return False
    message = f"Topic {visible(draft.number)} was already given on line {before.line}, with the same texts."
    problems.add("topic_repeated", message, "It counts once.", line=draft.line, severity="warning")
    return True


def _without_lines(draft: TopicDraft) -> TopicDraft:
    subtopics = [(0, number, text) for _, number, text in draft.subtopics]
    return replace(draft, line=0, title_text="", subtopics=subtopics)


def _shorten_title(draft: TopicDraft, problems: ProblemLog) -> None:
    """Some campaigns publish whole stories as the only text of a topic."""
    if draft.description or not SHORT_TITLE < len(draft.title) <= limits.PART_OF_TOPIC:
        return
    draft.description = paragraphs(draft.title_text)
    draft.title = f"{draft.title[:SHORT_TITLE].rpartition(' ')[0] or draft.title[:SHORT_TITLE]} …"
    message = (
        f"Topic {visible(draft.number)} has no description, and its title is longer than {SHORT_TITLE} characters: "
        "it is the description."
    )
    remedy = "The title is its beginning: write a title for it, if you like."
    problems.add("topic_title_shortened", message, remedy, line=draft.line, severity="warning")


def _number_is_sound(draft: TopicDraft, first: dict[str, _First], problems: ProblemLog) -> bool:
    problem = key_problem(draft.number, "topic number")
    if problem:
        code, message, remedy = problem
        remedy = remedy if draft.number else GIVE_NUMBER
        problems.add(f"topic_number_{code}", message, remedy, line=draft.line, excerpt=draft.number)
        return False
    if draft.number in first:
        message = f"Topic {visible(draft.number)} was already given on line {first[draft.number].line}."
        remedy = NAME_NUMBER if draft.other_numbers else KEEP_ONE
        problems.add("topic_number_duplicate", message, remedy, line=draft.line)
        return False
    first[draft.number] = _First(draft.line, _without_lines(draft))
    return True


def _lengths_are_sound(draft: TopicDraft, problems: ProblemLog) -> bool:
    parts = {
        "title": (draft.title, limits.TITLE_OF_TOPIC),
        "description": (draft.description, limits.PART_OF_TOPIC),
        "narrative": (draft.narrative, limits.PART_OF_TOPIC),
        **{f"subtopic {visible(number)}": (text, limits.SUBTOPIC) for _, number, text in draft.subtopics},
    }
    too_long = {name: (len(text), most) for name, (text, most) in parts.items() if len(text) > most}
    for name, (length, most) in too_long.items():
        message = f"The {name} of topic {visible(draft.number)} has {length:,} characters, the maximum is {most:,}."
        problems.add("topic_text_long", message, "Shorten it.", line=draft.line)
    count = len(draft.subtopics)
    if count > limits.MOST_SUBTOPICS:
        message = f"Topic {visible(draft.number)} has {count:,} subtopics, the maximum is {limits.MOST_SUBTOPICS}."
        problems.add("subtopics_many", message, "Keep the most important ones.", line=draft.line)
        return False
    return not too_long


def _checked_subtopics(draft: TopicDraft, problems: ProblemLog) -> tuple[SubtopicRecord, ...] | None:
    records: dict[str, SubtopicRecord] = {}
    sound = True
    for line, number, text in draft.subtopics:
        if not text:  # files of the web tracks hold such
            which = f"Subtopic {visible(number)}" if number else "A subtopic"
            message, remedy = f"{which} of topic {visible(draft.number)} has no text.", "It is left out: describe it."
            problems.add("subtopic_text_missing", message, remedy, line=line, severity="warning")
            continue
        if problem := key_problem(number, f"subtopic number in topic {visible(draft.number)}"):
            code, message, remedy = problem
            problems.add(f"subtopic_number_{code}", message, remedy, line=line, excerpt=number)
        elif number in records:
            message = f"Subtopic {visible(number)} of topic {visible(draft.number)} is given twice."
            problems.add("subtopic_number_duplicate", message, "Give each subtopic its own number.", line=line)
        else:
            records[number] = SubtopicRecord(number, text)
            continue
        sound = False
    return tuple(records.values()) if sound else None
