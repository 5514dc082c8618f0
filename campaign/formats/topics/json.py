"""Topics in JSON: an object on each line, or a whole file such as a list of conversations with their turns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from operator import itemgetter
from typing import Any

from campaign.formats.jsonlines import FieldError, json_objects, text_field
from campaign.formats.markup import one_line, paragraphs
from campaign.formats.names import LISTED, count_name
from campaign.formats.problems import KEY_LENGTH_LIMIT, ProblemLog, visible
from campaign.formats.topics.dialects import (
    AS_USUAL,
    NAMES,
    NUMBERS,
    PARTS,
    UTTERANCES,
    Dialect,
    TopicChoices,
    language_of,
    plain_name,
)
from campaign.formats.topics.drafts import TopicDraft, are_too_many
from campaign.formats.topics.wrong_kinds import OF_SET_UP, SET_UP
from campaign.text import limits

SUBTOPIC_NUMBERS, SUBTOPIC_TEXTS = ("number", "num", "id"), ("text", "description", "title")
TURNS = ("turn", "turns", "responses")
ABOUT = ("title", "description")
"""What a conversation says of itself: it comes with each turn, since turns alone are not understood."""
TURN_NUMBERS = ("number", "turn_id", "turn_number", "id")
WRAPPERS = ("topic", "query")
"""Their objects hold the parts of the topic."""
LISTS = frozenset({"topics", "queries", "questions", "sessions", "conversations", "data"})
LANGUAGES = "topics"
"""Its objects are the same topic in several languages, as in NeuCLIR, where each names one."""
Fields = dict[str, Any]
MOST_KEYS = 100_000
"""An object has at most so many fields: it is a topic, or holds topics by their numbers. A field takes 500 bytes."""
NOTHING: tuple[Any, ...] = (None, "", [], {})
NOT_WRITTEN_OUT = "…"
DIGITS_AROUND = re.compile(r"^[\W\d_]+|[\W\d_]+$")
PARTS_ELSEWHERE = frozenset({"answer", "response", "reply", "passage", "option", "choice", "url"})
"""Names of what a question may have beside those that are known here."""


def json_drafts(
    lines: Sequence[tuple[int, str]], problems: ProblemLog, choices: TopicChoices = AS_USUAL
) -> list[TopicDraft]:
    drafts: list[TopicDraft] = []
    dialect, subtopics = Dialect("“{}”", choices), 0
    objects = json_objects(lines, problems, whole=True)
    head = list(islice(objects, 2))
    for number, line, value in chain(head, objects):
        if len(value) > MOST_KEYS:
            message = f"The object has {len(value):,} fields, and {MOST_KEYS:,} is the most."
            problems.add("json_field", message, "Send only what people need of a topic.", line=number, excerpt=line)
            continue
        if value.keys() >= OF_SET_UP:
            problems.add("unknown_format", *SET_UP, line=number, excerpt=line)
            continue
        if len(keys := _keys_of_topics(value, dialect)) > 1:
            named = ", ".join(visible(f"“{key}”") for key in keys[:LISTED])
            message = f"The object holds {len(keys):,} lists that may be topics: {named}."
            problems.add("json_lists", message, "Send the list of topics alone.", line=number, excerpt=line)
            continue
        if texts := _texts_by_number(value, dialect) if len(head) == 1 else {}:
            message = f"Texts were read as titles, and their keys as topic numbers: {', '.join(map(visible, list(texts)[:3]))}."
            remedy = "Check that these are topics: their pages show them."
            problems.add("topic_texts", message, remedy, line=number, severity="warning")
            value = {key: {"title": text} for key, text in texts.items()}
        for entry in _entries(value, dialect):
            try:
                for fields in _topics_in(entry, dialect):
                    draft = TopicDraft(number, language=dialect.language_in(fields))
                    _fill(draft, fields, dialect)
                    drafts.append(draft)
                    subtopics += len(draft.subtopics)
                    if are_too_many(len(drafts), subtopics, number, problems):
                        return []
            except FieldError as error:
                problems.add("json_field", str(error), "Write texts as JSON strings.", line=number, excerpt=line)
    dialect.note(problems)
    return drafts


def _entries(value: Fields, dialect: Dialect) -> Iterator[Fields]:
    """The topics and conversations that an object holds: itself, those in a list, or objects by their numbers."""
    inner = list(value.values())
    if keys := _keys_of_topics(value, dialect):
        key = keys[0]
        for name in value:
            if name != key:  # such as the version of the file
                count_name(dialect.left_out, name)
        yield from value[key]
    elif _is_topic(value, dialect) or not inner:
        yield value
    elif all(isinstance(fields, dict) for fields in inner):
        for number, fields in value.items():
            if not _has_number(fields, dialect):
                yield {"number": number, **fields}
                continue
            if number not in map(str, fields.values()):
                count_name(dialect.left_out, number)
            yield fields
    else:
        yield value


def _texts_by_number(value: Fields, dialect: Dialect) -> Mapping[str, str]:
    """The texts of an object whose keys are their numbers, as BEIR holds queries, also under one of the usual names of a list.

    Keys such as `title_2024` and `query1` are parts of one topic, but for a list of `query1`, `query2` under such a name.

    >>> _texts_by_number({"queries": {"q1": "mill ponds", "q2": "kites"}}, Dialect())
    {'q1': 'mill ponds', 'q2': 'kites'}
    >>> _texts_by_number({"wording": "mill ponds", "more": "x"}, Dialect())
    {}
    """
    is_list = len(value) == 1 and (key := next(iter(value))).lower() in LISTS and isinstance(value[key], dict)
    if is_list:
        value = value[key]
    are_texts = len(value) > (not is_list) and all(isinstance(text, str) for text in value.values())
    are_numbers = all(any(map(str.isdigit, key)) and plain_name(key) not in NAMES for key in value)
    stems = {plain_name(DIGITS_AROUND.sub("", key)) for key in value}
    are_parts = not stems.isdisjoint(NAMES | PARTS_ELSEWHERE) and not (is_list and len(stems) == 1)
    return value if are_texts and are_numbers and not are_parts and not dialect.chosen else {}


def _is_topic(value: Fields, dialect: Dialect) -> bool:
    return bool(_turns_of(value)) or _has_number(value, dialect) or not value.keys().isdisjoint(WRAPPERS)


def _keys_of_topics(value: Fields, dialect: Dialect) -> list[str]:
    """The keys of the lists of topics in an object.

    Where the object could be a topic itself, these are lists under one of the usual names; beside a title, `topics` alone.
    A list without the numbers of its topics counts where nothing else is there.
    """
    if _turns_of(value):
        return []
    keys = [key for key in value if key != "subtopics" and _is_list_of_objects(value[key])]
    is_topic, has_title = _is_topic(value, dialect), any(dialect.plain(name) in PARTS["title"] for name in value)
    found = []
    for key in keys:
        is_usual = key.lower() in LISTS
        if is_topic and key == LANGUAGES:
            are_topics = not _are_languages(value[key])
        else:
            may_be = (is_usual and not has_title) if is_topic else (is_usual or not has_title)
            are_topics = may_be and all(_has_number(one, dialect) or _turns_of(one) for one in value[key])
        if are_topics:
            found.append(key)
    return found or (keys if len(value) == 1 and not is_topic else [])


def _are_languages(topics: Sequence[Fields]) -> bool:
    """Whether the objects are one topic in several languages: each names its language, and no two have different numbers."""
    numbers = {
        str(topic[key])
        for topic in topics
        for key in topic
        if plain_name(key) in PARTS["number"] and not isinstance(topic[key], dict | list)
    }
    return len(numbers) < 2 and all("lang" in topic for topic in topics)


def _fill(draft: TopicDraft, fields: Fields, dialect: Dialect) -> None:
    numbers = _objects_as_numbers(fields, dialect)
    texts = [(key, _text_of(fields, key, dialect)) for key in fields if key != "subtopics" and key not in numbers]
    subtopics = fields.get("subtopics")
    draft.subtopics = _subtopics(subtopics, draft.line)
    for place, key, value in _left_out_of_subtopics(subtopics):
        text = _without_place(key, value, dialect)
        dialect.leave_out(f"subtopic {key}", text, f"subtopic {place} {key}")
    for key in filter(numbers.__contains__, fields):
        dialect.leave_out(key, _without_place(key, fields[key], dialect))
    dialect.fill(draft, dialect.chosen_first(texts), may_join=False)


def _objects_as_numbers(fields: Fields, dialect: Dialect) -> set[str]:
    """The keys of numbers that hold an object, where another key gives the number that cannot be that of a title."""
    numbers = [key for key in fields if plain_name(key) in NUMBERS or dialect.is_chosen("number", key)]
    if not any(_is_number(fields[key]) for key in numbers):
        return set()
    return {key for key in numbers if isinstance(fields[key], dict) and not dialect.is_chosen("number", key)}


def _is_number(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else isinstance(value, int)


def _text_of(fields: Fields, key: str, dialect: Dialect) -> str:
    is_text = dialect.plain(key) in NAMES or isinstance(fields[key], str)
    return text_field(fields, key) if is_text else _without_place(key, fields[key], dialect)


def _without_place(key: str, value: Any, dialect: Dialect) -> str:
    """The text of a key that has no place: its value may be of any kind, and is written out only if it is appended."""
    if value in NOTHING or not dialect.choices.appends:
        return "" if value in NOTHING else NOT_WRITTEN_OUT
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = "; ".join(value)
    try:
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except RecursionError as error:
        raise FieldError(f"Field {key} is too deep.") from error
    return text_field({key: written}, key)


def _topics_in(entry: Fields, dialect: Dialect) -> Iterator[Fields]:
    """The fields of a topic; of a conversation those of each turn."""
    if turns := _turns_of(entry):
        yield from _turns(entry, turns, dialect)
    else:
        yield _unwrapped(entry, dialect)


def _turns_of(value: Fields) -> str:
    """The key of the turns of a conversation."""
    return next((key for key in TURNS if _is_list_of_objects(value.get(key)) and any(map(_utters, value[key]))), "")


def _utters(turn: Fields) -> bool:
    return any(turn[key] for key in turn if plain_name(key) in UTTERANCES)


def _unwrapped(value: Fields, dialect: Dialect) -> Fields:
    fields = _of_suggestions(value) if isinstance(value.get("body"), dict) else dict(value)
    for key in WRAPPERS:
        if isinstance(fields.get(key), dict):
            inner = fields.pop(key)
            fields = _merged(inner, fields, key, dialect)
    if _is_list_of_objects(fields.get(LANGUAGES)) and _are_languages(fields[LANGUAGES]):
        topics = fields.pop(LANGUAGES)
        languages = [dialect.language_in(topic) for topic in topics]
        chosen = topics[languages.index(dialect.language.of(languages))]
        for topic in topics:
            if topic is not chosen:
                count_name(dialect.left_out, f"{LANGUAGES} {language_of(topic)}".strip())
        fields = _merged(chosen, fields, LANGUAGES, dialect)
    return fields


def _of_suggestions(value: Fields) -> Fields:
    """A request of contextual suggestion: where somebody is, and what the request says of the trip. Persons are left out.

    >>> _of_suggestions({"id": 7, "body": {"group": "Friends", "location": {"name": "Cork", "state": "IE"}}})["request"]
    'group: Friends'
    """
    body = value["body"]
    place = body.get("location")
    if not isinstance(place, dict) or not isinstance(place.get("name"), str):
        return dict(value)
    texts = {key: text for key, text in body.items() if isinstance(text, str) and text}
    fields = {key: one for key, one in value.items() if key != "body"}
    fields.update((key, one) for key, one in body.items() if key not in texts)
    state = place.get("state")
    fields["place of the request"] = ", ".join([place["name"], *([state] if isinstance(state, str) and state else [])])
    if texts:
        fields["request"] = "; ".join(f"{key}: {text}" for key, text in texts.items())
    return fields


def _merged(inner: Fields, outer: Fields, key: str, dialect: Dialect) -> Fields:
    """The fields of both; of a name that both have, the inner one is left out."""
    for name in inner.keys() & outer.keys():
        if inner[name] != outer[name]:
            count_name(dialect.left_out, f"{key} {name}")
    return {**inner, **outer}


def _turns(conversation: Fields, key: str, dialect: Dialect) -> Iterator[Fields]:
    """Conversations of CAsT and iKAT: runs and qrels number a turn by the conversation, a low line and the turn."""
    said = [name for name in ABOUT if isinstance(conversation.get(name), str)]
    about = paragraphs("\n\n".join(conversation[name] for name in said))
    if len(about) > limits.SUBTOPIC:  # it would be stored with each turn
        said, about = [], ""
    for name in conversation:
        if name != key and name not in said and dialect.plain(name) not in PARTS["number"]:
            count_name(dialect.left_out, name)
    chosen = [name for name in conversation if dialect.is_chosen("number", name)]
    number = _first_of(conversation, chosen or PARTS["number"], dialect)[: KEY_LENGTH_LIMIT + 1]
    for place, turn in enumerate(conversation[key], start=1):
        if not _utters(turn):
            count_name(dialect.left_out, f"{key} without an utterance")
            continue
        of_turn = _first_of(turn, TURN_NUMBERS, dialect) or str(place)
        rest = {
            name: text for name, text in turn.items() if name not in TURN_NUMBERS or dialect.is_chosen("number", name)
        }
        added = {(*chosen, "number")[0]: number and f"{number}_{of_turn}", **({"conversation": about} if about else {})}
        yield _merged(rest, added, key, dialect)


def _first_of(fields: Fields, names: Sequence[str], dialect: Dialect) -> str:
    """The text of the first of these names that is there, however it is spelt; the others are left out."""
    order = {plain_name(name): place for place, name in reversed(list(enumerate(names)))}
    known = [(order[plain], key) for key in fields if (plain := plain_name(key)) in order and fields[key] is not None]
    there = [key for _, key in sorted(known, key=itemgetter(0))]
    for name in there[1:]:
        count_name(dialect.left_out, name)
    return text_field(fields, *there[:1])


def _has_number(value: Mapping[str, Any], dialect: Dialect) -> bool:
    return any(dialect.plain(key) in PARTS["number"] and not isinstance(value[key], dict | list) for key in value)


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _subtopics(value: object, line: int) -> list[tuple[int, str, str]]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise FieldError("Field subtopics is not a list.")
    subtopics = []
    for position, item in enumerate(value, start=1):
        if isinstance(item, dict):
            number, text = text_field(item, *SUBTOPIC_NUMBERS), text_field(item, *SUBTOPIC_TEXTS)
        else:
            number, text = str(position), text_field({"subtopics": item}, "subtopics")
        subtopics.append((line, number.strip(), one_line(text)))
    return subtopics


def _left_out_of_subtopics(value: object) -> Iterator[tuple[str, str, Any]]:
    """The number, key and value of what of the subtopics is not read."""
    for place, item in enumerate(value if isinstance(value, list) else (), start=1):
        if isinstance(item, dict):
            there = [key for key in item if item[key] is not None]
            used = {next((key for key in names if key in there), "") for names in (SUBTOPIC_NUMBERS, SUBTOPIC_TEXTS)}
            number = text_field(item, *SUBTOPIC_NUMBERS) or str(place)
            yield from ((number, key, item[key]) for key in there if key not in used)
