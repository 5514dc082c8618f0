"""Which rows of a long list a page shows."""

import pytest
from django.http import QueryDict

from campaign.text import limits
from campaign.web.short_lists import SHOWN, ShortList, short_list


def listed(count: int, query: str = "") -> ShortList[str]:
    return short_list(QueryDict(query), [f"{number} Café of town {number}" for number in range(1, count + 1)], str)


def test_a_list_of_at_most_twenty_rows_is_whole_whatever_is_asked() -> None:
    for query in ("", "search=nothing", "topics=all"):
        short = listed(SHOWN, query)
        assert (len(short.rows), short.is_long, short.left_out, short.in_words) == (20, False, 0, "20 topics")


def test_a_longer_list_is_cut_and_all_of_it_is_shown_on_demand() -> None:
    cut = listed(SHOWN + 1)
    assert (len(cut.rows), cut.left_out, cut.in_words) == (20, 1, "21 topics, 20 shown")
    assert listed(SHOWN + 1, "topics=ALL").left_out == 1
    whole = listed(SHOWN + 1, "topics=all")
    assert (len(whole.rows), whole.left_out, whole.in_words) == (21, 0, "21 topics")


def test_a_filter_looks_at_all_rows_and_its_counts_are_true() -> None:
    assert listed(225, "search=225").rows == ["225 Café of town 225"]
    assert listed(225, "search=225").in_words == "1 of 225 topics matches"
    assert listed(225, "search=CAFE+town").in_words == "225 of 225 topics match, 20 shown"
    assert listed(225, "search=town+21+cafe").in_words == "13 of 225 topics match"
    assert listed(225, "search=town&topics=all").in_words == "225 of 225 topics match"
    assert listed(225, "search=town+nowhere").in_words == "0 of 225 topics match"


@pytest.mark.parametrize(
    "search", ["%00", "%25", "_", "\\", "(", "[", ".*", "'", "%22%3E%3Cscript%3E", "%EF%BF%BF", "%ED%A0%80"]
)
def test_no_sign_of_a_filter_means_more_than_itself(search: str) -> None:
    assert listed(225, f"search={search}").rows == []


def test_a_filter_of_nothing_but_blanks_and_unseen_signs_is_none() -> None:
    for search in ("", "+++", "%E2%80%8B", "%E2%80%8B+%C2%AD"):
        assert (listed(225, f"search={search}").in_words, listed(225, f"search={search}").search) == (
            "225 topics, 20 shown",
            "",
        )
    assert len(listed(225, "search=" + "x" * 5000).search) == limits.SEARCH
