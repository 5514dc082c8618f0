"""Agreement over time: each pair of grades counts from the day on which it became one, and organisers alone see the picture."""

from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.agreement.days import Day, so_far
from judging.agreement.days_picture import MOST_DAYS, agreement_picture
from judging.agreement.report import JUDGMENTS_SCHEMA, agreement_report
from judging.models import Assignment
from tests.draws import examples
from tests.factories import Cast, make_user
from tests.judging.makers import ROLES, assign, client_of, judge, make_assignment
from tests.marks import marks_of
from tests.tampering import tamper

DAY = date(2026, 3, 1)
SECOND = 1_000_000
PEOPLE = ("ann", "bob", "cid")
grades = st.dictionaries(
    st.tuples(st.sampled_from("12"), st.sampled_from("abc"), st.sampled_from(PEOPLE), st.sampled_from([1, 2])),
    st.tuples(st.integers(0, 2), st.integers(0, 6 * 24 * 3600)),
    max_size=24,
)


def by_loops(rows: dict[tuple[str, str, str, int], tuple[int, int]]) -> dict[date, tuple[int, int]]:
    """A second implementation: of each person the first pass, of each document every two people."""
    found: dict[date, tuple[int, int]] = {}
    for topic in "12":
        for docno in "abc":
            first = {}
            for person in PEOPLE:
                passes = [rows[key] for number in (1, 2) if (key := (topic, docno, person, number)) in rows]
                if passes:
                    first[person] = passes[0]
            for one, other in combinations(first.values(), 2):
                day = datetime.fromtimestamp(max(one[1], other[1]), UTC).date()
                equal, pairs = found.get(day, (0, 0))
                found[day] = (equal + (one[0] == other[0]), pairs + 1)
    return found


@given(grades)
@examples(60)
def test_pairs_by_day_are_those_of_plain_loops_and_all_of_them_those_of_the_task(
    rows: dict[tuple[str, str, str, int], tuple[int, int]],
) -> None:
    table = [(*key, grade, at * SECOND) for key, (grade, at) in rows.items()]
    report = agreement_report(pl.DataFrame(table, schema=JUDGMENTS_SCHEMA, orient="row"), [0, 1, 2], 1)
    assert {one.day: (one.equal, one.pairs) for one in report.days} == by_loops(rows)
    assert [one.day for one in report.days] == sorted(one.day for one in report.days)
    if report.days:
        last = so_far(report.days)[-1]
        assert last.equal / last.pairs == pytest.approx(report.whole.agreed)


def test_a_card_tells_each_day_also_one_without_a_new_pair() -> None:
    [group] = marks_of(agreement_picture([Day(DAY, 1, 2), Day(DAY + timedelta(days=2), 1500, 2000)]))
    assert group["kind"] == "columns"
    assert list(zip(*(texts for _, texts in group["terms"]), strict=True)) == [
        ("2026-03-01", "50.0 % of 2", "1 of 2 equal"),
        ("2026-03-02", "50.0 % of 2", "none"),
        ("2026-03-03", "75.0 % of 2,002", "1,500 of 2,000 equal"),
    ]


def test_of_more_days_than_there_is_room_for_the_last_are_shown_with_the_pairs_before_them() -> None:
    days = [Day(DAY + timedelta(days=number), 1, 2) for number in range(2 * MOST_DAYS)]
    [group] = marks_of(agreement_picture(days))
    terms = dict(group["terms"])
    assert len(terms["Day"]) == MOST_DAYS
    assert terms["Equal so far"][0] == f"50.0 % of {2 * (MOST_DAYS + 1)}"


