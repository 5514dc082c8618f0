"""A document as pages show it, by the setting of its task."""

from collections.abc import Mapping
from typing import Any, TypedDict

from django.conf import settings

from campaign.formats.document_links import document_link
from campaign.formats.pages import safe_html
from campaign.models import Task


class Display(TypedDict):
    """What a page needs of one document.

    `html` is sanitised, and "" where `text` is shown as it is. `frame` is the address of the raw page, or ""; beside it
    stands `html`, by whose height the frame's is estimated. `link` leads to the document elsewhere, or is "".
    """

    docno: str
    title: str
    has_text: bool
    text: str
    html: str
    frame: str
    link: str


def display_of(task: Task, document: Mapping[str, Any]) -> Display:
    """`document` has docno, title, text and has_text."""
    docno, is_page = document["docno"], document["has_text"] and task.documents_shown_as != Task.TEXT
    html = safe_html(document["text"]) if is_page else ""
    frame = task.url("document_page", docno=docno) if is_page and task.documents_shown_as == Task.FRAME else ""
    return {
        "docno": docno,
        "title": document["title"],
        "has_text": document["has_text"],
        "text": "" if html or frame else document["text"],
        "html": html,
        "frame": frame,
        "link": document_link(task.document_link, docno, settings.DOCUMENT_HOSTS),
    }


def display_of_docno(task: Task, docno: str) -> Display:
    """Of a docno that may be unknown: then there is no text."""
    found = task.collection.documents.filter(docno=docno).values().first() if task.collection else None
    return display_of(task, found or {"docno": docno, "title": "", "text": "", "has_text": False})
