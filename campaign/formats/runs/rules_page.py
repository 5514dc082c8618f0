"""The page of reference on the rules of runs, made of the rules themselves."""

import re
import sys

from campaign.formats.runs.rules import FILE, RULES, Rule

PAGE = "docs/reference/run-rules.md"
COMMAND = f"python -m campaign.formats.runs.rules_page > {PAGE}"
PLACE = re.compile(r"\{(\w+)\}")

INTRODUCTION = f"""# Run rules

*Made by `{COMMAND}`: change `campaign/formats/runs/rules.py`, not this page.*

The site, the API, the command `submit_run` and the check script of each task check runs by these rules, all in one pass.
An **error** rejects the run; a **warning** does not. A task may set each rule to error, warning or off, unless it says
*always*. For each rule the report shows the first line that breaks it, some further places and the count.
[Why the defaults are what they are](../decisions/0010-what-rejects-a-run.md).

| code | broken when | default | counted by | if it does not reject the run | remedy |
| --- | --- | --- | --- | --- | --- |
"""
ENDING = """
## Files that cannot be read

These are always errors. Where the file itself is damaged or too large, its lines are not checked.

| code | broken when |
| --- | --- |
| `archive` | the file is a zip, tar, 7z or another archive, or no text at all (gzip is fine) |
| `utf16` | the text is in UTF-16 |
| `gzip_corrupt`, `gzip_truncated` | the gzip data are damaged, or cut |
| `gzip_ratio` | the file unpacks to suspiciously much text |
| `file_too_large`, `text_too_large` | the file, or its text unpacked, is over the limit |
| `line_too_long` | a line has more than 1 MB |
| `binary_file` | there is a NUL byte; nothing after it is read |
| `empty_file` | no line is left beside blank ones and the comments at the head |
"""


def rules_page() -> str:
    return INTRODUCTION + "".join(_row(rule) for rule in RULES.values()) + ENDING


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


def _as_cell(text: str) -> str:
    return PLACE.sub(r"*\1*", text.replace("{hint}", "")).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(rules_page())
