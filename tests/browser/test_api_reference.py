"""The API reference: short while it is folded, filtered by words, each operation at its own address."""

from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
MOST_PX = 13_000
"""Of the folded page at a width of 1280; it had 47,000 when all of it was open."""
OPERATION = "read_run"


@pytest.fixture
def address(live_server: Any) -> str:
    return f"{live_server.url}{reverse('api_docs')}"


def test_the_folded_page_is_short_and_no_wider_than_a_phone(address: str, page: Any) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollHeight") < MOST_PX
    page.set_viewport_size({"width": 390, "height": 800})
    for fold in page.locator(".fold > summary").all()[:4]:
        fold.click()
    page.locator(".operation > summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_words_of_address_and_title_filter_the_operations(address: str, page: Any) -> None:
    page.goto(address)
    total = page.locator(".operation").count()
    said = page.locator("#operations [role=status]")
    expect(said).to_have_text(f"{total} operations")
    expect(page.locator(".operation:visible")).to_have_count(0)

    page.keyboard.press("/")
    expect(page.get_by_label("Search the site")).to_be_focused()
    page.locator("#operation-words").fill("POST  Qrels")
    shown = page.locator(".operation:visible")
    expect(shown.first).to_be_visible()
    texts = [text.lower() for text in shown.locator("summary").all_inner_texts()]
    assert 0 < len(texts) < total
    assert all("post" in text for text in texts)
    expect(said).to_have_text(f"{len(texts)} of {total} operations")

    page.locator("#operation-words").fill("no such words")
    expect(page.get_by_text("No operation matches")).to_be_visible()
    expect(page.locator("#operations .fold:visible")).to_have_count(0)
    page.locator("#operation-words").fill("")
    expect(page.get_by_text("No operation matches")).to_be_hidden()
    expect(page.locator("#operations .fold[open]")).to_have_count(0)


def test_the_address_of_an_operation_opens_it_also_on_reload_and_behind_a_filter(address: str, page: Any) -> None:
    page.goto(f"{address}#{OPERATION}")
    part = page.locator(f"#{OPERATION}")
    expect(part).to_be_in_viewport()
    page.reload()
    expect(part).to_be_visible()
    expect(page.locator(".operation[open]")).to_have_count(1)

    page.goto(address)
    page.locator("#operation-words").fill("no such words")
    page.evaluate(f"location.hash = '{OPERATION}'")
    expect(part).to_be_in_viewport()
    expect(page.locator("#operation-words")).to_have_value("")


def test_without_javascript_there_is_no_filter_and_every_part_can_be_read(address: str, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#operation-words")).to_be_hidden()
    page.goto(f"{address}#{OPERATION}")
    expect(page.locator(f"#{OPERATION}")).to_be_visible()
    page.locator(".fold:not([open]) > summary").first.click()
    expect(page.locator(".fold[open] .operation").first).to_be_visible()
    context.close()
