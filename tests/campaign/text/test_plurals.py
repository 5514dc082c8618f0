"""Numbers on pages, in mails and messages read right: one form for every confirmation, one noun for one thing."""

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from campaign.text.natural_order import natural_order
from judging.qrels.selectors.releases import grade_counts
from tests.places import REPOSITORY
from tests.pure_code import APPS, sources

TEMPLATES = sorted((REPOSITORY / "templates").rglob("*.html")) + sorted((REPOSITORY / "templates").rglob("*.txt"))
NOUNS = (
    "runs|topics|documents|pairs|teams|lines|judgments|measures|versions|subtopics|problems|errors|warnings|attempts|"
    "records|jobs|assessors|assignments"
)
BARE_IN_TEMPLATE = re.compile(rf"\}}\}}(?:</\w+>)?\s?(?:<span class=\"figure-unit\">\s*)?(?:\w+ )?(?:{NOUNS})\b")
BARE_IN_CODE = re.compile(rf"\{{(?!number_of|summary)[^{{}}\"]*[a-z][^{{}}\"]*\}} (?:\w+ )?(?:{NOUNS})\b")
MORE_THAN_ONE = {
    "campaign/queue/jobs.py": "a job is given up after several attempts",
    "campaign/runs/views/upload.py": "one run leads to its own page",
    "campaign/teams/views/team_table.py": "one team is named",
    "campaign/formats/runs/column_reader/batches.py": "of no use to users",
    "judging/core/modes/subtopic.py": "a count in brackets",
    "evaluation/command/wrong_files.py": "one line has words of its own",
    "campaign/formats/runs/rules.py": "the messages of rules that one document or topic cannot break",
    "campaign/formats/topics/drafts.py": "more than the maximum",
    "campaign/formats/runs/line_reader/about_order.py": "one topic has words of its own",
    "campaign/runs/exports/archive.py": "written by number_of",
    "evaluation/analysis/reliability/verdicts.py": "the report begins with four lines",
    "judging/progress/selectors/alarms.py": "a row that is told has at least thirty",
}
"""Where a number is never one, and why. What `manage.py` prints is read by scripts and stays as it is."""
LEAVES = {"Cancel", "Not now", "Stay", "Create another team", "Back to sign in", "Create an account", "Sign in instead"}


def _read(paths: list[Path], pattern: re.Pattern[str]) -> Iterator[str]:
    for path in paths:
        for found in pattern.finditer(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(REPOSITORY)}: {found.group()}"


def test_no_template_writes_a_number_before_a_plural_that_may_be_one() -> None:
    assert list(_read(TEMPLATES, BARE_IN_TEMPLATE)) == []


def test_no_message_writes_a_number_before_a_plural_that_may_be_one() -> None:
    seen = [path for path in sources(*APPS) if not {"engine", "strategies", "management"} & {*path.parts}]
    paths = [path for path in seen if str(path.relative_to(REPOSITORY)) not in MORE_THAN_ONE]
    assert list(_read(paths, BARE_IN_CODE)) == []


def test_every_question_before_an_act_ends_with_the_same_part() -> None:
    own = {
        path.name
        for path in TEMPLATES
        if '<form class="confirm' in (text := path.read_text(encoding="utf-8")) and "_confirm_actions.html" not in text
    }
    assert own == {"role_answer.html", "leaderboard_publish.html", "leaderboard_publish_confirm.html"}, (
        "several acts: accept or decline, go on or look again, publish or change"
    )


def test_a_link_beside_the_button_of_a_form_leaves_all_as_it_is_and_says_so() -> None:
    link = re.compile(r'<div class="form-actions">(?:(?!</div>).)*?<a [^>]*>([^<{]+)</a>', re.DOTALL)
    words = {found for path in TEMPLATES for found in link.findall(path.read_text(encoding="utf-8"))}
    assert words <= LEAVES
    as_buttons = re.compile(r'<a class="button[^>]*>(?:Cancel|Not now)</a>')
    assert list(_read(TEMPLATES, as_buttons)) == [], "what leaves all as it is does not look like what changes it"
    going_back = [
        path.name for path in TEMPLATES if re.search(r">\s*Go back\b[^.]*</a>", path.read_text(encoding="utf-8"))
    ]
    assert going_back == ["400.html"], "the page of an error"


@pytest.mark.parametrize(
    ("texts", "ordered"),
    [
        (["100", "10", "1", "9"], ["1", "9", "10", "100"]),
        (["T-10", "T-9", "S-11"], ["S-11", "T-9", "T-10"]),
        (["2", "02", "1.10", "1.9", ""], ["", "1.9", "1.10", "02", "2"]),
        (["a", "a0", "a1b", "a1"], ["a", "a0", "a1", "a1b"]),
        (["9" * 5000, "1", "é"], ["1", "9" * 5000, "é"]),
    ],
)
def test_people_read_numbers_in_names_as_numbers(texts: list[str], ordered: list[str]) -> None:
    assert sorted(texts, key=natural_order) == ordered


def test_pages_list_topics_by_their_numbers() -> None:
    table = pl.DataFrame({"topic": ["100", "9", "10"], "docno": ["a", "b", "c"], "grade": [1, -1, -1]})
    assert [row["topic"] for row in grade_counts(table, [0, 1], lowest_relevant=1)] == ["9", "10", "100"]
