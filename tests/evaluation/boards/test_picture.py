import re
from xml.etree import ElementTree

import numpy as np
import pytest

from evaluation.boards.picture import PALETTES, bar_with_intervals
from tests.places import REPOSITORY

SVG = "{http://www.w3.org/2000/svg}"
MEANS = np.array([0.512, 0.455, 0.2])
TOKENS = REPOSITORY / "static" / "css" / "tokens.css"


def make_picture(labels=("bm25", "dense", "coord"), means=MEANS, low=MEANS - 0.1, high=MEANS + 0.1, **options) -> bytes:
    options = {"measure": "nDCG@10", "topics": 50} | options
    return bar_with_intervals(list(labels), means, low, high, **options)


def texts(picture: bytes) -> list[str]:
    return ["".join(element.itertext()).strip() for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_the_picture_states_its_subject_its_measure_its_topics_and_its_interval():
    words = texts(make_picture(title="nDCG@10 of the runs of task news"))
    assert "nDCG@10 of the runs of task news" in words
    assert "nDCG@10, mean over 50 topics" in words
    assert any("95% confidence interval" in text for text in words)


def test_runs_stand_in_the_order_given_each_with_its_mean():
    words = texts(make_picture())
    assert [text for text in words if text in ("bm25", "dense", "coord")] == ["bm25", "dense", "coord"]
    assert {"0.512", "0.455", "0.200"} <= set(words)


def test_the_same_input_gives_the_same_bytes():
    assert make_picture() == make_picture()


def test_screen_readers_get_a_title_and_all_numbers():
    root = ElementTree.fromstring(make_picture())
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "nDCG@10 of 3 runs"
    assert "bm25 0.5120 (0.4120 to 0.6120)" in root.find(f"{SVG}desc").text


def test_a_strict_content_security_policy_finds_nothing_inline():
    picture = make_picture().decode()
    assert "<style" not in picture
    assert "style=" not in picture
    assert "<script" not in picture


def test_a_filled_and_an_open_dot_tell_runs_alike_the_best_from_the_others_without_colour():
    picture = make_picture(tests="randomised Tukey HSD", may_be_best=np.array([True, True, False]))
    assert any("Open dot" in text for text in texts(picture))
    assert not any("Open dot" in text for text in texts(make_picture()))


@pytest.mark.parametrize("label", ["a$b$c_{x}^", "<b>&amp;</b>", "日本語", "control\x07character", "x" * 200, ""])
def test_any_label_can_be_drawn(label):
    drawn = texts(make_picture(labels=(label, "b", "c")))
    expected = label.replace("\x07", "\ufffd")
    assert (expected if len(label) <= 36 else "x" * 35 + "…") in (*drawn, "")


@pytest.mark.parametrize(
    ("means", "half"),
    [([], []), ([0.0], [0.0]), ([0.3, 0.2], [np.inf, np.inf]), ([0.01, 0.0], [0.2, 0.0]), ([1000.0, 2.0], [1.0, 1.0])],
)
def test_extreme_values_are_drawn_without_complaint(means, half):
    means, half = np.array(means), np.array(half)
    picture = make_picture([f"run{place}" for place in range(len(means))], means, means - half, means + half)
    assert ElementTree.fromstring(picture).tag == f"{SVG}svg"
    assert b"inf" not in picture
    assert b"nan" not in picture


@pytest.mark.parametrize(("theme", "side"), [("light", 0), ("dark", 1)])
def test_colours_are_those_of_the_pages(theme, side):
    tokens = dict(re.findall(r"--([a-z-]+): light-dark\(([^)]+)\)", TOKENS.read_text()))
    for name, colour in vars(PALETTES[theme]).items():
        assert tokens[name.replace("_", "-")].split(",")[side].strip() == colour, name
