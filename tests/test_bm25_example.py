"""The example of a model assessor in the guide: thresholds of BM25."""

import runpy

from tests.places import REPOSITORY

EXAMPLE = runpy.run_path(str(REPOSITORY / "docs/guide/bm25_assessor.py"))


def document(docno: str, text: str) -> dict[str, str]:
    return {"docno": docno, "title": "", "text": text}


def test_a_rare_word_of_the_query_counts_more_than_a_common_one_and_a_long_document_less() -> None:
    documents = [
        document("rare", "bell bicycle"),
        document("common", "road bicycle"),
        document("long", "bell bicycle " + "road " * 50),
        document("none", "road road"),
    ]
    scores = EXAMPLE["bm25"]("bicycle bell", documents)
    assert scores["rare"] > scores["long"] > scores["common"] > scores["none"] == 0


def test_words_of_every_script_count() -> None:
    assert EXAMPLE["words"]("The Bell, हिन्दी") == ["the", "bell", "हिन्दी"]
    assert EXAMPLE["words"]("PDF自転車。犬") == ["pdf", "自転", "転車", "犬"]
    assert EXAMPLE["words"]("Nguye\u0302\u0303n") == EXAMPLE["words"]("Nguyễn") == ["nguyễn"]


def test_the_best_tenth_gets_the_highest_grade_the_next_the_one_below_and_no_hit_the_lowest() -> None:
    scores = {f"d{place:02}": float(20 - place) for place in range(19)} | {"d19": 0.0}
    grades = EXAMPLE["grades_of"](scores, [0, 1, 2, 3])
    assert [docno for docno, grade in grades.items() if grade == 3] == ["d00", "d01"]
    assert [docno for docno, grade in grades.items() if grade == 2] == ["d02", "d03", "d04"]
    assert {grade for docno, grade in grades.items() if docno > "d04"} == {0}
    assert EXAMPLE["grades_of"]({"a": 0.0}, [0, 1]) == {"a": 0}
