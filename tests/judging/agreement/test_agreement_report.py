"""The report on agreement: who counts, once each, and what it says in words."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from judging.agreement.exports import as_json, figures_as_rows
from judging.agreement.report import JUDGMENTS_SCHEMA, Report, agreement_report
from judging.agreement.words import in_words
from tests.draws import examples

SCALE = [0, 1, 2]


def report_of(*rows: tuple[str, str, str, int, int, int]) -> Report:
    return agreement_report(pl.DataFrame(rows, schema=JUDGMENTS_SCHEMA, orient="row"), SCALE, 1)


def test_a_document_that_one_person_graded_twice_tells_of_that_person_only() -> None:
    report = report_of(("1", "a", "ann", 1, 2, 0), ("1", "a", "ann", 2, 0, 9), ("1", "b", "ann", 1, 1, 1))
    assert report.whole.documents == 0
    assert report.pairs == ()
    [ann] = report.people
    assert (ann.repeats, ann.repeats_agreed, ann.documents) == (1, 0.0, 0)
    assert not report.is_empty


def test_a_repeat_is_no_second_vote_beside_those_of_others() -> None:
    once = [
        ("1", "a", "ann", 1, 2, 0),
        ("1", "a", "bob", 2, 1, 5),
        ("1", "b", "ann", 1, 0, 1),
        ("1", "b", "bob", 2, 0, 6),
    ]
    repeated = [*once, ("1", "a", "ann", 3, 0, 9), ("1", "b", "ann", 3, 0, 10)]
    assert str(report_of(*repeated).whole) == str(report_of(*once).whole)
    assert [person.repeats for person in report_of(*repeated).people] == [2, 0]


def test_strictness_by_thirds_shows_an_assessor_who_becomes_stricter() -> None:
    rows = []
    for number in range(9):
        docno = f"d{number}"
        rows.append(("1", docno, "ann", 1, 2, number))
        rows.append(("1", docno, "bob", 2, 2 - number // 3, 100 + number))
    bob = next(person for person in report_of(*rows).people if person.name == "bob")
    assert bob.thirds == (0.0, 1.0, 2.0)
    assert bob.strictness == pytest.approx(1.0)
    numbers = {0: 0, 1: 1, 2: 4}  # other numbers for the same steps of the scale
    named = pl.DataFrame([(*row[:4], numbers[row[4]], row[5]) for row in rows], schema=JUDGMENTS_SCHEMA, orient="row")
    same = next(person for person in agreement_report(named, [0, 1, 4], 1).people if person.name == "bob")
    assert (same.thirds, same.strictness) == (bob.thirds, bob.strictness)


@given(st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), min_size=2, max_size=40))
@examples(30)
def test_the_figures_of_two_assessors_are_those_of_statsmodels(grades: list[tuple[int, int]]) -> None:
    rows = [
        row
        for number, (one, other) in enumerate(grades)
        for row in (("1", f"d{number}", "ann", 1, one, number), ("1", f"d{number}", "bob", 2, other, number))
    ]
    [pair] = report_of(*rows).pairs
    expected = np.zeros((3, 3), dtype=int)
    for one, other in grades:
        expected[one, other] += 1
    assert pair.table.tolist() == expected.tolist()
    if len({grade for both in grades for grade in both}) > 1:
        assert pair.kappa == pytest.approx(cohens_kappa(expected, return_results=False))
        assert pair.kappa_quadratic == pytest.approx(cohens_kappa(expected, wt="quadratic", return_results=False))


def test_topics_of_two_and_of_three_votes_are_told_with_the_number_that_fleiss_rests_on() -> None:
    rows = [
        (str(topic), "a", name, 1, grade, 0) for topic in (1, 2) for grade, name in enumerate(("ann", "bob", "cid"))
    ]
    rows += [(str(topic), "b", name, 1, 1, 1) for topic in (1, 2) for name in ("ann", "bob")]
    rows += [(str(topic), "c", name, 1, 0, 1) for topic in (1, 2) for name in ("ann", "bob")]
    whole = report_of(*rows).whole
    assert (whole.documents, whole.grades, whole.fleiss_documents, whole.fleiss_grades) == (6, 14, 4, 2)
    assert whole.fleiss == 1.0


def test_equal_grades_only_and_one_topic_are_said_in_words_and_written_as_nothing() -> None:
    report = report_of(("1", "a", "ann", 1, 1, 0), ("1", "a", "bob", 1, 1, 0))
    assert in_words(report.whole)[1] == "All grades are the same: alpha cannot tell agreement from chance."
    assert as_json(report)["task"]["alpha_ordinal"] is None
    values = {name: value for table, _, _, name, value in figures_as_rows(report) if table == "task"}
    assert (values["documents"], values["alpha_ordinal"]) == (1, None)


@pytest.mark.parametrize(("disagreements", "words"), [(0, "at or above 0.8"), (3, "is below 0.667")])
def test_the_limits_of_alpha_are_named(disagreements: int, words: str) -> None:
    rows = []
    for number in range(12):
        other = (number + (number < disagreements * 2)) % 2
        rows += [("1", f"d{number}", "ann", 1, number % 2, 0), ("1", f"d{number}", "bob", 1, other, 0)]
    assert words in " ".join(in_words(report_of(*rows).whole))
