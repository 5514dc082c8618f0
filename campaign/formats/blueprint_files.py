"""A campaign's set-up as one file: TOML or YAML is read, TOML is written. What is written is read back as the same values."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from io import BytesIO
from types import NoneType
from typing import Any, Literal

import yaml

from campaign.formats.encodings import wide_encoding
from campaign.formats.kinds import KINDS, kind_of, no_text

Language = Literal["toml", "yaml"]
LARGEST = 500_000
MOST_VALUES = 50_000
MOST_NAMES = 30
"""With dots between them: the library needs memory for their number squared, 8 GB for 90 kB."""
PART_OF_TOML = re.compile(
    r"#[^\n]*+|"
    r'''"""(?>(?:[^"\\]++|\\.|"(?!""))*)(?:"""|\\?\Z)|"(?:[^"\\\n]++|\\.)*+(?:"|\\?\Z|(?=\n))'''
    r"""|'''.*?(?:'''|\Z)|'[^'\n]*+(?:'|\Z|(?=\n))|[\w-]++|[ \t]++|.""",
    re.DOTALL,
)
"""A comment, a text, a word, blanks or a mark. A text without an end takes the rest, so that nothing is looked at twice.

(Python 3.11.2 does not give back what a possessive group has taken of a last round that fails: an atomic one does.)
"""
TOML_MARKS = re.compile(r"[=,\[{.]")
YAML_NUMBERS, LONGEST_NUMBER = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}), 100
"""1:30 is 90: a long number to the base of 60 takes seconds to compute."""
HALF, LONGEST_SHOWN = re.compile("[\ud800-\udfff]"), 40
KINDS_OF_VALUES = (str, int, float, date, time, NoneType)  # a datetime is a date
KINDS_OF_YAML: Mapping[type, str] = {set: "a set (!!set)", tuple: "a pair (!!pairs, !!omap)", bytes: "bytes (!!binary)"}
PLAIN = "Write texts, numbers, dates, lists and names with values."
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
FOLLOWING_OR_LAST_QUOTE = re.compile(r'(?<=")"|"\Z')
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


class BlueprintFileError(ValueError):
    """The file cannot be read; the message says where and why."""


_TOO_MANY = f"The file has more than {MOST_VALUES:,} values. Take out what is not of this campaign."


class _NoAliases(yaml.SafeLoader):
    """A few lines of aliases can stand for gigabytes, and 2 bytes of a value for a kilobyte."""

    values = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.values += 1
        if self.values > MOST_VALUES:
            raise BlueprintFileError(_TOO_MANY)
        if self.check_event(yaml.AliasEvent):
            line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
            raise BlueprintFileError(f"Line {line}: an alias (*) stands here. Write the values themselves.")
        node = super().compose_node(parent, index)
        if isinstance(node, yaml.ScalarNode) and node.tag in YAML_NUMBERS and len(node.value) > LONGEST_NUMBER:
            line = node.start_mark.line + 1
            raise BlueprintFileError(f"Line {line}: a number of more than {LONGEST_NUMBER} characters stands here.")
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """The library takes the last of several values of one name, which is not seen by whoever wrote the first."""
        names = set()
        for key, _ in getattr(node, "value", ()):
            if not isinstance(key, yaml.ScalarNode):
                continue
            if (key.tag, key.value) in names:
                line = key.start_mark.line + 1
                shown = key.value[:LONGEST_SHOWN].encode(errors="replace").decode()
                raise BlueprintFileError(f"Line {line}: “{shown}” stands here a second time. Keep one of the two.")
            names.add((key.tag, key.value))
        return super().construct_mapping(node, deep)


