"""Hostile pages of documents: what is left of them where they are sanitised, and in a frame."""

import time

import pytest

from campaign.formats.pages import DEEPEST, LONGEST_PAGE, framed_page, safe_html
from tests.campaign.formats.hostile_pages import HOSTILE_PAGES, harmful


@pytest.mark.parametrize("page", HOSTILE_PAGES.values(), ids=HOSTILE_PAGES)
def test_a_hostile_page_is_sanitised_and_its_text_stays(page: str) -> None:
    html = safe_html(f"<p>before</p>{page}")
    assert harmful(html) == []
    assert html.startswith("<p>before</p>")


def test_the_finder_of_harm_finds_it_in_what_was_not_sanitised() -> None:
    assert [name for name, page in HOSTILE_PAGES.items() if name != "unclosed tags" and not harmful(page)] == []


@pytest.mark.parametrize(
    ("page", "html"),
    [
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
        ("<p>a<p>b<ul><li>c</ul>", "<p>a</p><p>b</p><ul><li>c</li></ul>"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
        (
            "<table><tr><th colspan=2>a<tr><td>b<td>c</table>",
            '<table><tbody><tr><th colspan="2">a</th></tr><tr><td>b</td><td>c</td></tr></tbody></table>',
        ),
        ("<h1>a</h1><h2>b</h2><section>c</section>", "<h3>a</h3><h4>b</h4><div>c</div>"),
        ("<b>a<i>b</b>c</i>", "<b>a<i>b</i></b>c"),
        ("1 &lt; 2 &amp;amp; 3 < 4", "1 &lt; 2 &amp;amp; 3 &lt; 4"),
        ('<a href="https://x.example">link</a><img alt="a pot" src=x>', "<u>link</u>[a pot]"),
    ],
)
def test_a_page_keeps_its_headings_lists_and_tables(page: str, html: str) -> None:
    assert safe_html(page) == html


@pytest.mark.parametrize(
    "unit", ["<div>", "<b>", "<b><p>", "<table><tr><td>", "<svg><script>", "<!--", "</b></i>", "&#"]
)
def test_a_megabyte_of_nesting_takes_linear_time(unit: str) -> None:
    page = unit * (1_000_000 // len(unit)) + "end"
    began = time.thread_time()
    html = safe_html(page)
    assert time.thread_time() - began < 10  # a sanitiser alone takes minutes for <div>
    assert len(html) < 3 * len(page)
    deepest = depth = 0
    for part in html.split("<")[1:]:
        depth += -1 if part[0] == "/" else 1
        deepest = max(deepest, depth)
    assert deepest <= 2 * DEEPEST  # HTML puts a tbody into each table


def test_a_page_beyond_the_limit_is_not_formatted() -> None:
    assert safe_html("x" * LONGEST_PAGE)
    assert safe_html("x" * (LONGEST_PAGE + 1)) == ""


@pytest.mark.parametrize("tag", ["<link rel=preconnect", "<META\nhttp-equiv=refresh", "<base/href=x", "</Link"])
def test_a_raw_page_connects_to_no_other_host(tag: str) -> None:
    assert framed_page(f"<p>a</p>{tag}>").startswith(f"<p>a</p>{'</x-' if tag[1] == '/' else '<x-'}")


def test_a_raw_page_is_else_as_it_was() -> None:
    page = "<!DOCTYPE html><style>p { color: red }</style><p class=a>linked, metal, based <b>x"
    assert framed_page(page) == page
