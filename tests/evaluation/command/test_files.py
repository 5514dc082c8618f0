"""What the command reads: all that can be scored sensibly, quickly, and every problem of what cannot."""

import gzip
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from campaign.command.files import InputError
from campaign.formats.problems import ProblemLog
from campaign.formats.qrels.read import QrelsRules, read_qrels
from campaign.formats.qrels.table import QRELS_SCHEMA
from campaign.formats.source import Limits, numbered_lines
from evaluation.command.files import EDGE, read_judgments, read_run
from evaluation.command.reading import columns as score_columns
from evaluation.command.reading.columns import holds_twice, read_grades, read_scores
from evaluation.command.reading.lines import ScoreLines, add_comments, without_comments, without_marks
from evaluation.command.reading.small import read_few_grades, read_few_scores
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.run_lines import RunLines
from tests.draws import examples

LIMITS = Limits()
RUN = b"1 Q0 a 1 2.5 one\n1 Q0 b 2 1.5 two\n2 Q0 a 1 1 three\n"
RUN_ROWS = [("1", "a", 2.5), ("1", "b", 1.5), ("2", "a", 1.0)]
QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 2\n"


def rows_of(lines: RunLines) -> list[tuple[str, str, float]]:
    topics = [lines.topics[topic] for topic in lines.topic]
    return list(zip(topics, lines.docno, lines.score.tolist(), strict=True))


def encoded(*texts: str):
    return st.sampled_from([text.encode() for text in texts])


def seldom(usual: bytes, *unusual: bytes):
    return st.sampled_from([usual] * 9 * len(unusual) + list(unusual))


def columns(*strategies):
    """Files of lines with these columns, mostly laid out as usual, but in every other way that comes up too."""
    parts = [seldom(b"", b" ", b"# ", b"#", b"\xef\xbb\xbf", b"\0")]
    for strategy in strategies[:-1]:
        parts += [strategy, seldom(b" ", b"\t", b"  ", b"\x0b", b"\r", b"")]
    parts += [strategies[-1], seldom(b"\n", b"\r\n", b"\r", b"\n\n", b" \n", b"\n ", b" more\n", b"")]
    return st.lists(st.tuples(*parts).map(b"".join), max_size=6).map(b"".join)


def mostly(strategy, *others):
    return st.sampled_from([strategy] * 9 * len(others) + list(others)).flatmap(lambda chosen: chosen)


topic = mostly(encoded("1", "2"), encoded("01", "é"))
text = mostly(encoded("Q0", "0", "a", "3.5"), st.just(b"t\xe9xt"))
docno = mostly(
    encoded(*"abcdefgh"),
    encoded('"a', "'", "#a", "é", "\u00a0", "\x85", "NULL", "a,b", "x" * 300),
    st.just(b"\xe9"),
)
rank = mostly(encoded("1", "2", "-3"), encoded("x", "1.0", "007"))
score = mostly(
    st.integers(-9, 9).map(str).map(str.encode),
    st.floats().map(repr).map(str.encode),
    st.from_regex(rb"\A[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?\Z", fullmatch=True),
    encoded("nan", "-inf", "Infinity", "1e400", "1.", ".5", ".", "", "0x10", "1_0", "1,5", "true", "5e-324"),
)
grade = mostly(
    encoded("0", "1", "2", "-1", "-2", "-7"), encoded("+1", "007", "1.7", "rel", "", "999999999", "1000000000", "1_0")
)
run_files = columns(topic, text, docno, rank, score, text)
qrels_files = columns(topic, text, docno, grade)


def tolerant_run(data: bytes, *, with_rank: bool, comments: bool) -> tuple[pl.DataFrame, ProblemLog]:
    problems, data = ProblemLog(), without_marks(data)
    if not comments:
        add_comments(data, LIMITS, problems)
    reader = ScoreLines(problems, with_rank=with_rank)
    reader.read(numbered_lines([without_comments(data)], LIMITS, problems))
    read = {"topic": reader.topics, "docno": reader.docnos, "rank": reader.ranks, "score": reader.scores}
    schema = {"topic": pl.String, "docno": pl.String, "rank": pl.Int64, "score": pl.Float64}
    table = pl.DataFrame(read, schema=schema)
    return table if with_rank else table.drop("rank"), problems