def test_cards_stand_on_the_days_of_the_axis_also_where_no_pair_came_on_its_first_day() -> None:
    days = [Day(DAY + timedelta(days=number), 1, 2) for number in (0, 400, 500)]
    [group] = marks_of(agreement_picture(days))
    terms = dict(group["terms"])
    assert (terms["Day"][0], terms["Day"][-1], len(terms["Day"])) == ("2026-07-14", "2027-07-14", MOST_DAYS)
    assert (terms["Equal so far"][0], terms["New on this day"][0]) == ("50.0 % of 2", "none")
    assert terms["New on this day"][400 - 135] == "1 of 2 equal"


@pytest.mark.parametrize("equal", [(0, 0), (5, 5), (0, 5), (5, 0)])
def test_all_marks_of_no_and_of_full_agreement_stand_inside_the_picture(equal: tuple[int, int]) -> None:
    days = [Day(DAY + timedelta(days=number), one, 5) for number, one in enumerate(equal)]
    for picture_format, begins in (("svg", b"<svg"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        assert agreement_picture(days, picture_format=picture_format).startswith(begins)  # type: ignore[arg-type]
    assert agreement_picture(days, "dark") != agreement_picture(days)


@pytest.fixture
def twice(cast: Cast) -> tuple[Assignment, Assignment]:
    first = make_assignment(cast, ["D1", "D2", "D3"])
    return first, assign(first.pool, first.topic, make_user("zoe"), cast.organiser, pass_number=2)


def graded(assignment: Assignment, docno: str, grade: int, at: datetime) -> None:
    tamper(judge(assignment, docno, grade), judged_at=at)


@pytest.mark.django_db
def test_a_picture_stands_on_the_page_from_the_second_day_on_for_organisers_alone(
    cast: Cast, twice: tuple[Assignment, Assignment], settings: Any
) -> None:
    first, second = twice
    page, picture = cast.task.url("judging_agreement"), cast.task.url("agreement_over_time", file_format="svg")
    client = client_of(cast, "organiser")
    early, late = datetime(2026, 3, 1, 23, 59, tzinfo=UTC), datetime(2026, 3, 2, 0, 1, tzinfo=UTC)
    for docno in ("D1", "D2"):
        graded(first, docno, 1, early)
    graded(second, "D1", 1, early)
    assert picture not in client.get(page).content.decode()
    assert client.get(picture).status_code == 404
    graded(second, "D2", 2, late)
    shown = client.get(page).content.decode()
    assert f'src="{picture}?theme=dark"' in shown
    assert "js/pictures/view" in shown
    assert "A pair counts from the day on which" in shown
    [group] = marks_of(client.get(picture).content)
    terms = dict(group["terms"])
    assert terms["Day"] == ["2026-03-01", "2026-03-02"]
    assert terms["Equal so far"] == ["100.0 % of 1", "50.0 % of 2"]
    for role in ROLES[1:]:
        refused = client_of(cast, role).get(picture)
        assert refused.status_code in (302, 403, 404), role
        assert b"<metadata>" not in refused.content
    for file_format, kind in (("pdf", "application/pdf"), ("png", "image/png")):
        assert client.get(cast.task.url("agreement_over_time", file_format=file_format))["Content-Type"] == kind
    assert client.get(cast.task.url("agreement_over_time", file_format="gif")).status_code == 404
    settings.PICTURES_PER_MINUTE = 0
    assert client.get(picture).status_code == 200, "drawn already"
    graded(first, "D3", 0, early)
    assert client.get(picture).status_code == 429, "another judgment, another picture"


@pytest.mark.django_db
def test_the_files_hold_the_pairs_of_each_day(cast: Cast, twice: tuple[Assignment, Assignment]) -> None:
    for assignment, day in zip(twice, (1, 2), strict=True):
        graded(assignment, "D1", 1, datetime(2026, 3, day, tzinfo=UTC))
    client = client_of(cast, "organiser")
    assert client.get(cast.task.url("agreement_json")).json()["days"] == [{"day": "2026-03-02", "equal": 1, "pairs": 1}]
    lines = client.get(cast.task.url("agreement_csv")).content.decode().splitlines()
    assert "day,2026-03-02,,equal so far,1" in lines
