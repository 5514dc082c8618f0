"""How tests drive the desk: one key, and wait for what must follow."""

from playwright.sync_api import Page, expect

from judging.judgments.selectors.own_documents import items
from judging.models import Assignment

SHOWN = "#document [data-docno]"


def docnos(count: int) -> list[str]:
    return [f"D{number:03}" for number in range(1, count + 1)]


def ready(page: Page) -> None:
    page.wait_for_selector("html[data-desk=ready]")


def shown(page: Page) -> str:
    return page.get_attribute(SHOWN, "data-docno") or ""


def press(page: Page, key: str, *, is_fetched: bool = True) -> None:
    """One key; the next document is there afterwards, and has been long enough not to count as a bounce.

    On a busy machine it may have to be fetched first; until it is there, keys of ticks do nothing.
    """
    before = shown(page)
    page.wait_for_timeout(100)
    page.keyboard.press(key)
    page.wait_for_function(
        """([at, before, fetched]) => document.querySelector(at)?.dataset.docno !== before
            && !(fetched && document.getElementById("document").textContent.trim().startsWith("Fetching"))""",
        arg=[SHOWN, before, is_fetched],
    )


def expect_saved(page: Page, text: str) -> None:
    expect(page.locator("#desk-saved")).to_have_text(text)


def grades(assignment: Assignment) -> dict[str, int | None]:
    return {item.docno: item.grade for item in items(assignment) if item.is_judged}