@examples(150)
@given(run_files, st.booleans(), st.booleans())
@example(b"1 Q0 a\tb 1 1 x y\n", False, False)
@example(b"1 Q0  a 1 2\n", False, False)
@example(b"1 Q0 a  1 2\n", False, False)
@example(b"1 Q0 a 1 2 \n", False, False)
@example(b"1 Q0 a 1 2 x y\n1 Q0 b 1 2\n", False, False)
@example(b"1 Q0 a 1 2\n1 Q0 b 1 2 x y\n", False, False)
@example(b"1 Q0 a 1 5 x\n2 Q0 a 1 5 x\n1 Q0 a 2 4 x\n", False, False)
@example(b"# 1 2 3 4 5 6\n1 Q0 a 1 5 x\n  # 1 2 3\n", False, True)
@example(b"# 1 2 3 4 5 6\n", False, False)
@example(b"\r\r1 Q0 a 1 5 x\r2 Q0 a 1 5 x", False, False)
@example(b"1 Q0 a 1 5 x\n# c\n\xef\xbb\xbf# d\n\xef\xbb\xbf2 Q0 a 1 5 x", False, True)
@example(b"1 Q0 a 1 5 x\n1 Q0\rb 1 5 x\n1 Q0 c 1\x0b5 x", False, False)
def test_whatever_the_fast_reader_of_runs_accepts_the_tolerant_one_reads_the_same(data, with_rank, comments):
    fast = read_scores(data, with_rank=with_rank, comments=comments)
    table, problems = tolerant_run(data, with_rank=with_rank, comments=comments)
    if fast is not None:
        assert problems.ok
        assert fast.equals(table)
        assert fast["score"].to_numpy().tobytes() == table["score"].to_numpy().tobytes()


@examples(120)
@given(qrels_files, st.booleans(), st.booleans())
@example(b"1 0 a 1 \n", False, False)
@example(b"1 0 a  1\n1 0 b\n", False, False)
@example(b"1 0  1\n", False, False)
@example(b"#1 0 a 1\n", False, False)
@example(b"# 1\n\xef\xbb\xbf1 0 a 1\n", False, True)
def test_whatever_the_fast_reader_of_qrels_accepts_the_tolerant_one_reads_the_same(data, subtopics, comments):
    fast = read_grades(data, subtopics=subtopics, comments=comments)
    if fast is None:
        return
    data = without_marks(data)
    rules = QrelsRules(subtopic=subtopics, for_scoring=True)
    slow = read_qrels(io.BytesIO(without_comments(data) if comments else data), rules)
    assert set(slow.problems.by_code) <= {"judgment_duplicate"}
    if slow.table is not None:
        assert fast.select(list(QRELS_SCHEMA)).equals(slow.table)


@examples(150)
@given(run_files, st.booleans())
@example(b"1 Q0 a\tb 1 1 x y\n", False)
@example(b"1 Q0 a 1 2 x y\n1 Q0 b 1 2 z\n", False)
@example(b"1 Q0 a 1 1_0 x\n", False)
@example(b"1 Q0 a 1 5 x\n2 Q0 a 1 5 x\n1 Q0 a 2 4 x\n", False)
@example(b"  # 2 3 4 5 6\n", False)
@example(b"\r\r1 Q0 a 1 5 x\r2 Q0 \x1c 1 5 x", True)
@example("1 Q0 \u2028 1 -inf x\n1 Q0 \x85 99999999999999999999 5 x".encode(), True)
def test_whatever_the_reader_of_small_runs_accepts_the_tolerant_one_reads_the_same(data, with_rank):
    few = read_few_scores(data, with_rank=with_rank)
    if few is None:
        return
    table, problems = tolerant_run(data, with_rank=with_rank, comments=False)
    assert problems.ok
    assert rows_of(few) == table.select("topic", "docno", "score").rows()
    assert few.score.tobytes() == table["score"].to_numpy().tobytes()
    assert not with_rank or few.rank.tolist() == table["rank"].to_list()


