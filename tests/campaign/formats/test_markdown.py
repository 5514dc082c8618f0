"""Markdown as HTML: what of it is kept, and that no text takes long."""

import contextlib
import time
from html.parser import HTMLParser

import pytest

from campaign.formats.markdown import ATTRIBUTES, TAGS, TooMuchToRenderError, html_of
from campaign.text.limits import MARKDOWN

PIECES = (
    *("![", "[", "[a](", "*a ", "**a", "*_", "`a``", "<a:", ">", "- ", "1. a\n"),
    *("|", "a|b\n-|-\n", "[a]: b\n", "[\n", "&#1", "\\", "\n["),
)
GROWING = {
    "lazy lines of nested quotes": ">" * 20 + "a\n" + "b\n" * MARKDOWN,
    "a table of cells that are filled up": "|" + "a|" * 100 + "\n|" + "-|" * 100 + "\n" + "|a\n" * MARKDOWN,
    "backticks of all lengths": " ".join("`" * length for length in range(1, 320)),
    "nested brackets": "[" * (MARKDOWN // 2) + "]" * (MARKDOWN // 2),
    **{piece: piece * MARKDOWN for piece in PIECES},
}


@pytest.mark.parametrize("text", ["# One\n\n## Two", "## One\n\n### Two"])
def test_headings_of_an_author_stand_below_those_of_the_page(text: str) -> None:
    assert html_of(text) == "<h3>One</h3>\n<h4>Two</h4>\n"


def test_heads_of_an_authors_table_say_what_they_head() -> None:
    assert '<th scope="col">a</th>' in html_of("| a |\n| - |\n| 1 |")


def test_pictures_become_links_since_pages_load_nothing_from_elsewhere() -> None:
    html = html_of('![the "plan"](https://example.org/plan.png)')
    assert html == '<p><a href="https://example.org/plan.png" rel="noopener noreferrer nofollow">the "plan"</a></p>\n'


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "JaVaScRiPt:x", "&#106;avascript:x"]
)
def test_a_link_leads_to_a_web_page_or_a_mail_address(address: str) -> None:
    for text in (f"[x]({address})", f"![x]({address})", f"<{address}>", f"[x]\n\n[x]: {address}"):
        assert "href=" not in html_of(text) or 'href="&amp;#106' in html_of(text)


def test_only_listed_elements_and_attributes_come_out() -> None:
    text = """<p hx-post="/x" data-hx-get="/y" onclick="x" style="color: red" id="a">a</p><script>x</script><img src=x>
    ![" hx-post="/x" hx-trigger="load](https://example.org/" hx-post="/x) [a](https://example.org 'x" hx-get="/y')
    <svg/onload=x> `" hx-get="/y"` <https://example.org/"hx-get=/y> | a |\n| :-: |\n| 1 |"""
    seen: list[tuple[str, set[str]]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, values: seen.append((tag, {name for name, _ in values}))  # type: ignore[method-assign]
    parser.feed(html_of(text))
    assert seen
    assert {tag for tag, _ in seen} <= TAGS
    assert all(names <= ATTRIBUTES.get(tag, set()) | {"rel"} for tag, names in seen)


@pytest.mark.parametrize("name", GROWING)
def test_no_text_takes_longer_to_format_than_the_limit(name: str) -> None:
    start = time.thread_time()
    with contextlib.suppress(TooMuchToRenderError):
        html_of(GROWING[name][:MARKDOWN], seconds=0.2)
    assert time.thread_time() - start < 10  # a bound on growth, not on speed


def test_many_uses_of_one_long_address_are_refused_instead_of_written_out() -> None:
    with pytest.raises(TooMuchToRenderError, match="characters"):
        html_of("[a]: " + "b" * 20_000 + "\n\n" + "[a] " * 7_000)
