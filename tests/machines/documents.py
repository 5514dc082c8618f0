"""The commands of a page of the guide, as a reader would type them."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.places import REPOSITORY


@dataclass(frozen=True)
class Section:
    title: str
    commands: str
    """All indented lines of the section, in order; "" where it has none."""

    def with_values(self, **values: str) -> str:
        """The commands, which set variables alone, with these values in place of the page's."""
        lines = dict(line.split("=", 1) for line in self.commands.splitlines())
        assert values.keys() <= lines.keys(), f"the page sets {', '.join(lines)}"
        lines |= {name: shlex.quote(value) for name, value in values.items()}
        return "\n".join(f"{name}={value}" for name, value in lines.items())


def sections(page: str) -> list[Section]:
    """The page's introduction and its sections."""
    text = (REPOSITORY / "docs" / "guide" / Path(page)).read_text(encoding="utf-8")
    found = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE):
        title, _, body = part.partition("\n")
        lines = re.findall(r"^ {4}(.*)$", body, re.MULTILINE)
        found.append(Section(title, "\n".join(lines)))
    return found