@examples(120)
@given(qrels_files, st.booleans())
@example(b"1 0 a 1 \n", False)
@example(b"1 x a 1\n1 10 a 1\n1 9 b 2\n0 9 b 2", True)
@example(b"1 x a 1\n1 y a 1\n", False)
@example(b"#1 0 a 1\n", False)
@example(b"1 0 a 1_0\n", False)
def test_whatever_the_reader_of_small_qrels_accepts_the_tolerant_one_codes_the_same(data, subtopics):
    few = read_few_grades(data, subtopics=subtopics)
    if few is None:
        return
    read = read_qrels(io.BytesIO(data), QrelsRules(subtopic=subtopics, for_scoring=True))
    assert read.problems.ok
    many = Judgments.from_table(read.table)
    assert few.documents.equals(many.documents)
    assert (few.topics, few.n_subtopics) == (many.topics, many.n_subtopics)
    for name in ("topic", "grade", "pair_document", "pair_subtopic", "pair_grade"):
        np.testing.assert_array_equal(getattr(few, name), getattr(many, name), strict=True)


def test_clean_small_files_are_read_before_polars_is_loaded():
    assert rows_of(read_few_scores(RUN, with_rank=True)) == RUN_ROWS
    assert rows_of(read_few_scores(RUN.replace(b"\n", b" more\r\n\n"))) == RUN_ROWS
    assert read_few_grades(QRELS.replace(b" ", b"\t")).grade.tolist() == [1, 0, 2]


def test_a_judgment_given_twice_is_refused_in_lists_too():
    with pytest.raises(JudgmentError, match="judged more than once"):
        Judgments.from_lists(["1", "1"], ["0", "0"], ["a", "a"], [1, 1])


@pytest.mark.parametrize(
    "changed",
    [
        RUN,
        RUN.rstrip(),
        RUN.replace(b"\n", b"\r\n"),
        RUN.replace(b"\n", b"\r"),
        RUN.replace(b" ", b"\t"),
        RUN.replace(b" ", b"   "),
        RUN.replace(b" ", b" \t\x0b"),
        RUN.replace(b"\n", b"  \n\n  "),
        b"\n\n" + RUN + b"\n\n",
        RUN.replace(b"one", b"one and more"),
        RUN.replace(b"two", b"two and more"),
        RUN.replace(b"Q0", b"anything"),
        RUN.replace(b" 1 2.5", b" first 2.5"),
        RUN.replace(b"2.5", b"25e-1"),
    ],
    ids=lambda data: repr(data)[:40],
)
def test_the_fast_reader_takes_every_layout_of_a_run_without_a_problem(changed):
    assert read_scores(changed).rows() == RUN_ROWS


@pytest.mark.parametrize(
    "changed",
    [
        QRELS,
        QRELS.rstrip(),
        QRELS.replace(b"\n", b"\r\n"),
        QRELS.replace(b" ", b"\t  "),
        QRELS + b"\n\n",
        b"\n" + QRELS,
    ],
)
def test_the_fast_reader_takes_every_layout_of_qrels_without_a_problem(changed):
    assert read_grades(changed).rows() == [("1", "0", "a", 1), ("1", "0", "b", 0), ("2", "0", "a", 2)]


