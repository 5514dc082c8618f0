"""`python -m evaluation components`, from files."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.command.main import main
from evaluation.engine.averaging import logarithms
from evaluation.engine.reliability.component_report import component_row

TOPICS = 12


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Four runs whose relevant document stands at a drawn rank: RR is one over it."""
    random = np.random.default_rng(3)
    (tmp_path / "qrels.txt").write_text("".join(f"{topic} 0 yes 1\n" for topic in range(TOPICS)))
    for run in range(4):
        ranks = random.integers(0, 3 + run, TOPICS)
        lines = [
            f"{topic} Q0 {'yes' if place == rank else f'd{place}'} 1 {-place} run{run}\n"
            for topic, rank in enumerate(ranks)
            for place in range(8)
        ]
        (tmp_path / f"{run}.txt").write_text("".join(lines))
    return [str(tmp_path / "qrels.txt"), *(str(tmp_path / f"{run}.txt") for run in range(4))]


def ranks() -> np.ndarray:
    random = np.random.default_rng(3)
    return np.array([random.integers(0, 3 + run, TOPICS) for run in range(4)]) + 1


def test_json_csv_and_text_have_the_components_of_the_values(
    files: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    expected = component_row("RR", 1 / ranks(), "mean", (40,))
    words = ["components", "-m", "RR", "--topics", "40", *files]
    assert main([*words, "--format", "json"]) == 0
    [row] = json.loads(capfd.readouterr().out)["measures"]
    for one, other in ((row["now"], expected["now"]), (row["next"][0], expected["next"][0])):
        assert one == {name: pytest.approx(value) for name, value in other.items()}
    assert main([*words, "--format", "csv"]) == 0
    lines = {(line["quantity"], line["topics"]): line for line in csv.DictReader(io.StringIO(capfd.readouterr().out))}
    assert float(lines["relative", "40"]["value"]) == pytest.approx(expected["next"][0]["relative"])
    assert main(words) == 0
    said = capfd.readouterr().out
    assert f"With 12 topics E ρ² is {expected['now']['relative']:.3f} (" in said
    assert "In brackets: where the true number may lie" in said
    assert f"With 40 topics: standard error {expected['next'][0]['standard_error']:.4f} (" in said


def test_of_a_geometric_mean_the_logarithms_are_split(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["components", "-m", "GMAP", "--format", "json", *files]) == 0
    [row] = json.loads(capfd.readouterr().out)["measures"]
    assert row["of"] == "logarithms"
    assert row["variance_left"] == pytest.approx(
        component_row("GMAP", logarithms(1 / ranks()), "mean")["variance_left"]
    )


def test_one_run_and_wrong_words_are_answered_in_words(files: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["components", *files[:2]]) == 0
    said = capfd.readouterr().out
    assert "There is one run: nothing varies between runs." in said
    assert "In brackets" not in said
    for wrong in (["--topics", "0"], ["-", "-"]):
        with pytest.raises(SystemExit) as ended:
            main(["components", *wrong, *files])
        assert ended.value.code == 2
    assert main(["components", "-m", "nonsense", *files]) == 2
