import pytest

from judging.judgment_imports.reading import READERS


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "1999-01-01T00:00Z"])
def test_a_moment_that_no_clock_shows_is_told_with_the_years_that_are_taken(moment: str) -> None:
    with pytest.raises(ValueError, match=r"judged_at is “.*”: the year lies outside 2000 to 2100"):
        READERS["judged_at"]("judged_at", moment)