def make_file(path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def test_a_file_read_line_by_line_gives_the_same_run(tmp_path):
    in_latin_1 = RUN.replace(b"three", b"tr\xe9s")
    assert read_scores(in_latin_1) is None
    read = read_run(make_file(tmp_path / "run", in_latin_1), with_rank=True)
    assert rows_of(read.lines) == RUN_ROWS
    assert read.lines.rank.tolist() == [1, 2, 1]
    assert (read.first_tag, read.last_tag) == ("one", "tr\udce9s")


def test_a_run_has_the_tags_of_its_first_and_last_line_and_the_name_that_was_given(tmp_path):
    path = make_file(tmp_path / "run", b"\n\n" + RUN + b"\n\n")
    read = read_run(path)
    assert (read.name, read.first_tag, read.last_tag) == (path, "one", "three")


def test_tags_are_found_behind_comments_and_beyond_what_is_looked_at_first(tmp_path):
    comment = b"# a b c d e f\n"
    long_end = b"3 Q0 z 1 0 last" + b" more" * EDGE
    read = read_run(make_file(tmp_path / "run", comment * EDGE + RUN + long_end + b"\n" + comment), comments=True)
    assert (read.first_tag, read.last_tag) == ("one", "last")


def test_a_byte_order_mark_is_passed_over_also_where_files_were_put_together(tmp_path):
    mark = b"\xef\xbb\xbf"
    halves = mark + RUN.replace(b"\n2 Q0", b"\n" + mark + b"2 Q0")
    assert rows_of(read_run(make_file(tmp_path / "run", halves)).lines) == RUN_ROWS
    assert read_judgments(make_file(tmp_path / "qrels", mark + QRELS + mark)).topics == ("1", "2")


def test_gzip_is_recognised_whatever_the_name_also_in_several_members(tmp_path):
    half = RUN.index(b"two") + 4
    packed = gzip.compress(RUN[:half]) + gzip.compress(RUN[half:])
    assert rows_of(read_run(make_file(tmp_path / "run.txt", packed)).lines) == RUN_ROWS
    assert read_judgments(make_file(tmp_path / "qrels.txt", gzip.compress(QRELS))).grade.tolist() == [1, 0, 2]


def problems_of(read, path: str, **how) -> list[str]:
    with pytest.raises(InputError) as problem:
        read(path, **how)
    assert problem.value.total == len(problem.value.lines)
    return [line.removeprefix(path) for line in problem.value.lines]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", [": The file holds no lines."]),
        (b"\n \n", [": The file holds no lines."]),
        (RUN + b"1 Q0 c 3 high run\n", [":4: Score high is not a number."]),
        (RUN + b"1 Q0 c 3 2,5 run\n", [":4: Score 2,5 is not a number."]),
        (RUN + b"1 Q0 c 3 nan run\n", [":4: Score nan is not a number."]),
        (RUN + b"1 Q0 c 3 0x1 run\n", [":4: Score 0x1 is not a number."]),
        (RUN + b"1 Q0 a 3 0.5 run\n", [":4: Docno a was already retrieved for topic 1 on line 1."]),
        (RUN + b"1 Q0 c 3 0.5\n", [":4: There are 5 columns instead of 6."]),
        (RUN + b"1 Q0 c 3 0.5 \n", [":4: There are 5 columns instead of 6."]),
        (b"1  Q0 a 1 2.5\n", [":1: There are 5 columns instead of 6."]),
        (RUN + b"1 Q0 c\xc2\xa03 0.5 run\n", [":4: There are 5 columns instead of 6."]),
        (b"# made by hand\n" + RUN, [":1: The line begins with #."]),
        (b"# 1 2 3 4 5 6\n" + RUN, [":1: The line begins with #."]),
        (RUN + b"1 Q0 c\xe9 3 0.5 run\n", [":4: The line is not valid UTF-8."]),
        (RUN + b"1 Q0 c\0 3 0.5 run\n", [":4: There is a NUL byte: not a text file."]),
        (b"PK\x03\x04" + RUN, [": This is a zip archive."]),
        (b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xml", [": This is an office document."]),
        (gzip.compress(RUN, mtime=0)[:-9], [": The gzip file ends too early."]),
        (
            b"1 Q0 a 1 x run\n\n1 Q0 a 2 2 run\n1 Q0 b 3\n# end\n",
            [":1: Score x", ":3: Docno a was already", ":4: There are 4 columns", ":5: The line begins with #."],
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_every_problem_of_a_run_is_told_with_its_line(tmp_path, data, expected):
    told = problems_of(read_run, make_file(tmp_path / "run", data))
    assert [line[: len(start)] for line, start in zip(told, expected, strict=True)] == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", [": The file holds no judgments."]),
        (QRELS + b"2 0 b 1.7\n2 0 c rel\n", [":4: Grade 1.7 is not an integer.", ":5: Grade rel is not an integer."]),
        (QRELS + b"1 0 a 0\n", [":4: Docno a was already judged for topic 1 on line 1."]),
        (QRELS + b"2 0 b\n", [":4: There are 3 columns instead of 4."]),
        (QRELS + b"2 0 b 1 1\n", [":4: There are 5 columns instead of 4."]),
        (b"# judged\n" + QRELS, [":1: The line begins with #."]),
        (b"# 0 a 1\n" + QRELS, [":1: The line begins with #."]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_every_problem_of_judgments_is_told_with_its_line(tmp_path, data, expected):
    told = problems_of(read_judgments, make_file(tmp_path / "qrels", data))
    assert [line[: len(start)] for line, start in zip(told, expected, strict=True)] == expected


def test_a_run_in_json_is_one_problem_however_many_words_it_has(tmp_path):
    told = problems_of(read_run, make_file(tmp_path / "run.json", b'{"1": {"a": 2.5, "b": 3, "c": 1}}\n' * 2))
    assert len(told) == 1
    assert "1: This is JSON, and not six columns." in told[0]


def test_lines_that_begin_with_a_hash_are_passed_over_where_comments_are_allowed(tmp_path):
    comments = b"# 1 2 3 4 5 6\n#\n  # x\n"
    run = make_file(tmp_path / "run", comments + RUN + comments)
    qrels = make_file(tmp_path / "qrels", comments + QRELS + b"# 0 a 1\n")
    assert rows_of(read_run(run, comments=True).lines) == RUN_ROWS
    assert read_judgments(qrels, comments=True).grade.tolist() == [1, 0, 2]
    bad = make_file(tmp_path / "bad", comments + RUN + b"1 Q0 a 1 2 again\n")
    assert [line[:9] for line in problems_of(read_run, bad, comments=True)] == [":7: Docno"]


def test_a_rank_must_be_a_whole_number_only_where_it_is_asked_for(tmp_path):
    path = make_file(tmp_path / "run", RUN + b"2 Q0 b second 0.5 run\n")
    assert len(read_run(path).lines) == 4
    assert problems_of(read_run, path, with_rank=True)[0].startswith(":4: Rank second is not an integer.")


def test_only_so_many_problems_are_kept_as_will_be_shown_but_all_are_counted(tmp_path):
    path = make_file(tmp_path / "run", b"".join(b"1 Q0 a 1 x%d run\n" % number for number in range(300)))
    with pytest.raises(InputError) as problem:
        read_run(path, problems_shown=7)
    assert len(problem.value.lines) == 7
    assert problem.value.total == 301  # another score on each line that is no number, and one docno that comes again


def test_a_file_that_is_not_there_or_is_a_folder_is_told_by_its_name(tmp_path):
    assert problems_of(read_run, str(tmp_path / "none")) == [": No such file or directory. Check the path."]
    told = [": Is a directory. Name the files in it, as in DIR/*."]
    assert problems_of(read_judgments, str(tmp_path)) == told


def test_any_negative_grade_says_unjudged_and_a_docno_may_be_long(tmp_path):
    judgments = read_judgments(make_file(tmp_path / "qrels", QRELS + b"2 0 " + b"x" * 999 + b" -7\n"))
    assert judgments.grade.tolist() == [1, 0, 2, -7]


def test_the_second_column_of_qrels_matters_only_where_it_names_subtopics(tmp_path):
    path = make_file(tmp_path / "qrels", b"1 x a 1\n1 y b 2\n")
    assert read_judgments(path).n_subtopics == 1
    assert read_judgments(path, subtopics=True).n_subtopics == 2
    twice = make_file(tmp_path / "twice", b"1 x a 1\n1 y a 2\n")
    assert read_judgments(twice, subtopics=True).pair_grade.tolist() == [1, 2]
    again = make_file(tmp_path / "again", b"1 x a 1\n1 x a 2\n1 y a 1\n")
    assert problems_of(read_judgments, again)[0].startswith(":2: Docno a was already judged for topic 1 on line 1.")


def test_judgments_of_subtopics_are_told_in_one_line_where_one_judgment_of_each_document_is_wanted(tmp_path):
    lines = [b"1 %d d%d 1\n" % (subtopic, document) for subtopic in range(7) for document in range(9)]
    path = make_file(tmp_path / "qrels", b"".join(lines))
    (told,) = problems_of(read_judgments, path)
    assert told.startswith(
        ": 54 lines judge a document again, always with another second column (0, 1, 2, 3, 4, ...): "
    )
    assert "-R qrels_jg" in told
    assert read_judgments(path, subtopics=True).n_subtopics == 7
    with_others = problems_of(read_judgments, make_file(tmp_path / "bad", b"1 x a 1\n1 y a 1\n1 y b high\n"))
    assert [line[:30] for line in with_others] == [": 1 line judges a document aga", ":3: Grade high is not an integ"]


def test_a_run_in_place_of_qrels_and_qrels_in_place_of_a_run_are_told_in_one_line(tmp_path):
    run = make_file(tmp_path / "run", b"# made by hand\n\n" + RUN.replace(b"three", b"three and more"))
    (told,) = problems_of(read_judgments, run)
    assert told.startswith(
        ": Every line has 6 columns or more, not the 4 of qrels: topic 0 docno grade. Is this a run?"
    )
    assert problems_of(read_judgments, run, sampled=True, subtopics=True) == [told]
    (told,) = problems_of(read_run, make_file(tmp_path / "qrels", QRELS))
    assert told.startswith(": Every line has 4 columns, not the 6 of a run")
    assert "Are these qrels?" in told


@pytest.mark.parametrize("fifth", [b"1", b"0.5", b"NA"])
def test_a_fifth_column_of_qrels_is_refused_where_no_sample_is_asked_for(tmp_path, fifth):
    path = make_file(tmp_path / "qrels", QRELS.replace(b"\n", b" " + fifth + b"\n"))
    (told,) = problems_of(read_judgments, path)
    assert told.startswith(": Every line has 5 columns, not 4: topic 0 docno grade. Take the fifth column out, or ask")
    assert all(name in told for name in ("xinfAP", "infNDCG", "statAP"))
    (one_line,) = problems_of(read_judgments, make_file(tmp_path / "one", QRELS + b"2 0 b 1 " + fifth + b"\n"))
    assert one_line.startswith(":4: There are 5 columns instead of 4. Take the fifth column out, or ask for")


def test_qrels_of_a_sample_keep_their_strata(tmp_path):
    judgments = read_judgments(make_file(tmp_path / "qrels", b"1 0 a 1 1\n1 0 b 2 -1\n1 0 c 2 0\n"), sampled=True)
    assert judgments.stratum.tolist() == [1, 2, 2]
    assert judgments.grade.tolist() == [1, -1, 0]


pairs = st.lists(st.tuples(st.sampled_from("123"), st.sampled_from("abcdef")), min_size=1, max_size=30)


@examples(100)
@given(pairs, st.booleans(), st.sampled_from([(1 << 19, 1 << 14), (4, 2), (7, 100)]), st.booleans())
def test_a_document_named_twice_is_found_in_pieces_of_any_size_and_when_hashes_collide(
    listed, in_order, sizes, colliding
):
    listed = sorted(listed, key=lambda pair: pair[0]) if in_order else listed
    table = pl.DataFrame(listed, schema=["topic", "docno"], orient="row")
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(score_columns, "HASHED_AT_ONCE", sizes[0])
        changed.setattr(score_columns, "COMPARED_AT_ONCE", sizes[1])
        if colliding:  # all documents of a topic have one hash
            changed.setattr(score_columns, "HASH_STEP", np.uint64(0))
        assert holds_twice(table) == (len(set(listed)) < len(listed))


@pytest.mark.parametrize("apart", [1, 5_000, 49_999])
def test_one_repetition_among_many_lines_is_found(apart):
    topics = np.repeat(np.arange(50), 1000).astype(str)
    docnos = np.arange(50_000).astype(str)
    table = pl.DataFrame({"topic": topics, "docno": docnos})
    assert not holds_twice(table)
    repeated = table.slice(0, 1)
    assert holds_twice(pl.concat([table.slice(0, apart), repeated, table.slice(apart)]))
