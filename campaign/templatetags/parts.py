"""The parts that pages are made of, each with one look. Every template has these tags without loading them.

The content of a block tag was escaped when it was rendered, so it is put into the part's template as it is.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import template
from django.forms import Form
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from campaign.models.tones import TONES, WORKING
from campaign.prose import prose_html
from campaign.words import counted

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


@register.inclusion_tag("_prose.html")
def prose(text: str) -> dict[str, str | None]:
    """A text in Markdown, formatted: {% prose campaign.call %}."""
    html = prose_html(text)
    return {"text": text, "html": None if html is None else mark_safe(html)}  # noqa: S308 - sanitised by nh3


@register.inclusion_tag("_copyable.html")
def copyable(value: str, what: str) -> dict[str, str]:
    """A value with a button that copies it; `what` names it to screen readers."""
    return {"value": value, "what": what}


@register.inclusion_tag("_time.html")
def time(at: datetime | None) -> dict[str, datetime | None]:
    """A moment in UTC; a script shows it in the reader's zone. Nothing for none."""
    return {"at": at}


@register.inclusion_tag("_sort_header.html", takes_context=True)
def sort_header(
    context: Context, label: str, key: str, sort: str, first: str = "descending", css: str = "", hint: str = ""
) -> dict[str, Any]:
    """The head of a column that sorts a table: in the direction `first`, then the other way round.

    `css` and `hint` are the class and the title of the cell.
    """
    is_ascending, is_descending = sort == key, sort == f"-{key}"
    ascends = is_descending or (not is_ascending and first == "ascending")
    return {
        "request": context["request"],
        "label": label,
        "sorted": "ascending" if is_ascending else "descending" if is_descending else "",
        "wanted": key if ascends else f"-{key}",
        "css": css,
        "hint": hint,
    }


@register.filter
def number_of(count: int | None, noun: str) -> str:
    """A number with its noun: {{ 1200|number_of:"run" }} is "1,200 runs"; an irregular plural follows a comma."""
    return counted(0, noun).replace("0", "–", 1) if count is None else counted(count, noun)


@register.filter
def repeated(values: Iterable[object], name: str) -> str:
    """A query that gives a name several values: {{ runs|repeated:"run" }} is "run=3&run=4"."""
    return urlencode([(name, value) for value in values])
