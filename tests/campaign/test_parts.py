"""The parts of pages: what their tags refuse, and that they escape what people wrote."""

import re

import pytest
from django.template import Context, Template
from django.test import RequestFactory

from campaign.models import Run
from campaign.models.tones import TONES
from campaign.text import limits
from tests.places import REPOSITORY

USER_TEXT = "<script>alert(1)</script>"


def rendered(source: str, address: str = "/", **values: object) -> str:
    request = RequestFactory().get(address)
    context = Context({"request": request, **values})
    context.request = request
    return Template(source).render(context)


def test_a_state_without_a_tone_fails_the_page() -> None:
    with pytest.raises(KeyError, match="lost"):
        rendered("{% state_mark run.tone run.state %}", run=Run(state="lost"))
    with pytest.raises(ValueError, match="'odd' has no tone: 'blue' is none of good"):
        rendered("{% state_mark 'blue' 'odd' %}")


def test_tones_written_in_templates_exist() -> None:
    written = {
        tone
        for path in (REPOSITORY / "templates").rglob("*.html")
        for tone in re.findall(r'{% (?:state_mark|notice) "(\w+)"', path.read_text(encoding="utf-8"))
    }
    assert written
    assert written <= set(TONES)


def test_no_template_repeats_how_long_a_text_may_be() -> None:
    said = {
        length
        for path in (REPOSITORY / "templates").rglob("*.html")
        for length in re.findall(r'\bmaxlength=("[^"]*"|[^"\s>]*)', path.read_text(encoding="utf-8"))
    }
    assert said
    assert not {length for length in said if "{" not in length}
    for name in {name for length in said for name in re.findall(r"longest '(\w+)'", length)}:
        assert rendered(f"{{% longest '{name}' %}}") == str(getattr(limits, name))


@pytest.mark.parametrize(
    "source",
    [
        "{% state_mark 'good' text %}",
        "{% notice 'bad' %}{{ text }}{% endnotice %}",
        "{% empty_state text %}{{ text }}{% endempty_state %}",
        "{% copyable text 'text' %}",
        "{% confirm lines text '/' what=text %}",
        "{% sort_header text 'tag' 'tag' %}",
        "{{ 2|number_of:text }}",
        "{{ lines|repeated:text }}",
    ],
)
def test_what_people_wrote_is_escaped(source: str) -> None:
    page = rendered(source, text=USER_TEXT, lines=[USER_TEXT])
    assert "script" in page
    assert "<script" not in page


def test_a_notice_keeps_the_markup_of_the_template() -> None:
    assert "<div><b>two</b></div>" in rendered("{% notice %}<b>two</b>{% endnotice %}")


def test_an_empty_state_says_nothing_where_it_has_no_content() -> None:
    page = rendered("{% empty_state 'No job' %}\n{% endempty_state %}")
    assert page.count("<p") == 1


@pytest.mark.parametrize(("count", "words"), [(0, "0 runs"), (1, "1 run"), (1200, "1,200 runs"), (None, "– runs")])
def test_a_number_stands_before_its_noun(count: int | None, words: str) -> None:
    assert rendered("{{ count|number_of:'run' }}", count=count) == words


def test_an_irregular_plural_follows_a_comma() -> None:
    assert rendered("{{ 2|number_of:'person,people' }}") == "2 people"


@pytest.mark.parametrize(
    ("sort", "first", "wanted", "sorted_now"),
    [
        ("tag", "ascending", "-tag", "ascending"),
        ("-tag", "ascending", "tag", "descending"),
        ("team", "ascending", "tag", None),
        ("team", "descending", "-tag", None),
    ],
)
def test_a_head_sorts_by_its_column_and_then_the_other_way(
    sort: str, first: str, wanted: str, sorted_now: str | None
) -> None:
    source = "{% sort_header 'Run' 'tag' sort first=first %}"
    head = rendered(source, "/?page=3&team=alba", sort=sort, first=first)
    assert f'href="?team=alba&amp;sort={wanted}"' in head
    assert ("aria-sort" in head) is (sorted_now is not None)
    assert sorted_now is None or f'aria-sort="{sorted_now}"' in head
