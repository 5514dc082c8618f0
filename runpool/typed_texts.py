"""What somebody typed into a form that the server does not take, since their session ended: it is shown, to be copied."""

import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import FunctionType
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.forms import BaseForm, CheckboxInput, Field, FileInput, MultiWidget, Textarea
from django.forms.utils import pretty_name
from django.forms.widgets import Input
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url

from campaign.web.links import absolute

NOT_SHOWN = re.compile(r"csrf|password|token|_FORMS$|^(draft_kept|seen)$", re.IGNORECASE)
LONGEST_CHOICE = 40
MOST_SHAPES = 20
"""Of prefixes of names; forms have fewer."""
ROW = re.compile(r"-(\d{1,4})-")


def typed_texts(request: HttpRequest) -> list[tuple[str, str]]:
    """The entries of a form by label, without passwords; nothing where none of them can have been typed.

    A page of another site could send texts to be shown here: the browser must say that the form is of this site.
    """
    if not _is_of_this_site(request):
        return []
    match = request.resolver_match
    fields = _fields(inspect.unwrap(match.func), request.POST) if match else {}
    entries = [
        (name, fields.get(name), value)
        for name, values in request.POST.lists()
        for value in values
        if value.strip() and not NOT_SHOWN.search(name) and not (name in fields and fields[name].widget.is_hidden)
    ]
    is_typed = any(_is_typed(field, value) for _, field, value in entries)
    return [(_label(name, field), value) for name, field, value in entries] if is_typed else []


def _is_of_this_site(request: HttpRequest) -> bool:
    """By what the browser says; without encryption it says the origin alone."""
    if site := request.headers.get("Sec-Fetch-Site", ""):
        return site == "same-origin"
    return request.headers.get("Origin") == absolute("/").removesuffix("/")


def _fields(view: Callable[..., Any], names: Iterable[str]) -> dict[str, Field]:
    """By name the field of the form that was likely sent, by its class: to make the form itself needs a signed-in user.

    Rows of one form have prefixes of one shape; strangers may send a thousand shapes, of which the first ones are looked at.
    """
    forms_with = defaultdict[str, set[type[BaseForm]]](set)
    for form in _forms(BaseForm):
        for of_field in getattr(form, "base_fields", {}):
            forms_with[of_field].add(form)
    by_shape = defaultdict[str, dict[str, str]](dict)
    for name in names:
        prefix, _, of_field = name.rpartition("-")
        by_shape[re.sub(r"\d+", "0", prefix)][name] = of_field
    found: dict[str, Field] = {}
    for sent in islice(by_shape.values(), MOST_SHAPES):
        having = Counter[type[BaseForm]]()
        for of_field in set(sent.values()):
            having.update(forms_with[of_field] | forms_with[_without_part(of_field)])
        if having:
            form = max(having, key=lambda form: (having[form], *_likeness(form, view)))
            found |= {name: field for name, of_field in sent.items() if (field := _field(form, of_field))}
    return found


def _forms(base: type[BaseForm]) -> Iterator[type[BaseForm]]:
    for form in base.__subclasses__():
        yield form
        yield from _forms(form)


def _field(form: type[BaseForm], name: str) -> Field | None:
    fields: dict[str, Field] = getattr(form, "base_fields", {})
    return fields.get(name) or fields.get(_without_part(name))


def _without_part(name: str) -> str:
    """Dates have an entry each for day and time."""
    return re.sub(r"_\d$", "", name)


def _likeness(form: type[BaseForm], view: Callable[..., Any]) -> tuple[Any, ...]:
    """Of forms that have as many of the names: one that the view or its module names, then the smallest."""
    is_named = isinstance(view, FunctionType) and form.__name__ in view.__code__.co_names
    is_near = getattr(inspect.getmodule(view), form.__name__, None) is form
    size = len(getattr(form, "base_fields", {}))
    return is_named, is_near, -size, form.__module__, form.__name__


def _is_typed(field: Field | None, value: str) -> bool:
    """What is chosen is chosen again in a moment. Of an entry that no form has, the value decides: names of choices are short."""
    if field:
        widget = field.widget
        return isinstance(widget, Input | Textarea | MultiWidget) and not isinstance(widget, CheckboxInput | FileInput)
    return len(value.split()) > 1 or len(value) > LONGEST_CHOICE or not value.isascii()


def _label(name: str, field: Field | None) -> str:
    row = ROW.search(name)
    plain = pretty_name(name.rpartition("-")[2] if field else name.replace("-", " "))
    return (str(field.label or plain) if field else plain) + (f" (row {int(row[1]) + 1})" if row else "")


class TypedTexts:
    """Shows what was typed where a form of somebody who is signed out would only lead to the sign-in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method != "POST" or response.status_code != 302 or request.user.is_authenticated:
            return response
        is_page = "text/html" in request.headers.get("Accept", "") and "HX-Request" not in request.headers
        is_sign_in = urlsplit(response["Location"]).path == resolve_url(settings.LOGIN_URL)
        if (
            not (is_page and is_sign_in) or "draft_kept" in request.POST
        ):  # the browser's tab offers its draft after the sign-in
            return response
        typed = typed_texts(request)
        return _shown(request, "signed_out.html", typed) if typed else response


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page for a form whose token is that of another session (Django's CSRF failure)."""
    return _shown(request, "403_csrf.html", typed_texts(request))


def _shown(request: HttpRequest, template: str, typed: list[tuple[str, str]]) -> HttpResponse:
    context = {"typed": typed, "has_files": bool(request.FILES), "address": request.get_full_path()}
    response = render(request, template, context, status=403)
    response["Cache-Control"] = "no-store"
    return response
