"""What people and programs write for a moment: taken as they mean it, or refused with what to write."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from campaign.formats.moments import MomentError, in_zone, read_day, read_moment

AT = datetime.fromisoformat("2027-03-15T23:59")
ZURICH = ZoneInfo("Europe/Zurich")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2027-03-15T23:59", AT),
        (" 2027-03-15 23:59 ", AT),
        ("2027-03-15t23:59:00.000z", AT.replace(tzinfo=UTC)),
        ("2027-03-15 23:59 +0100", AT.replace(tzinfo=timezone(timedelta(hours=1)))),
        ("2027-03-15T23:59-12", AT.replace(tzinfo=timezone(timedelta(hours=-12)))),
        ("2027-03-15T23:59:30.123456", AT.replace(second=30, microsecond=123456)),
        (AT, AT),
    ],
)
def test_a_date_with_a_time_is_read(written: object, meant: datetime) -> None:
    assert read_moment(written) == meant


@pytest.mark.parametrize(
    "written", ["2027-03-15", "20270315", " 2027-03-15 ", "2027-W11-1", date(2027, 3, 15), 20270315]
)
def test_a_date_alone_is_refused_with_a_time_to_give(written: object) -> None:
    with pytest.raises(MomentError, match=r"is a date without a time. Give the time, such as 2027-03-15 23:59"):
        read_moment(written)


@pytest.mark.parametrize(
    "written",
    ["", "soon", "23:59", time(23, 59), "2027-02-30 10:00", "2027-03-15 24:01", "15.03.2027 23:59", "03/04/2027 10:00",
     1800000000, "1800000000", 1796083140, "1796083140", 1.5, True,
     "2027-03-15T23", "２０２７-03-15 23:59", "x" * 10_000, "2027-03-15 23:59\n1"],
)  # fmt: skip
def test_what_is_no_moment_is_refused_with_how_to_write_one(written: object) -> None:
    with pytest.raises(MomentError, match=r"is no date and time. Write it like 2026-11-30T23:59") as told:
        read_moment(written)
    assert len(str(told.value)) < 120


@pytest.mark.parametrize(
    "zone",
    [
        "CET",
        " AoE",
        " AOE",
        "[Europe/Zurich]",
        "+01:00[Europe/Zurich]",
        " Europe/Zurich",
        " America/Argentina/Ushuaia",
        " UTC+1",
        " UTC-12:00",
        " (Central European Time)",
    ],
)
def test_a_zone_that_is_named_in_letters_is_told_how_it_is_written(zone: str) -> None:
    with pytest.raises(MomentError, match=r"names a time zone. Write the offset in place of the name, such as \+01:00"):
        read_moment(f"2027-03-15 23:59{zone}")


@pytest.mark.parametrize(
    ("written", "time"),
    [("11:59 PM", "23:59"), ("11:59pm", "23:59"), ("12:00 a.m.", "00:00"), ("12:30 PM", "12:30"), ("9:05 AM", "09:05"),
     ("23:59 PM", "the hour from 00 to 23, such as 23:59"), ("11 PM", "23:00"), ("11:59:59 PM", "23:59:59")],
)  # fmt: skip
def test_a_clock_of_twelve_hours_is_told_the_time_to_write(written: str, time: str) -> None:
    with pytest.raises(MomentError, match=f"of a clock of twelve hours. Write {time}$"):
        read_moment(f"2026-11-30 {written}")


@pytest.mark.parametrize("words", [" Uhr", " h", "h", " o'clock", " sharp", " Z Z", " noon", " (", " +"])
def test_words_behind_a_time_are_called_no_zone(words: str) -> None:
    with pytest.raises(MomentError, match=r"is no date and time. Write it like 2026-11-30T23:59"):
        read_moment(f"2026-11-30 23:59{words}")


@pytest.mark.parametrize("written", ["", "20270315", "03/04/2027", "2027-02-30", AT, "2027-03-15T00:00", 0, "soon"])
def test_a_day_is_written_in_one_way_alone(written: object) -> None:
    assert read_day("2027-03-15") == read_day(date(2027, 3, 15)) == date(2027, 3, 15)
    with pytest.raises(MomentError, match=r"is no date. Write it like 2026-11-30"):
        read_day(written)


@pytest.mark.parametrize(("hour", "month", "day", "how_often"), [(2, 3, 28, "never"), (2, 10, 31, "twice")])
def test_a_time_that_clocks_show_twice_or_never_needs_its_offset(
    hour: int, month: int, day: int, how_often: str
) -> None:
    moment = datetime.fromisoformat(f"2027-{month:02}-{day}T{hour:02}:30")
    with pytest.raises(MomentError, match=f"{how_often}, since they are changed then"):
        in_zone(moment, ZURICH)
    assert in_zone(moment.replace(tzinfo=UTC), ZURICH) == moment.replace(tzinfo=UTC)


@pytest.mark.parametrize("year", [1, 9999])
def test_the_first_and_the_last_year_have_moments_in_every_zone(year: int) -> None:
    for zone in (ZURICH, ZoneInfo("America/New_York")):
        assert in_zone(datetime.fromisoformat(f"{year:04}-01-01"), zone).year == year
