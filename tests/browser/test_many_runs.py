"""Pages of a campaign of the usual size, 225 topics and 300 runs of 50 teams: nothing goes sideways or overlaps."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from campaign.models import User
from tests.browser.page_reader import Reader
from tests.many_runs import Many

pytestmark = pytest.mark.browser
OVERLAPS = (Path(__file__).parent / "overlaps.js").read_text()
STUCK = (Path(__file__).parent / "stuck_heads.js").read_text()
WIDTHS = (1280, 390, 320)
OF_BOARD: dict[str, dict[str, str]] = {
    "detail": {},
    "compare": {},
    "pairs": {},
    "heatmap": {},
    "topics": {},
    "topic": {"topic": "10"},
    "run": {"tag": "run10"},
    "measures": {},
    "reliability": {},
}
OF_ORGANISER: dict[str, dict[str, Any]] = {
    "task_detail": {},
    "topic_list": {},
    "run_list": {},
    "score_board": {},
    "pool_detail": {"version": 1},
    "judging_progress": {},
    "assignment_create": {},
    "assignment_grid": {},
    "qrels_detail": {"version": 1},
}


@pytest.fixture
def reader(page: Any, live_server: Any) -> Reader:
    return Reader(page, live_server.url)


def test_no_page_of_a_large_campaign_is_wider_than_its_window_overlaps_or_has_a_fault(
    transactional_db: None, reader: Reader, sign_in: Callable[[Any, Any], None]
) -> None:
    """One test, since the campaign would be made again for each."""
    cast = Many(topics=225, runs=300, teams=50).make()
    url = cast.task.url
    pages: dict[User | None, list[str]] = {
        None: [url(f"leaderboard_{name}", number=1, **named) for name, named in OF_BOARD.items()],
        cast.assessor: [url("my_topics"), url("desk", topic_number="3")],
        cast.organiser: [url(name, **named) for name, named in OF_ORGANISER.items()],
    }
    framed = 0
    for user, addresses in pages.items():
        if user is not None:
            sign_in(reader.page, user)
        for address in addresses:
            reader.read(address)
            framed += look(reader, address)
    assert not reader.faults, "\n".join(sorted(reader.faults))
    assert framed >= 3, "no long table in a frame was met"


def look(reader: Reader, address: str) -> int:
    """Write down what is wrong at each width; give how many tables scroll in a frame of their own at the widest."""
    framed = 0
    for width in WIDTHS:
        reader.page.set_viewport_size({"width": width, "height": 844})
        sideways = reader.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        faults = [f"{sideways} pixels sideways"] if sideways > 0 else []
        faults += reader.page.evaluate(OVERLAPS)
        stuck = reader.page.evaluate(STUCK)
        framed = framed or stuck["framed"]
        reader.faults |= {f"{address} {width}: {fault}" for fault in [*faults, *stuck["faults"]]}
    reader.page.set_viewport_size({"width": reader.view.width, "height": reader.view.height})
    return framed


def test_overlapping_texts_a_page_that_goes_sideways_and_a_head_that_scrolls_away_are_seen(reader: Reader) -> None:
    rows = "".join(f"<tr><th>run{number}<td>0.5" for number in range(90))
    table = f"<table><caption>Runs</caption><thead><tr><th class=head>Run<th>Value</thead><tbody>{rows}</table>"
    reader.page.goto("about:blank")
    reader.page.set_content(f"""<!DOCTYPE html><style>p {{ margin: 0 }} .over {{ margin-top: -12px }}
        .table-wrap {{ overflow: auto; max-height: 300px; max-width: 200px }}
        .stays th {{ position: sticky; top: 0; background: white }}
        </style><p>A text of one line</p><p class=over>Another one over it</p><p>A third</p>
        <p style="width: 2000px">wide</p>
        <div class="table-wrap">{table}</div><div class="table-wrap"><div class=stays>{table}</div></div>""")
    look(reader, "page")
    at_1280 = sorted(fault for fault in reader.faults if fault.startswith("page 1280"))
    assert [fault.partition(": ")[2].partition(": ")[0] for fault in at_1280] == [
        "728 pixels sideways",
        "a head scrolls away",
        "texts overlap",
    ]
    assert "A text of one line" in at_1280[2]
