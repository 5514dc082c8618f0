"""Every page of the site for every role, and every refusal: what checkers and scripts can hold against it.

The pages are those of the access matrix, so that a new address is looked at without a line here.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.services.scoring import task_score
from tests.browser.html_validity import html_faults
from tests.browser.page_reader import AUDIT, RUN_AXE, Reader
from tests.browser.sent_pages import (
    Sent,
    changed_pages,
    distinct_pages,
    make_pages,
    refusals,
    that_show_every_kind,
)
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_cast, make_collection, make_topics
from tests.world import World

pytestmark = pytest.mark.browser
LANDSCAPE = 1016
"""The width of a sheet of A4 between its margins, in CSS pixels."""
SHOWS_PICTURES = """(colour) => {
    const shown = [...document.querySelectorAll(".plot img")].filter((one) => one.checkVisibility() && one.naturalWidth);
    return shown.length === 2 && shown.every((one) => one.src.split("theme=")[1] === colour);
}"""
MORE_COLUMNS = """(count) => {
    for (const row of document.querySelectorAll("table tr"))
        for (let added = 0; added < count; added++) row.append(row.lastElementChild.cloneNode(true));
}"""


@pytest.fixture
def reader(page: Any, live_server: Any) -> Reader:
    return Reader(page, live_server.url)


def test_no_page_and_no_refusal_has_a_fault(
    transactional_db: None, reader: Reader, sign_in: Callable[[Any, Any], None], settings: Any, tmp_path: Path
) -> None:
    """One test, since every process that runs a part of it would have to ask for all pages."""
    world = make_pages()
    pages = distinct_pages(world)
    refused = refusals(world, pages)
    every = [*pages, *refused, *changed_pages(world, settings)]
    faults = [f"{page}: {fault}" for page in every for fault in page.bytes.faults]
    faults += html_faults({str(page): page.html for page in every}, tmp_path)
    look_at(world, reader, sign_in, that_show_every_kind(every))
    faults += sorted(reader.faults)
    assert not faults, "\n".join(faults)
    require_refusals_said(every)


def require_refusals_said(pages: list[Sent]) -> None:
    """Only a refusal takes the focus and is said in the title."""
    refused = [page for page in pages if page.refuses]
    assert len(refused) >= 15
    assert [str(page) for page in pages if page.focus.title.startswith("Error: ") != page.refuses] == []
    assert [str(page) for page in pages if bool(page.focus.focused) != page.refuses] == []
    assert [str(page) for page in refused if not page.focus.invalid] == []


def look_at(world: World, reader: Reader, sign_in: Callable[[Any, Any], None], pages: list[Sent]) -> None:
    """In the browser; it reads the bytes that were sent before."""
    for role in dict.fromkeys(page.role for page in pages):
        reader.page.context.clear_cookies()
        if role != "anonymous":
            sign_in(reader.page, world.user(role))
        for page in [page for page in pages if page.role == role]:
            reader.read_sent(page.address, page.status, page.headers, page.html)
            if page.refuses:
                assert reader.page.evaluate("document.activeElement.matches('[autofocus]')"), f"focus lost: {page}"


def test_the_checker_sees_faults(tmp_path: Path) -> None:
    page = "<!DOCTYPE html><p><div id=a></div></p><b id=a></b><h1>x</h1><h3>x</h3><form><input></form><table><tr><td></table>"
    found = " ".join(html_faults({"page": page}, tmp_path))
    assert all(
        rule in found for rule in ("no-dup-id", "close-order", "attr-quotes", "heading-level", "input-missing-label")
    )


def test_the_audit_sees_faults(page: Any, reader: Reader) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("about:blank")  # the script of axe comes with a page that is opened
    page.set_content("""<!DOCTYPE html><html><title>x</title><body><main id="a"><h3 id="a">A heading</h3>
        <p>Far <span style="color: #aaa; background: white">too pale</span></p><input><button></button><img src="x.png">
        <nav aria-label="Two"></nav><nav aria-label="Two"></nav>
        <p aria-describedby="nobody" style="width: 500px; height: 1em"></p><table><tr><th title="y">x</th></tr></table></main>""")
    found = " ".join([*page.evaluate(AUDIT), *page.evaluate(RUN_AXE, [[], True, []])["faults"]])
    for fault in (
        *("wider than", "id twice", "names what is not", "no caption", "explained by its title alone"),
        *("html-has-lang", "image-alt", "button-name", "label:", "color-contrast:", "landmark-unique"),
    ):
        assert fault in found, fault


def test_contrast_is_asked_of_each_look_once(page: Any, reader: Reader) -> None:
    """What lies behind a text, its colour and its size make its look: two of each are asked, and none that is known."""
    page.goto("about:blank")
    pale, dark = ('<p style="color: #aaa">too pale</p>', '<div style="background: #666"><p>too dark</p></div>')
    page.set_content(f"<!DOCTYPE html><html lang=en><title>x</title><main><h1>Looks</h1>{pale * 3}{dark * 3}</main>")
    first = page.evaluate(RUN_AXE, [["color-contrast"], False, []])
    assert [fault.split(":")[0] for fault in first["faults"]] == ["color-contrast"] * 4
    again = page.evaluate(RUN_AXE, [["color-contrast"], False, first["looks"]])
    assert again == {"faults": [], "looks": []}


def test_a_bar_that_sticks_covers_nothing_and_one_that_lies_over_a_target_does(page: Any, reader: Reader) -> None:
    page.set_viewport_size({"width": 320, "height": 256})
    for position, place in (("sticky", "bottom: 0"), ("absolute", "top: 216px; left: 0; right: 0")):
        page.goto("about:blank")
        page.set_content(f"""<!DOCTYPE html><html lang=en><title>x</title>
            <style>* {{ margin: 0 }} button {{ display: block; width: 60px; height: 30px }}</style>
            <main style="height: 600px"><p style="height: 210px">A text</p><button>Open</button>
            <p style="height: 300px">A text</p><div style="position: {position}; {place}; height: 40px; background: white">
            <button>Judge</button></div></main>""")
        found = page.evaluate(RUN_AXE, [["target-size"], False, []])["faults"]
        assert bool(found) == (position == "absolute"), (position, found)


def test_the_reader_sees_what_is_wrong_only_in_dark_or_on_a_phone_and_a_script_that_is_not_allowed(
    reader: Reader,
) -> None:
    page = """<!DOCTYPE html><html lang=en><title>x</title><meta name=viewport content="width=device-width"><style>
        @media (prefers-color-scheme: dark) { p { color: #333; background: #000 } } @media (width < 40rem) { p { width: 500px } }
        </style><main><h1>Views</h1><p>A text</p><script>window.ran = true</script></main>"""
    reader.read_sent("/once", 200, {"content-type": "text/html", "content-security-policy": "script-src 'self'"}, page)
    found = sorted(reader.faults)
    assert len(found) == 3
    for fault in ("/once 320 dark: color-contrast", "/once 320 dark: wider than the window", "console: "):
        assert any(fault in one for one in found), found


@pytest.fixture
def scored(transactional_db: None) -> Cast:
    cast = make_cast(measures=["AP", "RR"])
    make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b"])
    make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"], "2": ["b"]})
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    task_score(task=cast.task, report=lambda done, total: None)
    return cast


def test_a_picture_follows_the_theme_at_once_and_paper_is_light_and_loses_no_column(
    scored: Cast, page: Any, live_server: Any, sign_in: Callable[[Any, Any], None]
) -> None:
    def shows(colour: str) -> None:
        page.wait_for_function(SHOWS_PICTURES, arg=colour)

    sign_in(page, scored.organiser)
    page.goto(live_server.url + scored.task.url("score_board"))
    shows("light")
    page.get_by_role("button", name="Dark theme").click()
    shows("dark")
    page.set_viewport_size({"width": LANDSCAPE, "height": 640})
    page.emulate_media(media="print", color_scheme="dark")
    shows("light")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    for columns in (6, 12, 12):
        page.evaluate(MORE_COLUMNS, columns)
        assert page.evaluate("document.documentElement.scrollWidth") <= LANDSCAPE
    page.emulate_media(media="screen")
    for width in (LANDSCAPE, 1280):
        page.set_viewport_size({"width": width, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
