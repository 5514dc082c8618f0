"""What real submissions look like, under the rules that a new task has."""

import io

import pytest

from campaign.formats.runs.check import RunCheck, check_run
from campaign.formats.runs.rules import DocnoSet, RunRules

TOPICS = frozenset({"301", "302"})
DOCNOS = DocnoSet(frozenset(f"d{i}" for i in range(1000)))
BASE = [("301", "Q0", f"d{i}", str(i + 1), str(90 - i), "base") for i in range(20)] + [
    ("302", "Q0", f"d{i}", str(i + 1), str(50 - i), "base") for i in range(20)
]


def check(rows, tag: str = "base", line_end: str = "\n") -> RunCheck:
    text = "".join(" ".join(row) + line_end for row in rows)
    return check_run(io.BytesIO(text.encode()), RunRules(topics=TOPICS, docnos=DOCNOS, tag=tag))


def swapped(column: int, value: str) -> list[tuple[str, ...]]:
    return [(*row[:column], value, *row[column + 1 :]) for row in BASE]


def test_a_clean_run_has_no_problem():
    assert check(BASE).problems.total == 0


@pytest.mark.parametrize("line_end", [" \n", "\t \r\n"])
def test_trailing_blanks_are_no_problem(line_end):
    assert check(BASE, line_end=line_end).problems.total == 0


@pytest.mark.parametrize(
    ("rows", "tag", "codes"),
    [
        (swapped(1, "0"), "base", {"not_q0"}),
        (swapped(3, "0"), "base", {"rank_constant"}),
        (BASE, "base-second", {"tag_unexpected"}),
        ([*BASE, ("303", "Q0", "d1", "1", "5", "base")], "base", {"topic_unknown"}),
        (BASE[:20], "base", {"topic_missing"}),
        ([*BASE, ("302", "Q0", "d99", "21", "60", "base")], "base", {"score_rises"}),
        ([row for pair in zip(BASE[:20], BASE[20:], strict=True) for row in pair], "base", {"topic_ungrouped"}),
        (swapped(4, "1.0"), "base", {"score_constant"}),
    ],
    ids=[
        "0 for Q0",
        "ranks all 0",
        "one tag for all runs",
        "unknown topic",
        "missing topic",
        "rising",
        "mixed",
        "constant",
    ],
)
def test_what_is_untidy_is_accepted_with_one_warning_that_says_what_happens(rows, tag, codes):
    result = check(rows, tag)
    assert result.ok
    assert set(result.problems.by_code) == codes
    assert result.table is not None
    assert set(result.table["topic"].unique()) <= TOPICS


def test_of_100_000_lines_for_a_topic_the_best_1000_count():
    rows = [("301", "Q0", f"x{i}", str(i), str(1000000 - i), "base") for i in range(1, 100_001)]
    text = "".join(" ".join(row) + "\n" for row in rows)
    result = check_run(io.BytesIO(text.encode()), RunRules(topics=frozenset({"301"})))
    assert result.ok
    assert result.problems.by_code == {"topic_too_deep": 1}
    assert result.table is not None
    assert result.table["docno"].to_list() == [f"x{i}" for i in range(1, 1001)]


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([*BASE, BASE[-1]], "docno_duplicate"),
        ([*BASE, ("302", "Q0", "d5000", "21", "1", "base")], "docno_unknown"),
        ([*BASE, ("302", "Q0", "d50", "21", "nan", "base")], "score_not_finite"),
        ([*BASE, ("302", "Q0", "d50", "21", "1", "other")], "tag_varies"),
        ([*BASE, ("302", "Q0", "d50", "21", "1")], "column_count"),
        ([(*row[:4], str(-float(row[4])), row[5]) for row in BASE], "score_reversed"),
        ([("9", *row[1:]) for row in BASE[:20]], "no_known_topic"),
    ],
)
def test_what_makes_the_order_or_the_owner_of_a_line_unclear_rejects_the_run(rows, code):
    result = check(rows)
    assert not result.ok
    assert code in result.problems.by_code
