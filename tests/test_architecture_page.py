"""docs/architecture.md: its drawing is the one that the folders give, and what it names is there."""

import re

from tests.architecture_drawing import ABOUT, DRAWING, drawing
from tests.places import REPOSITORY
from tests.pure_code import APPS, LAYERS

PAGE = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([a-z_/]+/(?:[a-z_]+\.py)?)`", PAGE)))
IN_EACH_APP = {"api/", "exports/", "management/commands/", "models/", "services/"}
OF_EACH_SUBJECT = ("selectors/",)


def test_the_drawing_is_the_one_that_the_folders_give() -> None:
    assert DRAWING.read_text(encoding="utf-8") == drawing(), "Run: .venv/bin/python -m tests.architecture_drawing"
    assert list(ABOUT) == LAYERS


def test_every_place_that_the_page_names_is_there() -> None:
    assert len(NAMED) > 30
    lacking = []
    for name in NAMED:
        below = "*/**/" if name.startswith(OF_EACH_SUBJECT) or name in IN_EACH_APP else ""
        if not any(REPOSITORY.glob(f"{below}{name}".rstrip("/"))):
            lacking.append(name)
    assert lacking == []


def test_every_call_against_the_arrows_is_named_with_its_reason() -> None:
    """What an app does when it starts, but the collation of SQLite, and what ends with its process."""
    called: set[str] = set()
    for app in APPS:
        text = (REPOSITORY / app / "apps.py").read_text(encoding="utf-8")
        called |= set(re.findall(r"\b(\w+)\.connect\(|\b(\w+_with)\(", text))
    hooks = {name for pair in called for name in pair if name} - {"connection_created"}
    assert len(hooks) > 5
    assert {name for name in hooks if f"`{name}`" not in PAGE} == set()


def test_every_place_where_go_to_definition_ends_is_where_the_page_says() -> None:
    way = PAGE.partition("## From an upload to a board")[2].partition("\n## ")[0]
    places = re.findall(r"`([\w/]+\.(?:py|html))`: `([\w./]+)`", way)
    assert len(places) == 34
    lacking = [place for place in places if place[1] not in (REPOSITORY / place[0]).read_text(encoding="utf-8")]
    assert lacking == []


def test_every_step_from_an_upload_to_a_board_is_where_the_page_says() -> None:
    way = PAGE.partition("## From an upload to a board")[2].partition("At these places")[0]
    steps = re.findall(r"\| (`\w+`(?:, `\w+`)*) \| `([\w/]+\.py)` \|", way)
    assert len(steps) == 14
    texts = {path: (REPOSITORY / path).read_text(encoding="utf-8") for _, path in steps}
    lacking = [
        (name, path) for names, path in steps for name in re.findall(r"\w+", names) if f"def {name}(" not in texts[path]
    ]
    assert lacking == []
