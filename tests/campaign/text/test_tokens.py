"""Words of texts in any script: what is one word, in whatever form it is written, and where it stands."""

import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.collection.search.snippets import marked
from campaign.collection.search.text import indexed_words, stemmed_words
from campaign.text.tokens import characters_and_pairs, folded, pieces, placed_tokens, tokens
from tests.places import REPOSITORY

SAME = {
    "decomposed Vietnamese": ("Nguyễn", unicodedata.normalize("NFD", "Nguyễn")),
    "decomposed Korean": ("자전거", unicodedata.normalize("NFD", "자전거")),
    "decomposed Kana": ("ガラス", unicodedata.normalize("NFD", "ガラス")),
    "narrow Kana": ("ガラス", "ｶﾞﾗｽ"),
    "wide letters": ("PDF 12", "ＰＤＦ　１２"),
    "decomposed Bengali": ("কোলকাতা", unicodedata.normalize("NFD", "কোলকাতা")),
    "Arabic with vowel signs": ("محمد", "مُحَمَّد"),
    "stretched Arabic": ("محمد", "محـــمد"),
    "Persian with a joiner": ("میخواهم", "می\u200cخواهم"),
    "Hebrew with points": ("שלום", "שָׁלוֹם"),
    "Greek without accents": ("οδός Αθήνα", "ΟΔΟΣ ΑΘΗΝΑ"),
    "Turkish": ("İSTANBUL ISPARTA", "istanbul ısparta"),
    "German": ("Straße", "STRASSE"),
    "German capitals": ("STRAẞE", "strasse"),
    "a soft hyphen": ("automation", "auto\u00admation"),
    "a joiner of Hindi": ("क्ष", "क्\u200dष"),
    "a blank of no width": ("ភាសាខ្មែរ", "ភាសា\u200bខ្មែរ"),
    "marks in another order": ("ปู่", "ป\u0e48\u0e39"),
    "a ligature": ("ﬁne", "FINE"),
    "a squared word": ("㌔", "キロ"),
}
OTHER = {
    "Hindi": ("हिन्दी", "भारत में दिन हवा नदी"),
    "Hindi vowels": ("दिन", "दान"),
    "Tamil": ("தமிழ்", "தம ழ"),
    "Kana": ("ガス", "カス"),
    "Thai tones": ("ปา", "ป่า"),
    "Korean letters": ("하", "한"),
}
WITHIN = {
    "Japanese": ("自転車", "これは日本語の文書です。自転車のブレーキを調整する。"),
    "one character": ("犬", "この犬は小さい"),
    "one character at the end": ("犬", "小さい犬"),
    "Chinese": ("刹车", "调整自行车刹车"),
    "rare Chinese": ("𠮷野", "駅前の𠮷野家"),
    "Korean with a particle": ("자전거", "자전거를 고친다"),
    "Thai": ("เบรก", "วิธีปรับเบรกจักรยาน"),
    "Lao": ("ລົດຖີບ", "ການສ້ອມແປງລົດຖີບ"),
    "Khmer": ("កង់", "ជួសជុលកង់របស់អ្នក"),
    "Burmese": ("စက်ဘီး", "ကျွန်တော်စက်ဘီးစီးသည်"),
    "Han beside Latin": ("PDF", "このPDFファイル"),
    "Hindi": ("हिन्दी", "भारत में हिन्दी बोली जाती है।"),
    "Bengali": ("বাংলা", "আমি বাংলা বলি"),
    "Tamil": ("தமிழ்", "நான் தமிழ் பேசுகிறேன்"),
    "Vietnamese": ("Trường", "học ở " + unicodedata.normalize("NFD", "Trường")),
    "Arabic": ("محمد", "قال مُحَمَّد ذلك"),
    "Hebrew": ("בית", "שלום בַּיִת־ספר"),
    "decomposed at the end": ("café", "un cafe\u0301!"),
    "Turkish": ("ısı", "toplam ISI miktarı"),
    "soft hyphen": ("automation", "on auto\u00admation!"),
    "beside emoji": ("bike", "a 🚲bike👩‍🔧 here"),
}
ODD_SIGNS = (
    "aIİıß'_ 1½éの犬ｶﾞパ\u3099\u309a\u0301\u0323\u0308한ㅎㅏ\u1112\u1161\u11abกั้ำเខ្មहिन्দোে\u09be"
    "\u200d\u200b\u00ad\u034fשָ\u05beمُـ\u0653😀\ufe0f\U000e0100ﬁ㍿℡·\n"
)
ODD_TEXTS = st.text(st.sampled_from(ODD_SIGNS) | st.characters())


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_a_word_is_the_same_in_every_form_in_which_it_is_written(one: str, other: str) -> None:
    assert tokens(one) == tokens(other) != []


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER)
def test_marks_that_make_another_letter_make_another_word(one: str, other: str) -> None:
    assert not set(stemmed_words(one)) & set(indexed_words(other))


