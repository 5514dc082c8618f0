from judging.core.keyboard_shortcuts import COMMANDS, command_keys, letters_for
from judging.core.query_terms import query_terms


def test_content_words_remain_and_plurals_lose_their_ending() -> None:
    assert query_terms("What are the effects of airship disasters and studies on gas?") == [
        "effect",
        "airship",
        "disaster",
        "stud",
        "gas",
    ]


def test_words_of_every_script_count() -> None:
    assert query_terms("Überschwemmung в Праге 1997") == ["uberschwemmung", "праге", "1997"]
    assert query_terms("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert query_terms("Nguye\u0302\u0303n") == query_terms("Nguyễn") == ["nguyen"]
    assert query_terms("𠮷野家のｶﾞﾗｽ") == ["𠮷野", "野家", "ガラス"]


def test_a_command_whose_key_a_grade_takes_gets_another_letter() -> None:
    assert command_keys(["x", "1"])["cannot_judge"] == "a"
    assert len(set(command_keys(["x", "s", "a", "1"]).values())) == len(COMMANDS)
    assert command_keys(["0", "1"])["cannot_judge"] == "x"


def test_no_two_subtopics_share_a_key_with_anything() -> None:
    keys = letters_for(30, taken=["a", "1"])
    used = [key for key in keys if key]
    assert len(used) == len(set(used))
    assert not set(used) & {"a", *command_keys([]).values()}
    assert len(keys) == 30
