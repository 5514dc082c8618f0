from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import topic_matching
from campaign.formats.source import Limits
from campaign.formats.topic_matching import first_columns, matches_in_words, matching_topics

YEARS = [f"2019-{number}" for number in range(1, 51)]
OF_CLEF = [f"10.2452/{number}-AH" for number in range(401, 451)]
numbers = st.lists(st.text("0123MA-/", min_size=1, max_size=6), max_size=12)


@pytest.mark.parametrize(
    ("of_file", "of_task", "some"),
    [
        (["051", "052"], ["51", "52"], {"051": "51", "052": "52"}),
        (["MB001", "MB002"], ["1", "2"], {"MB001": "1", "MB002": "2"}),
        (["1", "2"], ["MB001", "MB002"], {"1": "MB001", "2": "MB002"}),
        (["26"], ["AR26", "AR27"], {"26": "AR26"}),
        (["31_1", "31_2"], ["31-1", "31-2"], {"31_1": "31-1", "31_2": "31-2"}),
        (["1", "50"], YEARS, {"1": "2019-1", "50": "2019-50"}),
        (YEARS, ["1", "50"], {"2019-1": "1", "2019-50": "50"}),
        (["401", "C450"], OF_CLEF, {"401": OF_CLEF[0], "C450": OF_CLEF[-1]}),
        (["topic", "2019-1", "2019-2"], ["1", "2"], {"2019-1": "1", "2019-2": "2"}),
    ],
)
def test_other_spellings_of_the_same_numerals_match(of_file, of_task, some):
    assert matching_topics(of_file, of_task) == some


@pytest.mark.parametrize(
    ("of_file", "of_task"),
    [
        (["2020-1", "2020-2"], YEARS),
        (["01", "1"], ["T1"]),
        (["051", "51"], ["51", "52"]),
        (["1"], ["A1", "B1"]),
        (["1"], ["2019-1"]),
        (["13"], ["1-3", "31"]),
        (["1"], ["2019-1", "2020-1"]),
        (["term"], ["1"]),
        (["term"], ["word"]),
        (["31_1", "31_2"], ["1", "2", "31", "32"]),
        (["1", "2"], ["31_1", "31_2"]),
    ],
    ids=[
        *("another year", "two for one", "taken", "one for two", "a single key has no front", "order", "years", "none"),
        *("words", "turns of a conversation", "topics of conversations"),
    ],
)
def test_what_could_be_another_topic_does_not_match(of_file, of_task):
    assert matching_topics(of_file, of_task) == {}


@given(numbers, numbers)
def test_each_match_leads_to_a_topic_of_its_own_that_the_file_does_not_name_itself(of_file, of_task):
    found = matching_topics(of_file, of_task)
    assert len(set(found.values())) == len(found)
    assert set(found) <= set(of_file) - set(of_task)
    assert set(found.values()) <= set(of_task) - set(of_file)
    assert matching_topics(reversed(of_file), reversed(of_task)) == found, "the order of lines decides nothing"


def test_numbers_are_collected_in_any_encoding_and_none_of_a_file_with_too_many(monkeypatch):
    text = "051 0 a 1\n\n  Ω2\t0 b 0\n051 0 c 1\n3\n"
    assert first_columns(BytesIO(text.encode("utf-16")), Limits(), set()) == ["051", "Ω2", "3"]
    monkeypatch.setattr(topic_matching, "MOST_NUMBERS", 2)
    assert first_columns(BytesIO(text.encode()), Limits(), set()) == []
    monkeypatch.setattr(topic_matching, "MOST_NUMBERS", 3)
    assert len(first_columns(BytesIO(text.encode()), Limits(), set())) == 3


def test_comments_and_columns_that_are_no_topic_number_are_not_collected():
    text = "#51 of 2026\n#7 0 a 1\n051 0 a 1\n" + "10a" * 1000 + " 0 a 1\n"
    assert first_columns(BytesIO(text.encode()), Limits(), {"#7"}) == ["#7", "051"]


def test_matches_of_many_topics_are_shown_in_natural_order_and_the_others_counted():
    found = matching_topics([f"T{number:03}" for number in range(200, 0, -1)], map(str, range(1, 201)))
    said = matches_in_words(found)
    assert said.startswith("T001 as 1, T002 as 2, T003 as 3,")
    assert said.endswith("T020 as 20 and 180 more")
