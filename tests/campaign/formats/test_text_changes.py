from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.text_changes import AROUND, SHOWN, text_changes

TEXTS = st.text(alphabet="ab .\néि_犬", max_size=40)


@given(TEXTS, TEXTS)
def test_short_texts_can_be_read_from_their_changes(before: str, after: str) -> None:
    pieces = text_changes(before, after)
    if before != after:
        assert "".join(piece.same + piece.gone for piece in pieces) == before
        assert "".join(piece.same + piece.new for piece in pieces) == after
    assert before != after or not pieces


def test_whole_words_change() -> None:
    pieces = text_changes("the brakes squeal", "the brake squeals")
    assert [(piece.gone, piece.new) for piece in pieces] == [("brakes", "brake"), ("squeal", "squeals")]


def test_marks_change_with_their_words() -> None:
    pieces = text_changes("भारत में हिन्दी बोली", "भारत में हिन्दू बोली")
    assert [(piece.gone, piece.new) for piece in pieces] == [("हिन्दी", "हिन्दू"), ("", "")]


def test_of_long_texts_only_the_surroundings_of_a_change_are_shown_and_giants_take_no_time() -> None:
    words = "one two three " * 300_000
    pieces = text_changes(f"{words}x {words}", f"{words}y {words}")
    assert [(piece.gone, piece.new) for piece in pieces] == [("x", "y"), ("", "")]
    assert all(len(piece.same) < 3 * AROUND for piece in pieces)
    other = text_changes(words, words.upper())[0]
    assert len(other.gone) < SHOWN + 10 > len(other.new)
