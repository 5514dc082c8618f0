"""Which docnos are known: sorted hashes with gaps, in memory and in a file."""

from io import BytesIO

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import docno_hashes
from campaign.formats.docno_hashes import DocnoHashes, hashing_key

docnos = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=60)


def index_of(known: list[str]) -> DocnoHashes:
    return DocnoHashes.of([pl.Series(known[:7], dtype=pl.String), pl.Series(known[7:], dtype=pl.String)])


def in_a_file(index: DocnoHashes) -> bytes:
    out = BytesIO()
    index.write(out)
    return out.getvalue()


@given(docnos, docnos)
def test_known_is_what_was_put_in_and_nothing_else(known, others):
    index = index_of(known)
    asked = pl.Series(known + others, dtype=pl.String)
    assert index.known(asked).to_list() == [docno in set(known) for docno in known + others]
    assert index.missing(others) == set(others) - set(known)


@given(
    st.lists(st.integers(0, 2**64 - 1), max_size=50), st.lists(st.integers(0, 2**64 - 1), max_size=20), st.booleans()
)
def test_any_hashes_are_found_however_they_crowd(stored, others, are_last):
    if are_last:  # all want the last places of the table
        stored = [2**64 - 1 - hash_ % 97 for hash_ in stored]
        others = [2**64 - 1 - hash_ % 97 for hash_ in others]
    kept, docno_hashes.hashes_of = docno_hashes.hashes_of, lambda column: column.clip(1).to_numpy()
    try:
        index = DocnoHashes.of([pl.Series(stored, dtype=pl.UInt64)])
        asked = [max(1, hash_) for hash_ in stored + others]
        found = index.known(pl.Series(asked, dtype=pl.UInt64)).to_list()
    finally:
        docno_hashes.hashes_of = kept
    assert found == [hash_ in {max(1, kept) for kept in stored} for hash_ in asked]


def test_an_index_comes_back_from_a_file_as_it_was(tmp_path):
    data = in_a_file(index_of([f"d{number}" for number in range(5000)]))
    path = tmp_path / "index"
    path.write_bytes(data)
    index = DocnoHashes.mapped(path)
    assert index is not None
    assert index.is_intact()
    assert index.count == 5000
    assert index.known(pl.Series(["d0", "d4999", "d5000"])).to_list() == [True, True, False]


def test_a_cut_or_foreign_file_is_no_index(tmp_path):
    data = in_a_file(index_of(["a", "b"]))
    for wrong in (b"", data[:20], data[:-1], data + b"x", b"x" + data[1:]):
        path = tmp_path / "index"
        path.write_bytes(wrong)
        assert DocnoHashes.mapped(path) is None


def test_the_key_changes_with_the_version_of_polars_and_with_the_hashes(monkeypatch):
    key = hashing_key()
    assert hashing_key() == key
    monkeypatch.setattr(docno_hashes.pl, "__version__", "0.0")
    other = hashing_key()
    monkeypatch.setattr(docno_hashes, "SAMPLES", ["b"])
    assert len({key, other, hashing_key()}) == 3
