"""`python -m evaluation curves`, from files."""

import csv
import io
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from evaluation.command.main import main

A = [1, 0, 1, 1, 1, 1, 0, 0, 0, 1]
C = [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]
GRADED = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
TAGS = ("bm25", "$x_1$ <b>", "_left-out")
Points = dict[tuple[str, str, str], list[tuple[Any, Any]]]


def write_files(folder: Path, topics: dict[str, list[int]], tags: tuple[str, ...] = TAGS) -> list[str]:
    """The run of the first tag ranks the documents as listed, every other one the other way round."""
    qrels = [
        f"{topic} 0 d{place:02d} {grade}\n" for topic, grades in topics.items() for place, grade in enumerate(grades)
    ]
    (folder / "qrels.txt").write_text("".join(qrels))
    for number, tag in enumerate(tags):
        lines = [
            f"{topic} Q0 d{place:02d} 1 {place if number else -place} {tag.replace(' ', '')}\n"
            for topic, grades in topics.items()
            for place in range(len(grades))
        ]
        (folder / f"{number}.txt").write_text("".join(lines))
    return [str(folder / "qrels.txt"), *(str(folder / f"{number}.txt") for number in range(len(tags)))]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return write_files(tmp_path, {"1": A, "2": C})


def table(capfd: pytest.CaptureFixture[str], *words: str) -> Points:
    assert main(["curves", *words]) == 0, capfd.readouterr().err
    found: Points = defaultdict(list)
    for row in csv.DictReader(io.StringIO(capfd.readouterr().out)):
        found[row["curve"], row["run"], row["topic"]].append((float(row["x"]) if row["x"] else None, float(row["y"])))
    return found


def values(points: list[tuple[Any, Any]]) -> list[float]:
    return [y for _, y in points]


