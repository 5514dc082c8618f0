"""The glossary: the page and the reference say the same, and what leads there arrives."""

import re
from html import unescape

from django.test import Client
from django.urls import reverse
from django.utils.text import slugify

from runpool.overview.glossary import GLOSSARY, glossary_table
from tests.places import REPOSITORY

WORDS = [word for subject in GLOSSARY for word in subject.words]


def test_the_reference_has_the_words_of_the_page() -> None:
    text = (REPOSITORY / "docs" / "reference" / "concepts.md").read_text(encoding="utf-8")
    section = text.partition("\n## Words\n")[2].partition("\n## ")[0]
    assert section.partition("### ")[2].splitlines() == "\n".join(glossary_table()).partition("### ")[2].splitlines()


def test_each_word_stands_once_on_the_page_with_its_meaning(db: None) -> None:
    page = Client().get(reverse("glossary")).content.decode()
    found = re.findall(r'<div id="([^"]+)"><dt>([^<]+)</dt><dd>([^<]+)</dd>', page)
    assert [(anchor, unescape(name), unescape(meaning)) for anchor, name, meaning in found] == [
        (word.anchor, word.name, word.meaning) for word in WORDS
    ]
    assert len({word.anchor for word in WORDS}) == len(WORDS)


def test_the_heads_of_columns_lead_to_words_that_are_there() -> None:
    anchors = {word.anchor for word in WORDS}
    led_to = [
        anchor
        for template in (REPOSITORY / "templates").rglob("*.html")
        for anchor in re.findall(r"{% url 'glossary' %}#([\w-]+)", template.read_text(encoding="utf-8"))
    ]
    assert led_to
    assert [anchor for anchor in led_to if anchor not in anchors] == []


def test_a_head_that_has_a_word_of_its_own_leads_to_no_other_one() -> None:
    anchors = {word.anchor for word in WORDS}
    columns = (REPOSITORY / "templates" / "evaluation" / "_board_columns.html").read_text(encoding="utf-8")
    heads = {
        slugify(head): anchor for anchor, head in re.findall(r"{% url 'glossary' %}#([\w-]+)\">([^<]+)</a>", columns)
    }
    assert {"rank", "judged-of-first-10", "rank-interval"} <= set(heads)
    assert {head: anchor for head, anchor in heads.items() if head in anchors and head != anchor} == {}
