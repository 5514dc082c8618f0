"""Texts in Markdown: rendered once, when they are saved, and shown whatever they are."""

from functools import partial

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.template import Context, Template
from django.test.utils import CaptureQueriesContext

from campaign.formats import markdown
from campaign.models import Campaign, RenderedText
from campaign.setup.services.agreements import agreement_create
from campaign.setup.services.campaigns import campaign_update
from campaign.setup.services.tasks import task_update
from campaign.text import limits
from campaign.web import rendered_markdown
from tests.factories import Cast

SLOW = "![" * 24_000


@pytest.fixture
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little that a fast machine cannot format `SLOW` in it either."""
    monkeypatch.setattr(rendered_markdown, "html_of", partial(markdown.html_of, seconds=0.05))


def shown(text: str) -> str:
    return Template("{% prose text %}").render(Context({"text": text}))


@pytest.mark.sqlite("campaign.web.rendered_markdown._rendered")
def test_a_text_is_rendered_when_it_is_saved_and_read_from_then_on(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign_update(actor=cast.organiser, campaign=cast.campaign, call="# Come *all*")
    monkeypatch.setattr(rendered_markdown, "html_of", None)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert "<h3>Come <em>all</em></h3>" in shown("# Come *all*")
    assert len(queries) == 1


@pytest.mark.sqlite("campaign.web.rendered_markdown._rendered")
@pytest.mark.django_db
def test_a_text_that_two_render_at_one_moment_is_shown_to_both(monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(text: str) -> str:
        monkeypatch.setattr(rendered_markdown, "html_of", markdown.html_of)
        assert "<em>a</em>" in shown(text)
        return markdown.html_of(text)

    monkeypatch.setattr(rendered_markdown, "html_of", meanwhile)
    assert "<em>a</em>" in shown("*a*")
    assert RenderedText.objects.count() == 1


@pytest.mark.django_db
def test_a_new_version_of_the_renderer_renders_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    shown("*a*")
    monkeypatch.setattr(rendered_markdown, "RENDERER", markdown.RENDERER + 1)
    shown("*a*")
    assert RenderedText.objects.count() == 2


def test_a_text_that_takes_too_long_is_refused_at_its_field_and_changes_nothing(cast: Cast, little_time: None) -> None:
    with pytest.raises(ValidationError, match=r"takes too long to format\. Shorten it") as refusal:
        campaign_update(actor=cast.organiser, campaign=cast.campaign, call=SLOW)
    assert list(refusal.value.error_dict) == ["call"]
    with pytest.raises(ValidationError, match="too long to format"):
        task_update(actor=cast.organiser, task=cast.task, guidelines=SLOW)
    with pytest.raises(ValidationError, match="too long to format"):
        agreement_create(actor=cast.organiser, campaign=cast.campaign, title="Terms", text=SLOW)
    assert Campaign.objects.get(pk=cast.campaign.pk).call == ""
    assert not cast.campaign.agreements.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("text", [f"{SLOW}<b>&", "<b>&" * (limits.MARKDOWN // 4 + 1)], ids=["slow", "long"])
def test_a_text_from_before_the_limits_is_shown_as_it_was_written(text: str, little_time: None) -> None:
    page = shown(text)
    assert "takes too long to format" in page
    assert "&lt;b&gt;&amp;" in page
    assert "<b>" not in page


@pytest.mark.django_db
def test_what_is_too_much_to_render_is_tried_once(monkeypatch: pytest.MonkeyPatch, little_time: None) -> None:
    shown(SLOW)
    monkeypatch.setattr(rendered_markdown, "html_of", None)
    assert "takes too long to format" in shown(SLOW)


@pytest.mark.django_db
def test_htmx_leaves_an_authors_text_alone() -> None:
    assert "hx-disable" in shown("a")
