"""Links that a team gives a run: an address of the web that is what it looks like."""

from __future__ import annotations

import re

from campaign.formats.document_links import HOST, PRINTABLE

UNSAFE = re.compile(r"[\\\"'<>`{}|^]")


def web_link_problem(link: str) -> str:
    """What is wrong with the link, in a sentence; "" if a page may show it, and of an empty one.

    Host names of other scripts are refused: two of them can look the same, and `xn--` tells nobody which it is.

    >>> web_link_problem("https://aclanthology.org/2026.acl-1.pdf")
    ''
    >>> web_link_problem("javascript:alert(1)")
    'A link begins with https://.'
    >>> web_link_problem("https://github.com@evil.example/x")
    'After https:// write a plain host name, without user, port or number, then /.'
    """
    if not link:
        return ""
    if not PRINTABLE.fullmatch(link):
        return "A link holds neither white space nor letters beyond ASCII: write them percent-encoded."
    if not link.startswith("https://"):
        return "A link begins with https://."
    host = re.split(r"[/?#]", link.removeprefix("https://"), maxsplit=1)[0].lower()
    if not HOST.fullmatch(host):
        return "After https:// write a plain host name, without user, port or number, then /."
    if any(part.startswith("xn--") for part in host.split(".")):
        return "Host names with letters beyond ASCII (xn--) are not taken: they can look like others."
    if UNSAFE.search(link):
        return "A link holds no quotation marks, brackets or backslashes: write them percent-encoded."
    return ""
