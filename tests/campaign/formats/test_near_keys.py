"""Keys that look like known ones: what is found, what is said, and that it costs little."""

import pytest

from campaign.formats.near_keys import HINTED, MOST_SPELLINGS, OF_COLLECTION, hints, missing_from, spellings

KNOWN = {
    "Z\u00fcrich-1", "FT911-1", "0007", "d3", "ClueWeb09-en0000-00-00000", "T-0001", "doc_1", "AbC", "e.txt", "D\uff11\u20132",
}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("Zu\u0308rich-1", "Z\u00fcrich-1 in another Unicode form (NFC)"),
        ("\uff24\uff34", ""),
        ("\uff44\uff13", "d3 in another Unicode form"),
        ("ft911-1", "FT911-1 in capitals"),
        ("D3", "d3 in small letters"),
        ("MB07", "0007 as the number alone and with more zeros"),
        ("aBc", "AbC with other capitals"),
        ("clueweb09-en0000-00-00000", "ClueWeb09-en0000-00-00000 with other capitals"),
        ("CLUEWEB09-EN0000-00-00000", "ClueWeb09-en0000-00-00000 with other capitals"),
        ("7", "0007 with zeros"),
        ("00007", "0007 with fewer zeros"),
        ("d003", "d3 without zeros"),
        ("FT0911-01", "FT911-1 without zeros"),
        ("t-1", "T-0001 with zeros and in capitals"),
        ("7.0", "0007 without the ending .0 and with zeros"),
        ("d3.txt", "d3 without the ending .txt"),
        ("d3.tar.gz", "d3 without the ending .tar.gz"),
        ("e", "e.txt with the ending .txt"),
        ("docs/d3", "d3 without the path"),
        ('"d3"', "d3 without the marks around it"),
        ("d3\u200b", "d3 without invisible characters (U+200B)"),
        ("\ufeffd3", "d3 without invisible characters (U+FEFF)"),
        ("d\u00a03", "d3 without blanks (U+00A0)"),
        ("F\u0422911-1", "FT911-1 in other characters that look the same"),
        ("FT911\u20131", "FT911-1 in other characters that look the same"),
        ("doc-1", "doc_1 with _ between its parts"),
        ("Z%C3%BCrich-1", "Z\u00fcrich-1 in another encoding"),
        ("Z\u00c3\u00bcrich-1", "Z\u00fcrich-1 in another encoding"),
        ("nothing", ""),
        ("", ""),
        ("x" * 5000, ""),
    ],
)
def test_the_known_key_and_the_difference_are_named(key, said):
    assert hints([key], missing_from(KNOWN), OF_COLLECTION) == (f" The collection has {said}." if said else "")


def test_a_list_is_asked_once_for_few_spellings_of_few_keys():
    asked = []

    def missing(keys):
        asked.append(set(keys))
        return asked[-1]

    hints((f"Te\u0301st-AB-{number:03}-{number:05}-cd.txt" for number in range(1000)), missing, OF_COLLECTION)
    [keys] = asked
    assert len(keys) <= HINTED * MOST_SPELLINGS
    assert not {key for key in keys if "-011-" in key}


def test_what_a_key_holds_cannot_steer_a_terminal():
    assert (
        hints(["a\x1b[2J"], missing_from({"A\x1b[2J"}), OF_COLLECTION) == r" The collection has A\x1b[2J in capitals."
    )
    assert all(len(one) <= 200 for one in spellings("d" * 198))
