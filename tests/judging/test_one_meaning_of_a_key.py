"""A key means one thing on all pages: the letters are those of the commands of the desk, digits give what is asked for."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from judging.adjudication import views as adjudication
from judging.core.keyboard_shortcuts import COMMANDS, LETTERS, RESERVED
from judging.preferences.desk_page import ANSWER_KEYS, DOES
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_topics
from tests.judging.makers import client_of
from tests.judging.preferences.makers import make_comparison

ROOT = Path(__file__).parents[2]
BY_ROW = {"step.key", "row.step.key", "row.key", "part.none_key", "forloop.counter", "key"}
"""Keys of grades, subtopics and reasons, which the topic or the organisers bring; `key` is the caller's, of a command."""
CARRIED = re.compile(r'aria-keyshortcuts="([^"]*)"')
WRITTEN = re.compile(r"<kbd>([^<{]+)</kbd>")
BRACED = re.compile(r"\{\{ ([\w.]+) \}\}")


def _templates() -> dict[Path, str]:
    return {path: path.read_text() for path in (ROOT / "templates").rglob("*.html")}


def test_every_key_of_a_page_is_that_of_a_command_of_the_desk_or_of_an_answer() -> None:
    meanings: dict[str, set[str]] = defaultdict(set)
    pages = 0
    for path, text in _templates().items():
        for carried in CARRIED.findall(text):
            pages += 1
            names = set(BRACED.findall(carried)) - BY_ROW
            assert all(name.removeprefix("keys.") in COMMANDS.keys() | ANSWER_KEYS for name in names), (path, carried)
            for fixed in BRACED.sub("", carried).split():
                assert fixed in {*RESERVED, "0", "ArrowLeft", "ArrowRight"}, f"{path}: {fixed} is no command's key"
                meanings[fixed] |= names
    assert pages > 20
    assert meanings["ArrowRight"] == {"keys.following"}
    assert meanings["ArrowLeft"] == {"keys.previous"}
    assert meanings["/"] == {"keys.words"}


def test_no_page_writes_a_letter_of_its_own() -> None:
    written = {path: WRITTEN.findall(text) for path, text in _templates().items()}
    letters = {path: keys for path, keys in written.items() if {key.lower() for key in keys} & set(LETTERS + "m")}
    assert letters == {}


def test_lists_of_keys_name_commands_of_the_desk_and_no_letter_stands_for_two() -> None:
    letters = [key for key, _ in COMMANDS.values()]
    assert len(set(letters)) == len(letters)
    assert adjudication.DOES.keys() <= COMMANDS.keys()
    assert DOES.keys() <= COMMANDS.keys() | ANSWER_KEYS
    assert all(key.isdecimal() for key in ANSWER_KEYS.values())


def test_the_guide_lists_for_pairs_no_letter_that_means_something_else_at_the_desk() -> None:
    guide = (ROOT / "docs/guide/assessor.md").read_text()
    [_, pairs] = re.findall(r"\| key \| does \|\n(?:\|.*\n)+", guide)
    listed = {*re.findall(r"<kbd>(\w)</kbd>", pairs)}
    assert listed == {*ANSWER_KEYS.values(), *(COMMANDS[name][0] for name in DOES if name in COMMANDS)}


@pytest.mark.django_db
def test_a_key_that_the_assessor_chose_holds_at_the_desk_for_pairs_too(cast: Cast) -> None:
    cast.assessor.desk_keys = {"note": "q", "undo": ";"}
    cast.assessor.save()
    [topic] = make_topics(cast.task, ["401"])
    make_qrels(cast.task, {"401": {"D1": 3, "D2": 3}}, cast.organiser)
    make_comparison(cast, topic, ["D1", "D2"])
    page = client_of(cast, "assessor").get(cast.task.url("preference_desk", topic_number="401")).content.decode()
    assert CARRIED.findall(page) == ["j ArrowRight", "1", "2", "3", "q", ";"]
    assert "<kbd>;</kbd> undo" in page
