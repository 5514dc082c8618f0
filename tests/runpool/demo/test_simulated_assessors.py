"""Simulated assessors: the same slips every time, as many as asked for, of the kind that people make."""

from collections import Counter
from statistics import median

import pytest

from runpool.demo.simulated_assessors import SimulatedJudgment, TrueJudgment, simulated_judgments

PER_GRADE = 3000
PAIRS = [("7", f"D{grade}-{n:04d}") for grade in range(4) for n in range(PER_GRADE)]


def make_truth() -> list[TrueJudgment]:
    """As many documents of each grade; every relevant one covers subtopics 1 and 3."""
    return [
        {"topic": topic, "docno": docno, "grade": int(docno[1]), "subtopics": ["1", "3"]}
        for topic, docno in PAIRS
        if docno[1] != "0"
    ]


def becoming(judgments: list[SimulatedJudgment]) -> Counter[tuple[int, int | None]]:
    return Counter((int(judgment["docno"][1]), judgment["grade"]) for judgment in judgments)


def test_an_assessor_without_slips_says_the_truth() -> None:
    for judgment in simulated_judgments(make_truth(), PAIRS, assessor_seed=1, slip_rate=0):
        grade = int(judgment["docno"][1])
        assert judgment["grade"] == grade
        assert judgment["subtopics"] == ({"1": grade, "3": grade} if grade else {})


def test_a_judgment_depends_on_seed_topic_and_docno_but_not_on_order_or_company() -> None:
    whole = {judgment["docno"]: judgment for judgment in simulated_judgments(make_truth(), PAIRS, assessor_seed=5)}
    some = simulated_judgments(make_truth(), PAIRS[:10000:17][::-1], assessor_seed=5)
    assert all(whole[judgment["docno"]] == judgment for judgment in some)
    assert list(whole.values()) != simulated_judgments(make_truth(), PAIRS, assessor_seed=6)


def test_judgments_are_the_same_on_every_machine_and_in_every_process() -> None:
    pairs = [("1", f"VELO-000{n}") for n in range(1, 4)]
    truth: list[TrueJudgment] = [
        {"topic": topic, "docno": docno, "grade": 2, "subtopics": ["1", "2"]} for topic, docno in pairs
    ]
    judgments = simulated_judgments(truth, pairs, assessor_seed=1)
    assert [(judgment["grade"], judgment["subtopics"], judgment["seconds"]) for judgment in judgments] == [
        (0, {}, 9.1),
        (2, {"1": 2}, 25.8),
        (2, {"1": 2, "2": 2}, 15.2),
    ]


def test_grades_1_and_2_are_confused_most_and_false_positives_are_rare() -> None:
    seen = becoming(simulated_judgments(make_truth(), PAIRS, assessor_seed=1, slip_rate=0.25))
    share = {pair: count / PER_GRADE for pair, count in seen.items()}
    assert share[2, 1] == pytest.approx(0.15, abs=0.025)
    assert share[1, 2] == pytest.approx(0.10, abs=0.02)
    assert share[1, 0] == pytest.approx(0.125, abs=0.02)
    assert share[3, 2] == pytest.approx(0.125, abs=0.02)
    assert 0 < share[0, 1] < 0.03
    assert seen[3, 0] == seen[0, 2] == seen[0, 3] == 0
    assert seen[1, 3] == 0


def test_subtopics_are_sometimes_missed_but_never_all_of_a_relevant_document() -> None:
    judgments = simulated_judgments(make_truth(), PAIRS, assessor_seed=1, slip_rate=0.25)
    covered = Counter(len(judgment["subtopics"]) for judgment in judgments if judgment["docno"][1] == "3")
    assert covered[0] == 0
    assert 0.1 < covered[1] / PER_GRADE < 0.3
    assert all(set(judgment["subtopics"].values()) <= {judgment["grade"]} for judgment in judgments)


def test_documents_without_text_mostly_cannot_be_judged_and_are_never_found_relevant() -> None:
    docnos = {docno for _, docno in PAIRS}
    judgments = simulated_judgments(make_truth(), PAIRS, assessor_seed=1, empty_docnos=docnos)
    seen = Counter(judgment["grade"] for judgment in judgments)
    assert set(seen) == {None, 0}
    assert 0.75 < seen[None] / len(PAIRS) < 0.85
    assert all(judgment["subtopics"] == {} for judgment in judgments)


def test_a_judgment_takes_about_12_seconds_and_never_an_absurd_time() -> None:
    seconds = [judgment["seconds"] for judgment in simulated_judgments(make_truth(), PAIRS, assessor_seed=1)]
    assert median(seconds) == pytest.approx(12, rel=0.05)
    assert min(seconds) >= 2
    assert max(seconds) <= 120


@pytest.mark.parametrize("slip_rate", [-0.1, 1.5])
def test_a_slip_rate_outside_0_to_1_is_refused(slip_rate: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        simulated_judgments([], [], assessor_seed=1, slip_rate=slip_rate)
