"""What templates show before a script runs, and where none does."""

import re
from html.parser import HTMLParser

from tests.test_architecture import templates


class ScriptsButtons(HTMLParser):
    """Finds the buttons that only a script serves and that stand there before it runs."""

    EMPTY = {"input", "br", "hr", "img", "meta", "link", "source", "wbr"}

    def __init__(self, template: str) -> None:
        super().__init__()
        self.within: list[tuple[str, bool]] = []
        self.dead: list[str] = []
        self.feed(re.sub(r"{%.*?%}|{{.*?}}|{#.*?#}", "", template, flags=re.DOTALL))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        waits = tag in ("template", "dialog") or "hidden" in given or (bool(self.within) and self.within[-1][1])
        if tag == "button" and given.get("type") == "button" and not (waits or "popovertarget" in given):
            self.dead.append(self.get_starttag_text() or "")
        if tag not in self.EMPTY:
            self.within.append((tag, waits))

    def handle_endtag(self, tag: str) -> None:
        while self.within and self.within.pop()[0] != tag:
            pass


def test_a_button_that_only_a_script_serves_is_hidden_until_the_script_shows_it() -> None:
    found = {name: dead for name, text in templates().items() if (dead := ScriptsButtons(text).dead)}
    assert found == {}
    assert ScriptsButtons("<p hidden><button type='button'></p><button type='button' id='x'>").dead == [
        "<button type='button' id='x'>"
    ]
