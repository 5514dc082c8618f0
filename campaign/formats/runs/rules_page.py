"""The page of reference on the rules of runs, made of the rules themselves."""

import re
import sys

from campaign.formats.runs.order_setting import BY_LINE, BY_RANK, BY_SCORE
from campaign.formats.runs.rules import FILE, OFF, RULES, Rule, words_of_order

PAGE = "docs/reference/run-rules.md"
COMMAND = f"python -m campaign.formats.runs.rules_page > {PAGE}"
PLACE = re.compile(r"\{(\w+)\}")

ADVICE = "write different scores; where the file has them, scores that differ in their first 7 digits"

INTRODUCTION = f"""# Run rules

*Made by `{COMMAND}`: change `campaign/formats/runs/rules.py`, not this page.*

The site, the API, the command `submit_run` and the check script of each task check runs by these rules, all in one pass.
An **error** rejects the run; a **warning** does not. A task may set each rule to error, warning or off, unless it says
*always*. For each rule the report shows the first line that breaks it, some further places and the count.
[Why the defaults are what they are](../decisions/0010-what-rejects-a-run.md).

| code | broken when | default | counted by | if it does not reject the run | remedy |
| --- | --- | --- | --- | --- | --- |
"""
OTHER_ORDERS = """
## Where a task orders runs by rank or by line

The table above is that of the usual order, by score. In the other two a task cannot set the rules named here:
they follow from the order. [What the orders are](../decisions/0028-one-order-and-its-setting.md).

| code | by rank | remedy by rank | by line |
| --- | --- | --- | --- |
"""
ENDING = """
## Files that cannot be read

These are always errors. Where the file itself is damaged or too large, its lines are not checked.

| code | broken when |
| --- | --- |
| `archive` | the file is a zip, tar, 7z or another archive, or no text at all (gzip is fine) |
| `gzip_corrupt`, `gzip_truncated` | the gzip data are damaged, or cut |
| `gzip_ratio` | the file unpacks to suspiciously much text |
| `gzip_members` | the file consists of more than 1,000,000 gzip files, one behind the other |
| `file_too_large`, `text_too_large` | the file, or its text unpacked, is over the limit |
| `line_too_long` | a line has more than 1 MB |
| `empty_lines` | a megabyte of the text is line ends alone; nothing after them is read |
| `binary_file` | there is a NUL byte; nothing after it is read |
| `empty_file` | no line is left beside blank ones and the comments at the head |

Text in UTF-16, as `>` of Windows PowerShell writes it, is read with the warning `utf16`. The file is kept
and handed out as it was sent; other programs may need it in UTF-8.
"""


def rules_page() -> str:
    rows = "".join(_row(rule) for rule in RULES.values())
    others = "".join(_row_of_orders(rule) for rule in RULES.values() if rule.by_rank or rule.by_line)
    return INTRODUCTION + rows + OTHER_ORDERS + others + ENDING


def _row(rule: Rule) -> str:
    default = f"{rule.default}, always" if rule.is_fixed else rule.default
    unit = "once" if rule.unit == FILE else rule.unit
    cells = [
        f"`{rule.code}`",
        rule.title,
        default,
        unit,
        "" if rule.is_fixed else _as_cell(rule.effect),
        _as_cell(rule.remedy),
    ]
    return f"| {' | '.join(cells)} |\n"


def _row_of_orders(rule: Rule) -> str:
    by_rank, by_line = rule.under(BY_RANK), rule.under(BY_LINE)
    remedy = _as_cell(f"{by_rank.effect} {by_rank.remedy}".strip()) if by_rank.default != OFF else ""
    return f"| `{rule.code}` | {_severity(by_rank)} | {remedy} | {_severity(by_line)} |\n"


def _severity(rule: Rule) -> str:
    return rule.default if rule.is_fixed else "as set"


def _as_cell(text: str) -> str:
    for name, words in {**words_of_order(BY_SCORE), "advice": ADVICE}.items():
        text = text.replace(f"{{{name}}}", words)
    return PLACE.sub(r"*\1*", text.replace("{hint}", "")).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(rules_page())
