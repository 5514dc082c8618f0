"""The marks of pictures, which scripts show to pointer, keys and fingers: true, harmless, and leading nowhere in vain."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urljoin

import numpy as np
import pytest
from django.test import Client

from campaign.models import Task, User
from evaluation.analysis.compare.picture import difference_picture
from evaluation.analysis.curves.picture import Line, Plot, curves_picture
from evaluation.analysis.efficiency.picture import efficiency_picture
from evaluation.analysis.heatmap.picture import heat_picture
from evaluation.analysis.measure_correlation.picture import scatter_picture
from evaluation.analysis.pairwise_tests.picture import groups_picture, pairs_picture
from evaluation.analysis.reliability.picture import left_out_picture, saturation_picture
from evaluation.analysis.snapshots.history import RankHistory
from evaluation.analysis.snapshots.picture import history_picture
from evaluation.analysis.topics.figures import topic_figures
from evaluation.analysis.topics.picture import topics_picture
from evaluation.boards.audiences import AUDIENCES
from evaluation.boards.picture import bar_with_intervals
from evaluation.models import Leaderboard
from evaluation.selectors.board_views import ANALYSIS_PAGES
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.services.leaderboards import leaderboard_publish
from tests.evaluation.analysis.makers import make_scored_task
from tests.factories import Cast
from tests.marks import marks_of

HOSTILE = ["</metadata><script>alert(1)</script>", 'a"&]]>', "\u202eعربي\x07", "x" * 300]
PICTURES = (
    ("picture", {"measure": "AP"}),
    ("topics_file", {"file_format": "svg"}),
    ("compare_file", {"file_format": "svg"}),
    ("run_file", {"file_format": "svg", "tag": "good"}),
    ("heatmap_file", {"file_format": "svg"}),
    ("measures_file", {"file_format": "svg"}),
    ("pairs_file", {"file_format": "svg"}),
    ("groups_file", {"file_format": "svg"}),
    ("curves_file", {"file_format": "svg"}),
)


def terms_of(group: dict[str, Any], place: int) -> dict[str, str]:
    return {name: texts[place] for name, texts in group["terms"]}


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable[..., object]) -> Cast:
    make_scored_task(cast, django_capture_on_commit_callbacks)
    return cast


def answer(user: User | None, address: str, **query: str) -> Any:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.get(address, query)


@pytest.mark.django_db
def test_marks_name_run_topic_and_value_as_the_files_of_the_board_do(scored: Cast) -> None:
    def got(name: str, file_format: str, **query: str) -> bytes:
        content = answer(scored.organiser, scored.task.url(f"scores_{name}", file_format=file_format), **query).content
        return bytes(content)

    heat = json.loads(got("heatmap_file", "json"))
    [cells] = marks_of(got("heatmap_file", "svg"))
    assert dict(cells["terms"])["Topic"] == heat["topics"]
    values = dict(zip(heat["runs"], heat["values"], strict=True))
    assert dict(cells["row_terms"])["Run"] == list(values)
    told = [["no value" if value is None else f"{value:.4f}" for value in row] for row in heat["values"]]
    assert dict(cells["cell_terms"])[heat["measure"]] == told

    rows = {row["topic"]: row for row in json.loads(got("topics_file", "json"))["topics"]}
    [columns] = marks_of(got("topics_file", "svg"))
    assert len(columns["x"]) == len(rows)
    for place in range(len(rows)):
        terms = terms_of(columns, place)
        assert terms["Median"] == f"{rows[terms['Topic']]['median']:.4f}"

    pairs = {frozenset((pair["a"], pair["b"])): pair for pair in json.loads(got("pairs_file", "json"))["pairs"]}
    [square] = marks_of(got("pairs_file", "svg"))
    tags = dict(square["terms"])["and"]
    for row, line in zip(tags, dict(square["cell_terms"])["Corrected p"], strict=True):
        for column, text in zip(tags, line, strict=True):
            p = pairs.get(frozenset((row, column)), {}).get("p_corrected")
            assert text == ("not tested" if p is None else f"{p:.4f}")

    compared = json.loads(got("compare_file", "json"))
    [bars] = marks_of(got("compare_file", "svg"))
    differences = {row["topic"]: f"{row['difference']:.4f}" for row in compared["topics"]}
    assert dict(zip(*(dict(bars["terms"])[name] for name in ("Topic", "Difference")), strict=True)) == differences


@pytest.mark.django_db
@pytest.mark.parametrize("audience", AUDIENCES)
def test_no_mark_leads_a_reader_to_a_refusal(scored: Cast, audience: str) -> None:
    task = Task.objects.get(pk=scored.task.pk)
    published = leaderboard_publish(actor=scored.organiser, task=task, audience=audience)
    followed = 0
    boards = (("preview_{}", {"audience": audience}), ("leaderboard_{}", {"number": published.number}))
    for user in (scored.organiser, scored.member, scored.assessor, None):
        for form, which in boards:
            for name, given in PICTURES:
                followed += _followed(user, task.url(form.format(name), **which, **given))
    assert followed > 20


@pytest.mark.django_db
def test_ranks_over_leaderboards_lead_to_pages_that_this_reader_may_open(scored: Cast) -> None:
    for place, audience in enumerate(("participants", "anonymous", "anonymous", "public", "public")):
        leaderboard_publish(
            actor=scored.organiser, task=scored.task, audience=audience, terms=Terms(f"Leaderboard {place}.")
        )
    for user, number, told in (
        (scored.organiser, 5, ["1", "4", "5"]),
        (scored.member, 5, ["4", "5"]),
        (None, 5, ["4", "5"]),
        (None, 3, ["2", "3"]),
    ):
        address = scored.task.url("leaderboard_history_file", number=number, file_format="svg")
        [group] = marks_of(answer(user, address).content)
        assert sorted(set(dict(group["terms"])["Leaderboard"])) == told
        assert _followed(user, address) == len(group["x"]) == 3 * len(told)
        page = answer(user, scored.task.url("leaderboard_changes", number=number)).content.decode()
        assert "js/pictures/view" in page


def test_a_run_has_dots_only_on_the_leaderboards_that_it_is_on() -> None:
    history = RankHistory("AP", (1, 3), {"a": (2, 1), HOSTILE[0]: (None, 2)})
    picture = history_picture(history, links=lambda number, tag: f"./{number}/{quote(tag, safe='')}")
    [group] = marks_of(picture)
    assert [terms_of(group, place) for place in range(3)] == [
        {"Run": "a", "Leaderboard": "1", "Rank by AP": "2"},
        {"Run": "a", "Leaderboard": "3", "Rank by AP": "1"},
        {"Run": HOSTILE[0], "Leaderboard": "3", "Rank by AP": "2"},
    ]
    assert group["links"][:2] == ["./1/a", "./3/a"]
    assert (group["y"][0], group["x"][1]) == (group["y"][2], group["x"][2])
    assert b"<metadata>" not in history_picture(RankHistory("AP", (), {}))


def _followed(user: User | None, address: str) -> int:
    picture = answer(user, address)
    if picture.status_code != 200:
        return 0  # whoever may not see the picture meets no mark of it
    links = {link for group in marks_of(picture.content) for link in group["links"] if link}
    for link in links:
        assert link.startswith("."), "relative to the picture, and never a protocol"
        assert answer(user, urljoin(address, link)).status_code == 200, (user, address, link)
    return len(links)


@pytest.mark.django_db
def test_a_picture_is_asked_for_again_and_sent_only_if_it_or_the_program_changed(
    scored: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaderboard_publish(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk), audience="public")
    board = Leaderboard.objects.get()
    for address in (
        scored.task.url("leaderboard_picture", number=board.number, measure="AP"),
        scored.task.url("leaderboard_heatmap_file", number=board.number, file_format="svg"),
    ):
        first = answer(None, address)
        assert "no-cache" in first["Cache-Control"]
        again = Client().get(address, headers={"if-none-match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        with monkeypatch.context() as upgraded:
            upgraded.setattr("campaign.drawing.VERSION", "99.0")
            assert Client().get(address, headers={"if-none-match": first["ETag"]}).status_code == 200


@pytest.mark.django_db
def test_the_heat_map_shows_ranks_where_its_address_asks_for_them(scored: Cast) -> None:
    address = scored.task.url("scores_heatmap_file", file_format="svg")
    plain, ranked = (answer(scored.organiser, address, show=show).content for show in ("values", "ranks"))
    assert b"Ranks by AP" in ranked
    assert b"Ranks by AP" not in plain
    page = answer(scored.organiser, scored.task.url("scores_heatmap"), show="ranks").content.decode()
    assert 'value="ranks" selected' in page
    assert "show=ranks&amp;theme=light" in page


@pytest.mark.django_db
def test_each_page_with_a_picture_loads_the_script_that_reads_its_marks(scored: Cast) -> None:
    leaderboard_publish(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk), audience="public")
    shown = set()
    for name, _ in ANALYSIS_PAGES:
        page = answer(scored.organiser, scored.task.url(f"leaderboard_{name}", number=1)).content.decode()
        if 'class="plot"' in page:
            shown.add(name)
        assert "js/pictures/view" in page, name
    assert shown >= {"topics", "heatmap", "curves"}


def all_pictures(tags: list[str], topics: list[str], values: Any) -> dict[str, bytes]:
    means, n = np.nanmean(values, axis=1), len(tags)
    square = np.full((n, n), np.nan)
    without = [{"topic": topic, "tau": 0.9, "largest_fall": 1} for topic in topics]
    lines = [Line(tag, np.array([0.0, 1.0]), np.array([1.0, 0.5])) for tag in tags[:8]]
    return {
        "heat": heat_picture(tags, topics, values, "AP"),
        "ranks": heat_picture(tags, topics, values, "AP", shows_ranks=True),
        "topics": topics_picture(topics, topic_figures(values), "AP", values[0], tags[0]),
        "compare": difference_picture(topics, values[0] - values[-1], tags[0], tags[-1], "AP"),
        "efficiency": efficiency_picture(tags, means + 1, means, np.ones(n, dtype=bool), ("seconds", "AP")),
        "scatter": scatter_picture(tags, means, means, ("AP", "RR"), "said"),
        "pairs": pairs_picture(tags, np.zeros((n, n), dtype=np.int64), "AP", 0.05, p=square),
        "groups": groups_picture(tags, means, ["a"] * n, "AP"),
        "left out": left_out_picture(without, "AP"),
        "saturation": saturation_picture({"runs": {"shares": [1.0] * n}, "teams": None}),
        "curves": curves_picture([Plot("recall", "precision", lines, unit_square=True)], "Curves", "said"),
        "board": bar_with_intervals(tags, means, means - 0.1, means + 0.1, measure="AP", topics=len(topics)),
    }


@pytest.mark.parametrize(
    ("tags", "n_topics", "value"), [(HOSTILE, 4, 0.5), (["one"], 1, 0.0), (["one", "two"], 1, 1.0), (HOSTILE, 300, 0.1)]
)
def test_every_picture_has_marks_that_are_text_whatever_the_names_and_values(
    tags: list[str], n_topics: int, value: float
) -> None:
    topics = [f"{HOSTILE[topic % 4]}{topic}" for topic in range(n_topics)]
    for name, picture in all_pictures(tags, topics, np.full((len(tags), n_topics), value)).items():
        groups = marks_of(picture)
        assert sum(max(len(group["x"]), len(group["y"])) for group in groups) > 0, name
        told = json.dumps(groups, ensure_ascii=False)
        assert "\x07" not in told
        assert tags[0] in told or topics[0] in told or name == "saturation"
        width, height = map(float, re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture).groups())  # type: ignore[union-attr]
        for group in groups:
            assert all(0 <= x <= width for x in group["x"]), name
            assert all(0 <= y <= height for y in group["y"]), name


def test_the_names_of_topics_do_not_lie_on_each_other_and_two_thousand_are_drawn_as_one_text() -> None:
    topics = [str(topic) for topic in range(2_000)]
    picture = topics_picture(topics, topic_figures(np.random.default_rng(1).random((3, 2_000))), "AP")
    assert len(picture) < 3_000_000
    [columns] = marks_of(picture)
    assert len(columns["x"]) == 2_000
    named = re.findall(rb"<text[^>]*rotate\(-90\)[^>]*>", picture)
    assert 10 < len(named) < 70


def test_ties_share_a_rank_and_pdf_and_png_hold_no_marks() -> None:
    values = np.array([[0.5, 0.1], [0.5 + 1e-15, np.nan], [0.2, 0.3]])
    [cells] = marks_of(heat_picture(["a", "b", "c"], ["1", "2"], values, "AP", shows_ranks=True))
    assert dict(cells["cell_terms"])["Rank in the topic"] == [["1", "2"], ["1", "none"], ["3", "1"]]
    for picture_format in ("pdf", "png"):
        made = heat_picture(["a", "b", "c"], ["1", "2"], values, "AP", picture_format=picture_format)  # type: ignore[arg-type]
        assert b"Rank in the topic" not in made