def _sound(value: Any) -> Any:
    """The value with texts that can be stored. BlueprintFileError for half a character, NUL, and numbers that fill a page.

    So it is for what only YAML has (sets, pairs, bytes), which nothing of a campaign is, wherever it stands. JSON writes what
    is beyond U+FFFF as two escapes, of which the reader of YAML makes two halves.
    """
    if isinstance(value, Mapping):
        return {_sound(name): _sound(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_sound(one) for one in value]
    if not isinstance(value, KINDS_OF_VALUES):
        raise BlueprintFileError(
            f"The file holds {KINDS_OF_YAML.get(type(value), 'a value')} that no campaign has. {PLAIN}"
        )
    if isinstance(value, int) and abs(value) >= 10**LONGEST_NUMBER:
        raise BlueprintFileError(f"The file holds a number of more than {LONGEST_NUMBER} digits.")
    if isinstance(value, str) and "\0" in value:
        raise BlueprintFileError("The file holds a NUL character, such as \\0 or \\u0000. Take it out.")
    if isinstance(value, str) and HALF.search(value):
        try:
            return value.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise BlueprintFileError("The file holds half of a character, such as \\ud800. Take it out.") from None
    return value


def language_of(file_name: str) -> Language:
    """By the ending; whatever is not TOML is read as YAML, of which JSON is a part.

    >>> language_of("velo.TOML"), language_of("velo.yml"), language_of("velo.json")
    ('toml', 'yaml', 'yaml')
    """
    return "toml" if file_name.lower().endswith(".toml") else "yaml"


def _require_small(toml: str) -> None:
    if sum(1 for _ in TOML_MARKS.finditer(toml)) > MOST_VALUES:
        raise BlueprintFileError(_TOO_MANY)
    names, is_open = 1, False
    for part in PART_OF_TOML.finditer(toml):
        if part[0].isspace() and "\n" not in part[0]:
            continue
        if part[0] == ".":
            is_open = True
            continue
        names, is_open = (names + 1 if is_open else 1), False
        if names > MOST_NAMES:
            line = toml.count("\n", 0, part.start()) + 1
            raise BlueprintFileError(
                f"Line {line}: more than {MOST_NAMES} names stand here with dots between them. Nothing of a campaign is so deep."
            )


def read_blueprint(content: bytes, language: Language) -> Mapping[str, Any]:
    """Names and values; what they mean is checked by whoever builds the campaign.

    >>> read_blueprint(b'slug = "velo"', "toml")
    {'slug': 'velo'}
    """
    if len(content) > LARGEST:
        raise BlueprintFileError(
            f"The file has {len(content):,} bytes, a campaign at most {LARGEST:,}. Shorten its texts."
        )
    if why := no_text(BytesIO(content)):
        raise BlueprintFileError(why)
    name = "TOML" if language == "toml" else "YAML"
    encoding = wide_encoding(content) or "UTF-8"
    try:
        text = content.decode(encoding).removeprefix("\ufeff")
        if language == "toml":
            _require_small(text)
        # A loader for safe values, which knows no other types than the usual one.
        value = _sound(tomllib.loads(text) if language == "toml" else yaml.load(text, _NoAliases))  # noqa: S506
    except UnicodeDecodeError as problem:
        raise BlueprintFileError(f"The file is not valid {encoding}: {problem}. Save it as UTF-8.") from problem
    except RecursionError as problem:
        raise BlueprintFileError(f"The {name} is nested too deeply.") from problem
    except (tomllib.TOMLDecodeError, yaml.YAMLError, ValueError) as problem:
        if isinstance(problem, BlueprintFileError):
            raise
        raise BlueprintFileError(f"This is not sound {name}: {problem}{_other_kind(content)}") from problem
    other = "" if isinstance(value, Mapping) and "slug" in value else _other_kind(content)
    if other or not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise BlueprintFileError(
            f"The file holds no campaign: write names and values, as in the example of the guide.{other}"
        )
    return value


def _other_kind(content: bytes) -> str:
    """What a file is that is no set-up of a campaign, and where it comes in.

    >>> _other_kind(b"1 Q0 d1 1 2.5 bm25")[:63]
    ' This looks like a run: topic, Q0, docno, rank, score and tag. '
    """
    kind = kind_of(BytesIO(content))
    return f" This looks like {KINDS[kind].what}. {KINDS[kind].where}" if kind not in ("", "campaign") else ""


def toml_text(value: Mapping[str, Any]) -> str:
    """Values first, then tables, then lists of tables, each in the order given.

    >>> print(toml_text({"slug": "velo", "tasks": [{"title": "A", "rules": {"x": "off"}}]}), end="")
    slug = "velo"
    <BLANKLINE>
    [[tasks]]
    title = "A"
    <BLANKLINE>
    [tasks.rules]
    x = "off"
    """
    return "".join(_table(value, ())).lstrip("\n")


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    tables = {name: value for name, value in table.items() if isinstance(value, Mapping)}
    lists = {name: value for name, value in table.items() if _is_list_of_tables(value)}
    for name, value in table.items():
        if name not in tables and name not in lists:
            yield f"{_key(name)} = {_value(value)}\n"
    for name, inner in tables.items():
        here = (*path, _key(name))
        yield f"\n[{'.'.join(here)}]\n"
        yield from _table(inner, here)
    for name, rows in lists.items():
        here = (*path, _key(name))
        for row in rows:
            yield f"\n[[{'.'.join(here)}]]\n"
            yield from _table(row, here)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _key(name: str) -> str:
    return name if BARE_KEY.fullmatch(name) else _line(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str):
        return _paragraphs(value) if "\n" in value else _line(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_value, value))}]"
    raise TypeError(f"TOML has no place for {type(value).__name__}")


def _line(text: str) -> str:
    return _without_unseen(json.dumps(text, ensure_ascii=False))


def _paragraphs(text: str) -> str:
    """Lines as lines, so that people can edit them; a run of quotation marks could end the text."""
    escaped = FOLLOWING_OR_LAST_QUOTE.sub(r'\\"', text.replace("\\", "\\\\"))
    return f'"""\n{_without_unseen(escaped)}"""'


def _without_unseen(text: str) -> str:
    return UNSEEN.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
