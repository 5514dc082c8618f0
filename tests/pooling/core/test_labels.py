import pytest

from pooling.core.labels import hours, percent


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 min"), (0.401, "25 min"), (1.04, "1.0 h"), (9.96, "10.0 h"), (66.9, "67 h"), (1234.5, "1,234 h")],
)
def test_hours_are_as_exact_as_a_forecast_can_be(value: float, text: str) -> None:
    assert hours(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0 %"), (0.29, "29 %"), (0.9999, "99 %"), (1.0, "100 %"), (float("nan"), "–")]
)
def test_only_what_is_complete_is_a_hundred_percent(value: float, text: str) -> None:
    assert percent(value) == text
