"""Judgments by day: each bar is a day, what was replaced counts no more, and only organisers see it."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest

from judging.core.days_picture import FEWEST_DAYS, MOST_DAYS, days_picture
from judging.progress.selectors.progress import judgments_by_day
from tests.factories import Cast, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment
from tests.marks import marks_of
from tests.tampering import tamper

DAY = date(2026, 3, 1)


def bars(picture: bytes) -> list[tuple[float, float]]:
    """Width and height of each filled bar, in points."""
    found = []
    for path in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}path"):
        if path.get("fill", "").lower() == "#0a5f78":
            places = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path.get("d", ""))]
            across, up = places[::2], places[1::2]
            found.append((max(across) - min(across), max(up) - min(up)))
    return found


def test_one_day_is_a_bar_and_days_without_judgments_have_room() -> None:
    [(width, height)] = bars(days_picture({DAY: 5}))
    assert 10 < width < 60
    assert height > 80
    two = bars(days_picture({DAY: 5, DAY + timedelta(days=40): 10}))
    assert [round(two[0][1] / two[1][1], 2), len(two)] == [0.5, 2]
    assert bars(days_picture({})) == []


def test_of_more_days_than_there_is_room_for_the_last_are_shown() -> None:
    days = {DAY + timedelta(days=number): 1 for number in range(2 * MOST_DAYS)}
    picture = days_picture(days, "light")
    assert len(bars(picture)) == MOST_DAYS
    assert f"{MOST_DAYS} judgments on {MOST_DAYS} days" in picture.decode()


def test_a_card_tells_each_day_also_one_without_judgments() -> None:
    [group] = marks_of(days_picture({DAY: 1500, DAY + timedelta(days=2): 10}))
    assert group["kind"] == "columns"
    told = list(zip(*(texts for _, texts in group["terms"]), strict=True))
    assert told[-4:] == [("2026-02-28", "0"), ("2026-03-01", "1,500"), ("2026-03-02", "0"), ("2026-03-03", "10")]
    [single] = marks_of(days_picture({DAY: 5}))
    assert len(single["x"]) == FEWEST_DAYS, "those before it; none that is still to come"
    assert dict(single["terms"])["Day"][-1] == "2026-03-01"
    assert b"<metadata>" not in days_picture({})


@pytest.mark.django_db
@pytest.mark.sqlite("judging.progress.selectors.progress.judgments_by_day")
def test_the_judgments_that_stand_are_counted_on_the_day_they_were_stored(cast: Cast) -> None:
    first = make_assignment(cast, ["a", "b", "c"])
    second = assign(first.pool, first.topic, make_user("zoe"), cast.organiser, pass_number=2)
    early, late = datetime(2026, 3, 1, 23, 59, tzinfo=UTC), datetime(2026, 3, 2, 0, 1, tzinfo=UTC)
    for assignment, docno, grade, at in (
        (first, "a", 1, early),
        (first, "b", 1, early),
        (second, "a", 1, early),
        (first, "a", 2, late + timedelta(days=2)),
        (first, "c", None, late),
    ):
        tamper(judge(assignment, docno, grade), received_at=at)
    assert judgments_by_day(first.pool.task) == {DAY: 2, date(2026, 3, 2): 1, date(2026, 3, 4): 1}


@pytest.mark.django_db
def test_organisers_alone_see_the_picture_and_its_caption_says_what_counts(cast: Cast) -> None:
    assignment = make_assignment(cast, ["a", "b"])
    url, progress = cast.task.url("judging_by_day"), cast.task.url("judging_progress")
    assert url not in client_of(cast, "organiser").get(progress).content.decode(), "nothing is judged yet"
    judge(assignment, "a", 1)
    assert "1 judgment on 1 day" in client_of(cast, "organiser").get(url).content.decode()
    assert client_of(cast, "assessor").get(url).status_code == 403
    shown = " ".join(client_of(cast, "organiser").get(progress).content.decode().split())
    assert "A judgment that its assessor replaced or took back does not count" in shown
    assert url in shown
    assert "js/pictures/view" in shown
    judge(assignment, "b", 1)
    assert "2 judgments on 1 day" in client_of(cast, "organiser").get(url).content.decode()


@pytest.mark.django_db
def test_nothing_is_counted_or_drawn_again_until_something_is_judged(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    assignment = make_assignment(cast, ["a", "b"])
    judge(assignment, "a", 1)
    url, client = cast.task.url("judging_by_day"), client_of(cast, "organiser")
    first = client.get(url)
    settings.PICTURES_PER_MINUTE = 0
    with monkeypatch.context() as patched:
        patched.setattr("judging.progress.views.progress.judgments_by_day", None)
        assert client.get(url).content == first.content
        again = client.get(url, headers={"if-none-match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
    judge(assignment, "b", 1)
    assert client.get(url).status_code == 429