def test_a_row_for_each_run_and_recall_level(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """Precision of A at 11 levels as taught, of C as trec_eval rounds: two of three documents make a recall of 0.7."""
    found = table(capfd, *files)
    of_a = [1, 1, *[5 / 6] * 7, 0.6, 0.6]
    of_c = [1, 1, 1, 1, *[1 / 3] * 4, *[0.3] * 3]
    curve = found["recall-precision", "bm25", "all"]
    assert [x for x, _ in curve] == [tenth / 10 for tenth in range(11)]
    assert values(curve) == pytest.approx([(one + other) / 2 for one, other in zip(of_a, of_c, strict=True)])
    assert {run for _, run, _ in found} == {tag.replace(" ", "") for tag in TAGS}
    even = (
        4 + 1 / 3 * 0
    ) / 6  # A has five relevant documents of its six among the first six, C one of three among three
    assert even != found["break-even", "bm25", "all"][0][1]
    assert found["break-even", "bm25", "all"] == [(pytest.approx(7 / 12), pytest.approx(7 / 12))]


def test_pooled_over_topics_documents_count_alike(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """Nine relevant documents in all; by rank 1, 3, 4, 5, 6, 10 of both topics there are 2, 3, 4, 5, 7, 9 of them."""
    points = [(2, 2), (3, 6), (4, 8), (5, 10), (7, 12), (9, 20)]
    expected = [max(f / n for f, n in points if 10 * f >= tenth * 9) for tenth in range(11)]
    assert values(table(capfd, "--micro", *files)["recall-precision", "bm25", "all"]) == pytest.approx(expected)


def test_one_topic_has_its_measured_points_too(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    found = table(capfd, "--topic", "1", *files)
    expected = [(1 / 6, 1), (2 / 6, 2 / 3), (3 / 6, 3 / 4), (4 / 6, 4 / 5), (5 / 6, 5 / 6), (1, 0.6)]
    points = found["recall-precision-points", "bm25", "1"]
    assert points == [(pytest.approx(x), pytest.approx(y)) for x, y in expected]
    assert values(found["recall-precision", "bm25", "1"])[:3] == pytest.approx([1, 1, 5 / 6])


def test_gain_is_told_beside_that_of_the_ideal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = write_files(tmp_path, {"1": GRADED}, ("bm25", "worse"))
    found = table(capfd, "--kind", "gain", "--depth", "10", *files)
    assert values(found["gain", "bm25", "all"]) == [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
    assert values(found["ideal-gain", "", "all"]) == [3, 6, 9, 11, 13, 15, 16, 16, 16, 16]
    assert found["ideal-discounted-gain", "", "all"][-1] == (10, pytest.approx(9.0736, abs=0.5e-4))
    taught = table(capfd, "--kind", "gain", "--depth", "10", "--gain", "exponential", *files)
    assert values(taught["discounted-gain", "bm25", "all"])[8:] == pytest.approx([16.8026] * 2, abs=0.5e-4)
    to_base_2 = table(capfd, "--kind", "gain", "--depth", "10", "--base", "2", *files)
    assert to_base_2["ideal-discounted-gain", "", "all"][-1][1] == pytest.approx(10.8841, abs=0.5e-4)


def test_the_roc_curve_comes_with_its_area(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    found = table(capfd, "--kind", "roc", "-N", "10", *files)
    curve = found["roc", "bm25", "all"]
    assert (curve[0], curve[-1]) == ((0.0, pytest.approx((1 / 6 + 1 / 3) / 2)), (1.0, 1.0))
    [(no_x, area)] = found["roc-area", "bm25", "all"]
    pairs_of_a = sum(A[:place].count(1) for place, is_relevant in enumerate(A) if not is_relevant) / (6 * 4)
    pairs_of_c = sum(C[:place].count(1) for place, is_relevant in enumerate(C) if not is_relevant) / (3 * 7)
    assert (no_x, area) == (None, pytest.approx((pairs_of_a + pairs_of_c) / 2))
    steps = table(capfd, "--kind", "roc", "-N", "10", "--topic", "2", *files)["roc", "bm25", "2"]
    assert steps[:3] == [(0.0, 0.0), (0.0, pytest.approx(1 / 3)), (pytest.approx(1 / 7), pytest.approx(1 / 3))]


def test_f_is_told_down_the_ranks_with_its_maximum(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    found = table(capfd, "--kind", "f", "--topic", "1", "--depth", "10", *files)
    expected = [2 * sum(A[:rank]) / (rank + 6) for rank in range(1, 11)]
    assert values(found["f", "bm25", "1"]) == pytest.approx(expected)
    assert found["f-maximum", "bm25", "1"] == [(6, pytest.approx(max(expected)))]
    pooled = table(capfd, "--kind", "f", "--micro", "--beta", "2", "--depth", "3", *files)
    assert values(pooled["f", "bm25", "all"])[2] == pytest.approx(5 * 3 / (6 + 4 * 9))


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
@pytest.mark.parametrize(
    "kind", [("recall-precision",), ("roc", "-N", "100"), ("gain", "--depth", "5"), ("f", "--depth", "5")]
)
def test_a_picture_has_the_same_bytes_each_time_and_nothing_is_printed(
    files: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], kind: tuple[str, ...], ending: str
) -> None:
    pictures = [tmp_path / f"one.{ending}", tmp_path / f"two.{ending}"]
    for picture in pictures:
        assert main(["curves", "--kind", *kind, "-o", str(picture), *files]) == 0, capfd.readouterr().err
        assert capfd.readouterr().out == ""
    first, second = (picture.read_bytes() for picture in pictures)
    assert first == second
    assert first.startswith({"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}[ending])
    if ending == "svg":
        assert b"$x_1$&lt;b&gt;" in first
        assert b"_left-out" in first.split(b"</desc>")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kind", "roc"), "give --collection-size N"),
        (("--micro", "--topic", "1"), "leave one of them out"),
        (("--kind", "gain", "--micro"), "only with recall-precision and f"),
        (("--collection-size", "9"), "only with roc"),
        (("-o", "picture.gif"), "ends in .svg, .pdf, .png"),
        (("-o", "x.svg", "--format", "csv"), "leave one of them out"),
        (("--kind", "gain", "--gain", "much"), "much"),
        (("-o", "x.svg", *["9.txt"] * 8), "name fewer"),
    ],
)
def test_wrong_usage_is_told_with_exit_status_2(
    files: list[str], capfd: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    try:
        status = main(["curves", *words, *files])
    except SystemExit as ended:
        status = int(str(ended.code))
    assert status == 2
    assert said in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--topic", "412"), "topic 412 has no judgments"),
        (("--kind", "roc", "-N", "3"), "a collection of N=3 cannot hold"),
        (("-o", "/nowhere/picture.svg"), "Name a file that can be written"),
        (("missing.txt",), "missing.txt"),
    ],
)
def test_bad_input_is_told_with_exit_status_1(
    files: list[str], capfd: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert main(["curves", *files, *words]) == 1
    told = capfd.readouterr()
    assert said in told.err
    assert told.out == ""
