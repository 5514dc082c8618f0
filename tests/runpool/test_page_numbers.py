"""Lists of pages: this page is always among the numbers, whatever their count."""

import re

import pytest
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.test import RequestFactory

from runpool.templatetags.parts import page_numbers

LISTS = [
    ("_pagination.html", "page", {}),
    ("evaluation/analysis/_part_links.html", "part", {"name": "topics", "label": "Topics"}),
]


@pytest.mark.parametrize("number", [1, 100, 200])
def test_the_numbers_are_few_and_hold_the_first_this_and_the_last_page(number: int) -> None:
    numbers = list(page_numbers(Paginator(range(10_000), 50).get_page(number)))
    assert {1, number, 200} <= set(numbers)
    assert len(numbers) <= 13


@pytest.mark.parametrize(("template", "name", "more"), LISTS)
def test_the_page_in_the_middle_of_many_is_marked_and_the_list_is_short(
    template: str, name: str, more: dict[str, str]
) -> None:
    page = Paginator(range(10_000), 50).get_page(100)
    found = render_to_string(template, {name: page, **more}, RequestFactory().get("/"))
    assert re.findall(r'aria-current="page">(\d+)<', found) == ["100"]
    assert "4,951–5,000 of 10,000" in " ".join(found.split())
    assert found.count("<li>") <= 15
    assert not re.search(r'href="[^"]*">…<', found), "what is left out leads nowhere"
