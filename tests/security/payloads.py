"""Texts that try to become part of a page, of a file or of an address. Whatever they make, its name begins with MARK."""

MARK = "zqx"
SCRIPT = f"<script>{MARK}</script>"
HTMX = (
    f"<div hx-post='/{MARK}' hx-trigger='load' hx-include='[name=csrfmiddlewaretoken]' "
    f'data-hx-get="/{MARK}" {MARK}-attr=1>{MARK}</div>'
)
BREAKOUT = f""""'></textarea></title><{MARK}-tag {MARK}-attr='1' onload="{MARK}" hx-get=/{MARK} hx-trigger=load>"""
LINKS = f"[{MARK}](javascript:{MARK}) ![{MARK}](javascript:{MARK}) <javascript:{MARK}>"
FORMULA = f"=cmd|'/c {MARK}'!A1;=cmd|'{MARK}'!A1;\u3000＝{MARK}"
"""Also behind a semicolon, at which many spreadsheets split, and as wide letters behind a wide space."""
FORMAT_CHARACTERS = "\u202e\u200b\ufeff"
TEMPLATE = "{{ 7|add:700 }}{% now 'Y' %}"

PAYLOADS = (
    FORMULA + BREAKOUT + SCRIPT + HTMX + LINKS + TEMPLATE + FORMAT_CHARACTERS,
    BREAKOUT + HTMX,
    BREAKOUT,
    f"\"'><{MARK}-tag {MARK}-attr=1>",
    f'"><{MARK}-t>',
    f"<{MARK}>",
    "<",
)
"""From the longest to the shortest."""
IN_ADDRESSES = f"=\"'><{MARK}-tag&{MARK}-attr=1>"
"""Without white space and slashes: for run tags and docnos, in files and in addresses."""
TOPIC_IN_ADDRESSES = f"10.2452/~1/{IN_ADDRESSES}</{MARK}>"
"""With slashes too, and what stands for one in addresses."""


def payload_of(length: int | None) -> str:
    """The longest attack that fits into a text of this length."""
    return next(payload for payload in PAYLOADS if length is None or len(payload) <= length)
