"""Links to documents that are kept elsewhere: an organiser's template, filled with the docno, on hosts that the site allows."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import quote, urlsplit

PLACE = "{docno}"
LONGEST_LINK = 2000
PRINTABLE = re.compile(r"[!-~]+")
HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*")


def template_problem(template: str, hosts: Collection[str]) -> str:
    """What is wrong with the template, in a sentence; "" if links can be made of it, and of an empty one.

    >>> template_problem("https://docs.example.org/view?id={docno}", ["docs.example.org"])
    ''
    >>> template_problem("http://docs.example.org/{docno}", ["docs.example.org"])
    'The link must begin with https://.'
    """
    if not template:
        return ""
    if not PRINTABLE.fullmatch(template):
        return "A link holds neither white space nor letters beyond ASCII: write them percent-encoded."
    if not template.startswith("https://"):
        return "The link must begin with https://."
    if template.count(PLACE) != 1 or any(brace in template.replace(PLACE, "") for brace in "{}\\"):
        return f"Write {PLACE} once, where the document number belongs, and no other braces or backslashes."
    authority, slash, rest = template.removeprefix("https://").partition("/")
    if not HOST.fullmatch(authority.lower()):
        return "After https:// a plain host name is expected, without user or port, then /."
    if not slash or PLACE not in rest.partition("#")[0]:
        return f"{PLACE} belongs into the path or the query, after the host name and before any #."
    if authority.lower() not in hosts:
        return _host_not_allowed(authority.lower(), hosts)
    return ""


def document_link(template: str, docno: str, hosts: Collection[str]) -> str:
    """The address of a document, with its docno percent-encoded; "" where no link may be made.

    >>> document_link("https://docs.example.org/{docno}", "a/b c?", ["docs.example.org"])
    'https://docs.example.org/a%2Fb%20c%3F'
    """
    if not template or template_problem(template, hosts) or docno in {".", ".."}:
        return ""
    link = template.replace(PLACE, quote(docno, safe=""))
    allowed = len(link) <= LONGEST_LINK and (urlsplit(link).hostname or "") in hosts
    return link if allowed else ""


def _host_not_allowed(host: str, hosts: Collection[str]) -> str:
    if not hosts:
        return "This site allows no links to other hosts. Ask its operator to name the host in RUNPOOL_DOCUMENT_HOSTS."
    return f"Links to {host} are not allowed here. Allowed: {', '.join(sorted(hosts))}. Ask the operator of the site for more."
