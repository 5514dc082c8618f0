import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.runs import order
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.ranked_run import RankedRun
from evaluation.engine.ranking import RankingError, rank_lines, rank_run
from evaluation.engine.run_lines import RunLines
from evaluation.engine.scoring import score_run, score_runs
from tests.draws import examples
from tests.evaluation.engine.random_collections import collections, make_judgments, make_run, make_subtopic_judgments

ALL = ["AP", "nDCG", "nDCG@10", "P@10", "RR", "R@100", "bpref", "alpha-nDCG@10", "Judged@10", "num_ret", "num_rel_ret"]


def ranks(run: pl.DataFrame, judgments: Judgments, reference="9") -> dict[str, int]:
    ranked = rank_run(run, judgments, reference)
    return dict(zip(judgments.documents["docno"].gather(ranked.document), ranked.rank.tolist(), strict=True))


@given(collections())
@examples(40)
def test_many_ties_are_broken_as_few_are(collection):
    few = score_run(collection.run_table, collection.judgments, ALL)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(order, "FEW_TIES", 0)
        many = score_run(collection.run_table, collection.judgments, ALL)
    np.testing.assert_array_equal(few.values, many.values)


@given(collections(), st.sampled_from(["score", "rank", "line"]), st.sampled_from(["9", "10"]), st.data())
@examples(100)
def test_a_small_run_in_lists_is_ranked_as_a_table_is(collection, run_order, reference, data):
    table = collection.run_table
    table = table[data.draw(st.permutations(range(table.height)))]
    some_ranks = data.draw(st.lists(st.integers(-2, 4), min_size=table.height, max_size=table.height))
    table = table.with_columns(rank=pl.Series(some_ranks, dtype=pl.Int64))
    judged = [
        (t, s, d, g) for t, docs in collection.qrels.items() for d, grades in docs.items() for s, g in grades.items()
    ]
    few = Judgments.from_lists(*(zip(*judged, strict=True) if judged else ((), (), (), ())))
    lines = RunLines.of_lists(*(table[name].to_list() for name in ("topic", "docno", "score", "rank")))
    expected = rank_run(table, collection.judgments, reference, run_order)
    for judgments, run in ((few, lines), (collection.judgments, lines), (few, RunLines.of_table(table))):
        found = rank_lines(run, judgments, reference, run_order)
        for name in ("topic", "num_ret", "group", "rank", "grade", "document"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), strict=True)


@given(collections(), st.sampled_from(["9", "10"]))
@examples(60)
def test_ranks_follow_score_descending_then_docno_descending_by_bytes(collection, reference):
    judgments = collection.judgments
    ranked = rank_run(collection.run_table, judgments, reference)
    documents = judgments.documents.rows()
    found = [(*documents[code], rank) for code, rank in zip(ranked.document, ranked.rank, strict=True)]
    as_type = np.float32 if reference == "9" else float
    expected = [
        (topic, docno, rank)
        for topic in judgments.topics
        if topic in collection.run
        for rank, docno in enumerate(collection.scoring_order(topic, as_type), start=1)
        if docno in collection.qrels[topic]
    ]
    assert found == expected
    assert ranked.num_ret.tolist() == [len(collection.run.get(topic, {})) for topic in judgments.topics]


@given(collections(subtopics=["1", "2"]), st.randoms(use_true_random=False))
@examples(40)
def test_the_order_of_lines_changes_nothing(collection, random):
    lines = collection.run_table.rows()
    random.shuffle(lines)
    as_given = score_run(collection.run_table, collection.judgments, ALL)
    shuffled = score_run(make_run(*lines), collection.judgments, ALL)
    np.testing.assert_array_equal(as_given.values, shuffled.values)


@given(collections(subtopics=["1", "2"]))
@examples(40)
def test_every_value_lies_in_the_range_of_its_measure(collection):
    scores = score_run(collection.run_table, collection.judgments, ALL)
    assert np.isfinite(scores.values).all()
    assert (scores.values >= 0).all()
    bounded = [row for row, name in enumerate(ALL) if not name.startswith(("num", "alpha"))]
    assert (scores.values[bounded] <= 1 + 1e-12).all()


def test_scores_equal_in_single_precision_are_ties_in_release_9_and_not_in_release_10():
    judgments = make_judgments(("1", "a", 1), ("1", "b", 0))
    run = make_run(("1", "a", 16777217.0), ("1", "b", 16777216.0))
    assert ranks(run, judgments, "9") == {"b": 1, "a": 2}
    assert ranks(run, judgments, "10") == {"a": 1, "b": 2}


