"""docs/architecture.md: its drawing is the one that the folders give, and what it names is there."""

import re

from tests.architecture_drawing import ABOUT, DRAWING, drawing
from tests.places import REPOSITORY
from tests.pure_code import APPS, LAYERS

PAGE = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([a-z_/]+/(?:[a-z_]+\.py)?)`", PAGE)))
IN_EACH_APP = {"management/commands/", "models/", "services/"}
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
