"""Sealed parts open with their key and name, whole and unchanged, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runpool.backup import sealing
from runpool.backup.sealing import MARK, SALT_BYTES, Seal, SealError, new_key

SEAL = Seal(new_key())


@pytest.fixture(autouse=True)
def small_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few bytes are then several frames."""
    monkeypatch.setattr(sealing._frames, "__defaults__", (16,))
    monkeypatch.setattr(sealing, "FRAME", 16)


def seal(content: bytes, name: str = "part") -> bytes:
    return b"".join(SEAL.sealed(name, iter([content])))


def opened(sealed: bytes, name: str = "part", by: Seal = SEAL) -> bytes:
    return b"".join(by.opened(name, iter([sealed])))


@given(chunks=st.lists(st.binary(max_size=40), max_size=6), cut=st.integers(1, 50))
def test_what_is_sealed_opens_however_it_was_cut_into_chunks(chunks: list[bytes], cut: int) -> None:
    sealed = b"".join(SEAL.sealed("part", iter(chunks)))
    pieces = [sealed[start : start + cut] for start in range(0, len(sealed), cut)]
    assert b"".join(SEAL.opened("part", iter(pieces))) == b"".join(chunks)


@given(content=st.binary(max_size=80), place=st.integers(0), bit=st.integers(0, 7))
def test_one_changed_bit_anywhere_is_refused(content: bytes, place: int, bit: int) -> None:
    sealed = bytearray(seal(content))
    sealed[place % len(sealed)] ^= 1 << bit
    with pytest.raises(SealError):
        opened(bytes(sealed))


@given(content=st.binary(max_size=80), length=st.integers(0))
def test_a_part_cut_anywhere_is_refused(content: bytes, length: int) -> None:
    sealed = seal(content)
    with pytest.raises(SealError):
        opened(sealed[: length % len(sealed)])


def test_frames_that_change_places_or_are_left_out_are_refused() -> None:
    sealed = seal(b"a" * 16 + b"b" * 16 + b"c")
    head, frame = len(MARK) + SALT_BYTES, 32
    first, second = sealed[head : head + frame], sealed[head + frame : head + 2 * frame]
    rest = sealed[head + 2 * frame :]
    for changed in (second + first + rest, second + rest, first + rest, first + second + first + rest):
        with pytest.raises(SealError):
            opened(sealed[:head] + changed)


def test_a_part_under_the_name_of_another_is_refused() -> None:
    with pytest.raises(SealError):
        opened(seal(b"rows", "one"), "other")


def test_another_key_opens_nothing_and_gives_other_names() -> None:
    other = Seal(new_key())
    with pytest.raises(SealError):
        opened(seal(b"rows"), by=other)
    assert other.name("part") != SEAL.name("part")


@pytest.mark.parametrize("text", ["", "too-short", "ä" * 44, "A" * 43 + "!"])
def test_a_key_file_that_holds_no_key_says_how_to_make_one(text: str) -> None:
    with pytest.raises(SealError, match="--make-key"):
        Seal(text)
