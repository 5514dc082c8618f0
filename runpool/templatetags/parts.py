"""The parts that pages are made of, each with one look. Every template has these tags without loading them.

The content of a block tag was escaped when it was rendered, so it is put into the part's template as it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import template
from django.core.paginator import Page
from django.forms import BaseForm, Form
from django.forms.formsets import BaseFormSet
from django.template import Context
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from campaign.models.tones import TONES, WORKING
from campaign.text import limits
from campaign.text.plurals import number_of, work_time
from campaign.web.rendered_markdown import prose_html

register = template.Library()


@register.inclusion_tag("_state_mark.html")
def state_mark(tone: str, label: str) -> dict[str, str]:
    """A state in a word, with the colour and the shape of its tone: {% state_mark run.tone run.get_state_display %}."""
    if tone not in TONES:
        raise ValueError(f"{label!r} has no tone: {tone!r} is none of {', '.join(TONES)}")
    return {"tone": tone, "label": label}


@register.simple_block_tag
def notice(content: SafeString, tone: str = WORKING) -> str:
    """A remark in a box: {% notice "warning" %}The pool is frozen.{% endnotice %}."""
    return render_to_string("_notice.html", {"tone": tone, "text": content})


@register.simple_block_tag
def empty_state(content: SafeString, title: str, url: str = "", action: str = "") -> str:
    """What a page says where it has nothing to show, and what to do first; the content may be empty."""
    text = content if content.strip() else ""
    return render_to_string("_empty_state.html", {"title": title, "text": text, "url": url, "action": action})


@register.inclusion_tag("_confirm.html", takes_context=True)
def confirm(
    context: Context,
    consequences: Sequence[str],
    verb: str,
    back: str,
    what: str = "What this means",
    tone: str = "",
    form: Form | None = None,
    verdict: str = "",
) -> dict[str, Any]:
    """The form that asks before something is done: what follows from it, the button `verb`, the way `back`.

    `what` is the heading, `tone` "bad" for what cannot be undone; `form` has further entries, `verdict` says that it failed.
    """
    asked = {"what": what, "consequences": consequences, "verb": verb, "back": back, "tone": tone}
    return {**asked, "form": form, "verdict": verdict, "csrf_token": context.get("csrf_token")}


@register.simple_tag
def longest(name: str) -> int:
    """How many characters a text may have, by its name in `campaign.text.limits`: maxlength="{% longest 'SEARCH' %}"."""
    return int(getattr(limits, name))


@register.simple_tag(takes_context=True)
def error_prefix(context: Context) -> str:
    """ "Error: " for the title of a page that says why something was refused: a title is the first thing that is read out.

    Such a page has a form that was sent and has errors, an error among its messages, or says `refused` itself.
    """
    values: list[Any] = list(context.flatten().values())
    forms = [value for value in values if isinstance(value, BaseForm | BaseFormSet)]
    has_sent = getattr(getattr(context, "request", None), "method", "GET") == "POST"
    is_refused = (
        bool(context.get("refused"))
        or (has_sent and any(form.is_bound and not form.is_valid() for form in forms))
        or any(message.level_tag == "error" for message in context.get("messages") or ())
    )
    return "Error: " if is_refused else ""


@register.simple_block_tag(takes_context=True)
def announce(context: Context, content: SafeString) -> SafeString | str:
    """What screen readers say when htmx puts a fragment into a page: a change that readers wait for, in one sentence.

    A whole page needs none. The sentence goes to the live region of the page, because one that comes with the fragment
    would be new itself, and new regions are not read out.
    """
    if not getattr(getattr(context, "request", None), "htmx", False):
        return ""
    return render_to_string("_announcement.html", {"text": " ".join(content.split())})


@register.inclusion_tag("_prose.html")
def prose(text: str) -> dict[str, str | None]:
    """A text in Markdown, formatted: {% prose campaign.call %}."""
    html = prose_html(text)
    return {"text": text, "html": None if html is None else mark_safe(html)}  # noqa: S308 - sanitised by nh3


@register.inclusion_tag("campaign/collection/_document_text.html")
def document_text(display: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a document, as `display_of` gives it: text, sanitised page, or raw page in a frame."""
    return {**display, "html": mark_safe(display["html"])}  # noqa: S308 - sanitised by nh3


@register.inclusion_tag("_copyable.html")
def copyable(value: str, what: str) -> dict[str, str]:
    """A value with a button that copies it; `what` names it to screen readers."""
    return {"value": value, "what": what}


@register.inclusion_tag("_csv_links.html")
def csv_links(url: str, label: str = "CSV", css: str = "button button-quiet") -> dict[str, str]:
    """The links to a CSV file: as it is, and with the mark by which spreadsheets read its accents.

    `css` is the class of the first link; without one both stand in a text.
    """
    marked = f"{url}{'&' if '?' in url else '?'}for=spreadsheet"
    return {"url": url, "label": label, "css": css, "for_spreadsheets": marked}


@register.inclusion_tag("_time.html")
def time(at: datetime | None) -> dict[str, datetime | None]:
    """A moment in UTC; a script shows it in the reader's zone. Nothing for none."""
    return {"at": at}


@register.inclusion_tag("_sort_header.html", takes_context=True)
def sort_header(
    context: Context,
    label: str,
    key: str,
    sort: str,
    first: str = "descending",
    css: str = "",
    about: str = "",
    below: str = "",
) -> dict[str, Any]:
    """The head of a column that sorts a table: in the direction `first`, then the other way round.

    `css` is the class of the cell, `about` the id of the element that tells what the column means, `below`
    what stands under the values on a phone.
    """
    is_ascending, is_descending = sort == key, sort == f"-{key}"
    ascends = is_descending or (not is_ascending and first == "ascending")
    return {
        "request": context["request"],
        "label": label,
        "sorted": "ascending" if is_ascending else "descending" if is_descending else "",
        "wanted": key if ascends else f"-{key}",
        "css": css,
        "about": about,
        "below": below,
    }


@register.simple_tag(takes_context=True)
def kept_inputs(context: Context, *entered: str) -> SafeString:
    """The query of the page as hidden fields of a form, without the names that the form itself asks for."""
    kept = [(name, value) for name, values in context["request"].GET.lists() for value in values if name not in entered]
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', kept)


@register.filter
def page_numbers(page: Page[Any]) -> Iterator[str | int]:
    """The first two pages, those beside this one and the last two; the paginator's own ellipsis where some are left out."""
    return page.paginator.get_elided_page_range(page.number)


register.filter(number_of)
register.filter(work_time)


@register.filter
def repeated(values: Iterable[object], name: str) -> str:
    """A query that gives a name several values: {{ runs|repeated:"run" }} is "run=3&run=4"."""
    return urlencode([(name, value) for value in values])