@pytest.mark.parametrize(("word", "text"), WITHIN.values(), ids=WITHIN)
def test_a_word_is_found_and_marked_within_a_text(word: str, text: str) -> None:
    assert set(stemmed_words(word)) <= set(indexed_words(text))
    assert [folded(part) for part, is_marked in marked(text, set(stemmed_words(word))) if is_marked] == [folded(word)]


@pytest.mark.parametrize("beside", ["", "é", "हि", "犬"])
def test_an_apostrophe_is_part_of_a_word_between_letters_only(beside: str) -> None:
    assert tokens(f"'tis the riders' o'clock, rock'n'roll' {beside}")[:6] == [
        "tis", "the", "riders", "o'clock", "rock'n", "roll",
    ]  # fmt: skip


@pytest.mark.parametrize("long", ["犬", "हि", "เบ้", "a\u0301", "नa", "𑄇𑄣𑄴"])
def test_a_text_of_one_long_word_takes_no_time(long: str) -> None:
    assert tokens(long * 10_000)
    assert sum(1 for _ in placed_tokens(long * 10_000))
    assert pieces(long * 10_000)


def test_what_is_marked_ends_with_its_accents() -> None:
    assert marked("un cafe\u0301!", {"cafe"}) == [("un ", False), ("cafe\u0301", True), ("!", False)]


def test_texts_without_a_letter_have_no_words() -> None:
    assert [tokens(text) for text in ("", "😀 👩‍🔬", "\u0301\u200d", "。、・", "__")] == [[]] * 5


@given(ODD_TEXTS)
def test_tokens_with_places_are_the_tokens(text: str) -> None:
    placed = list(placed_tokens(text))
    assert sorted(token.term for token in placed) == sorted(tokens(text, characters_and_pairs))
    starts = [(token.start, token.end) for token in placed]
    assert starts == sorted(starts)
    assert all(0 <= start < end <= len(text) for start, end in starts)


@given(ODD_TEXTS)
def test_folding_knows_no_normal_form_and_changes_nothing_twice(text: str) -> None:
    forms = {folded(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")}
    assert forms == {folded(text)} == {folded(folded(text))}


AT_THE_DESK = """
import { folded, marked, ownTerms, pattern } from "./words.js";
const cases = JSON.parse(process.argv[1]);
const left = () => ({ own: 100, ofTopic: 100 });
const found = (word, text) => [...marked(text, pattern([], ownTerms(word)), left())];
const places = (word, text) => found(word, text).map(([start, end]) => text.slice(start, end));
console.log(JSON.stringify(cases.map(([word, text]) => [folded(word).text, folded(text).text, places(word, text)])));
"""


def test_the_desk_folds_and_marks_as_the_search_does() -> None:
    cases = [*WITHIN.values(), *SAME.values(), *OTHER.values()]
    command = [Path(sys.prefix) / "bin" / "node", "--input-type=module", "--eval", AT_THE_DESK, json.dumps(cases)]
    answer = subprocess.run(command, cwd=REPOSITORY / "static/js/desk", capture_output=True, check=True, text=True)
    expected = [
        [
            folded(word),
            folded(text),
            [part for part, is_marked in marked(text, set(stemmed_words(word))) if is_marked],
        ]
        for word, text in cases
    ]
    assert json.loads(answer.stdout) == expected


@pytest.mark.parametrize("unit", ["\u0301\u0316", "\u0e38\u0e48", "\u3099\u0327"])
def test_a_megabyte_of_marks_at_one_letter_is_not_brought_into_order(unit: str) -> None:
    """By the square of their number: it would take a quarter of an hour."""
    [one] = tokens("ก" + unit * 500_000, characters_and_pairs)
    assert len(one) <= 31
    assert len(list(placed_tokens("k" + unit * 500_000))) == 1
