"""Texts in Markdown on pages: rendered when they are saved, shown from the database."""

import hashlib
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.formats.markdown import RENDERER, TooMuchToRenderError, html_of
from campaign.models import RenderedText
from campaign.text import limits

KEPT = timedelta(days=365)
"""What is still shown after that is rendered once more."""


def require_prose(field: str, text: str) -> None:
    """Render the text of a form's field before it is saved; ValidationError if no page could show it formatted."""
    if prose_html(text) is None:
        raise ValidationError(
            {
                field: "This text takes too long to format. Shorten it, or use fewer links, brackets, lists and table cells."
            }
        )


def prose_html(text: str) -> str | None:
    """Return the text as sanitised HTML; None if it is too much to format, and is shown as it was written."""
    if len(text) > limits.MARKDOWN:
        return None
    text_sha256 = hashlib.sha256(text.encode()).hexdigest()
    stored = RenderedText.objects.filter(text_sha256=text_sha256, renderer=RENDERER).first()
    if stored is None:
        stored = _rendered(text, text_sha256)
    return None if stored.is_refused else stored.html


def _rendered(text: str, text_sha256: str) -> RenderedText:
    rendered = RenderedText(text_sha256=text_sha256, renderer=RENDERER)
    try:
        rendered.html = html_of(text)
    except TooMuchToRenderError:
        rendered.is_refused = True
    RenderedText.objects.filter(rendered_at__lt=timezone.now() - KEPT).delete()
    RenderedText.objects.bulk_create([rendered], ignore_conflicts=True)
    return rendered
