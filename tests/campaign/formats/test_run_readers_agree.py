"""The fast reader of runs against the tolerant one, which defines what is right."""

import polars as pl
from hypothesis import example, given, settings
from hypothesis import strategies as st

from campaign.formats.problems import ProblemLog
from campaign.formats.run_columns import read_clean_run
from campaign.formats.run_lines import RunLines
from campaign.formats.runs import RUN_SCHEMA, RunRules
from campaign.formats.source import Limits, numbered_lines

RULES = (
    RunRules(),
    RunRules(topics=frozenset({"1", "2"}), max_documents_per_topic=3, tag="base"),
    RunRules(docnos=frozenset({"a", "b", "c"}), docno_pattern="[ab]"),
)

rank = st.one_of(
    st.integers(-3, 9).map(str), st.sampled_from(["+1", "007", "1.0", "", "x", "9" * 18, "9" * 19, "-0", "1_0", "0x1"])
)
score = st.one_of(
    st.floats().map(repr),
    st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(
        ["nan", "inf", "-Infinity", "1e400", "1.", ".5", ".", "", "0x10", "1_0", "true", "-0.0", "5e-324", "1d2"]
    ),
)
usual_score = st.integers(-5, 5).map(str)
field = st.sampled_from(["a", "b", "c", '"a', "'", "#", "\u00e9", "a,b", "\u00a0", "\x1c", "\x85", "NULL"])
separator = st.sampled_from([" "] * 12 + ["\t", "  ", "\x0b", ""])
ending = st.sampled_from(["\n"] * 12 + ["\r\n", "\r", "\n\n", " \n", "\n ", ""])
line = st.tuples(
    st.sampled_from(["1", "1", "2", "01", "#1"]), separator, st.sampled_from(["Q0"] * 12 + ["0"]), separator, field,
    separator, rank | st.integers(1, 9).map(str), separator, score | usual_score, separator,
    st.sampled_from(["base"] * 12 + ["other", "b/d"]), ending,
).map("".join)  # fmt: skip
files = st.lists(line, max_size=8).map("".join)
tame = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from("abcdefgh"), st.integers(0, 9), score), max_size=8
).map(lambda rows: "".join(f"{t} Q0 {d} {r} {s} base\n" for t, d, r, s in rows))


def tolerant(data: bytes, rules: RunRules) -> tuple[pl.DataFrame, ProblemLog]:
    problems = ProblemLog()
    reader = RunLines(rules, problems)
    reader.read(numbered_lines([data], Limits(), problems))
    columns = {"topic": reader.topics, "docno": reader.docnos, "rank": reader.ranks, "score": reader.scores}
    return pl.DataFrame(columns, schema=RUN_SCHEMA), problems


@settings(max_examples=600, deadline=None)
@given(st.one_of(files, tame, files.map(lambda text: text.replace(" ", "\t"))), st.sampled_from(RULES))
@example("1 Q0 a\tb 1 1 base\n", RULES[0])
@example("1\tQ0\ta b\t1\t1\tbase\n", RULES[0])
@example("1 Q0 a\x0bb 1 1 base\n", RULES[0])
@example("1 Q0 a\x0cb 1 1 base\n", RULES[0])
@example("1 Q0 a\rb 1 1 base\n", RULES[0])
@example("1 Q0 a 1 1 base 7\n", RULES[0])
@example("1 Q0 a 1 1\n1 Q0 b 2 0 base\n", RULES[0])
@example("1 Q0 a 1 5 base\n\n1 Q0 b 2 4 base", RULES[0])
@example('1 Q0 "a 1 5 base\n1 Q0 b" 2 4 base\n', RULES[0])
@example("1 Q0 a 1 0 base\n2 Q0 a 1 5 base\n1 Q0 b 2 4 base\n", RULES[0])
def test_whatever_the_fast_reader_accepts_the_tolerant_reader_reads_the_same_without_a_problem(text, rules):
    data = text.encode()
    fast = read_clean_run(data, rules)
    if fast is None:
        return
    table, problems = tolerant(data, rules)
    assert set(problems.by_code) <= {"topic_missing"}
    assert fast.select(list(RUN_SCHEMA)).equals(table, null_equal=True)
    assert fast["score"].to_numpy().tobytes() == table["score"].to_numpy().tobytes()


orders = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.integers(-9, 9)), min_size=1, max_size=8, unique_by=lambda r: r[0]
)


@given(orders, orders, st.sampled_from([" ", "\t"]))
def test_the_fast_reader_takes_every_plain_run_in_rank_order(first, second, separator):
    lines = [
        separator.join((topic, "Q0", docno, str(position), str(value), "base"))
        for topic, entries in (("1", first), ("2", second))
        for position, (docno, value) in enumerate(sorted(entries, key=lambda r: -r[1]), start=1)
    ]
    frame = read_clean_run("\n".join(lines).encode(), RULES[0])
    assert frame is not None
    assert frame.height == len(lines)