def test_ties_compare_docnos_by_utf8_bytes_and_not_by_utf16_units():
    judgments = make_judgments(("1", "\ufb03", 1), ("1", "\U0001f600", 1), ("1", "z", 1))
    run = make_run(("1", "z", 1.0), ("1", "\ufb03", 1.0), ("1", "\U0001f600", 1.0))
    assert ranks(run, judgments) == {"\U0001f600": 1, "\ufb03": 2, "z": 3}


def test_the_rank_column_and_topics_without_judgments_are_ignored():
    run = make_run(("9", "a", 9.0), ("1", "a", 1.0), ("1", "b", 2.0)).with_columns(rank=pl.Series([1, 1, 2]))
    assert ranks(run, make_judgments(("1", "a", 1), ("1", "b", 1))) == {"b": 1, "a": 2}


def test_a_score_that_is_not_a_number_is_refused_with_its_topic_and_document():
    with pytest.raises(RankingError, match="Topic 1: the score of document b is not a number"):
        rank_run(make_run(("1", "a", 1.0), ("1", "b", float("nan"))), make_judgments(("1", "a", 1)))


def test_a_judged_document_retrieved_twice_is_refused():
    with pytest.raises(RankingError, match="Topic 1: document a is retrieved more than once"):
        rank_run(make_run(("1", "a", 1.0), ("1", "a", 2.0)), make_judgments(("1", "a", 1)))


def test_a_document_judged_twice_is_refused():
    with pytest.raises(JudgmentError, match="Topic 1, subtopic 0: document a is judged more than once"):
        make_judgments(("1", "a", 1), ("1", "a", 0))


def test_a_run_without_lines_scores_zero_everywhere():
    scores = score_run(make_run(), make_judgments(("1", "a", 1), ("2", "b", 0)), ALL)
    np.testing.assert_array_equal(scores.values, 0.0)
    assert not scores.answered.any()


def test_without_judgments_there_are_no_topics():
    assert score_run(make_run(("1", "a", 1.0)), make_judgments(), ALL).values.shape == (len(ALL), 0)


def test_topics_come_in_byte_order_whatever_the_order_of_the_judgments():
    judgments = make_judgments(("9", "a", 1), ("10", "a", 1), ("2", "a", 1), ("é", "a", 1))
    assert judgments.topics == ("10", "2", "9", "é")


def test_the_grade_of_a_document_is_its_highest_over_the_subtopics():
    judgments = make_subtopic_judgments(("1", "1", "a", 0), ("1", "2", "a", 3), ("1", "1", "b", -1), ("1", "2", "b", 0))
    assert judgments.grade.tolist() == [3, 0]


def test_many_runs_share_the_judgments_and_score_as_each_alone():
    judgments = make_judgments(("1", "a", 2), ("1", "b", 1), ("2", "a", 1))
    tables = [make_run(("1", "b", 2.0), ("1", "a", 1.0)), make_run(("2", "a", 1.0)), make_run()]
    together = [scores.values for scores in score_runs(tables, judgments, ALL)]
    alone = [score_run(table, judgments, ALL).values for table in tables]
    np.testing.assert_array_equal(together, alone)


def test_subtopics_written_as_numbers_are_kept_in_numeric_order():
    judgments = make_subtopic_judgments(("1", "10", "a", 3), ("1", "9", "a", 2), ("1", "1", "a", 1))
    assert judgments.pair_grade.tolist() == [1, 2, 3]


@given(collections(subtopics=["1", "2"]), collections(subtopics=["1", "2"]))
@examples(25)
def test_measures_ask_nothing_of_groups_but_their_topic_so_that_several_runs_fit_in_one_set_of_arrays(first, second):
    judgments = first.judgments
    one, other = rank_run(first.run_table, judgments), rank_run(second.run_table, judgments)
    both = RankedRun(
        judgments=judgments,
        topic=np.concatenate((one.topic, other.topic)),
        num_ret=np.concatenate((one.num_ret, other.num_ret)),
        group=np.concatenate((one.group, other.group + one.n_groups)),
        rank=np.concatenate((one.rank, other.rank)),
        grade=np.concatenate((one.grade, other.grade)),
        document=np.concatenate((one.document, other.document)),
    )
    for measure in map(parse_measure, ALL):
        alone = np.concatenate((measure.compute(one), measure.compute(other)))
        np.testing.assert_array_equal(measure.compute(both), alone, err_msg=measure.name)
