"""Near-identical texts, against the comparison of each text with each."""

import re
import unicodedata
from itertools import combinations

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from pooling.core.duplicates.classes import alike_pairs, classes_by_topic
from pooling.core.duplicates.minhash import HASHES, signatures
from pooling.core.duplicates.shingles import shingles, similarity


def slow_shingles(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    if len(words) < 5:
        return {tuple(words)} if words else set()
    return {tuple(words[start : start + 5]) for start in range(len(words) - 4)}


def slow_similarity(one: str, other: str) -> float:
    first, second = slow_shingles(one), slow_shingles(other)
    return len(first & second) / len(first | second) if first and second else 0.0


words = st.lists(st.sampled_from(["aqua", "bird", "Cat", "döner", "eel"]), max_size=12).map(" ".join)


@given(words, words)
def test_the_similarity_is_jaccards_coefficient_of_the_shingles(one: str, other: str) -> None:
    assert similarity(shingles(one), shingles(other)) == slow_similarity(one, other)


def test_one_text_in_two_normal_forms_is_the_same() -> None:
    text = "Trường học Nguyễn ở thành phố dạy nghề sửa xe đạp cho học sinh"
    forms = [shingles(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")]
    assert similarity(*forms) == 1.0
    assert len(forms[0]) == 10


def test_texts_without_blanks_are_as_alike_as_english_ones_of_their_length() -> None:
    english = (
        "To adjust the brakes of a bicycle first check the play of the lever then change the tension of the cable "
        "and at last align the pads and fasten them firmly with the key"
    )
    japanese = (
        "自転車のブレーキを調整するには、まずレバーの遊びを確かめ、次にワイヤーの張りを変える。最後にパッドの位置を合わせて、"
        "確実に締める。"
    )
    thai = "วิธีปรับเบรกจักรยานให้ตรวจสอบระยะของคันเบรกก่อนแล้วจึงเปลี่ยนความตึงของสายเคเบิล"
    changed = [
        (english, english.replace("firmly", "well")),
        (japanese, japanese.replace("確実に締める", "しっかりと締める")),
        (thai, thai.replace("สาย", "ลวด")),
    ]
    assert all(0.7 < similarity(shingles(one), shingles(other)) < 0.9 for one, other in changed)
    assert similarity(shingles(japanese), shingles(thai)) == 0.0
    long = japanese.replace("。", "、それから") * 3
    numbered = "".join(f"{number}番目に{sentence}" for number, sentence in enumerate(long.split("、")))
    assert similarity(shingles(numbered), shingles(numbered.replace("遊び", "隙間", 1))) >= 0.9


def edited(text: list[str], seed: int, changes: int) -> str:
    numbers = np.random.default_rng(seed)
    copy = list(text)
    for place in numbers.integers(0, len(copy), changes):
        copy[place] = f"changed{seed}"
    return " ".join(copy)


@settings(max_examples=5)
@given(st.integers(0, 1000))
def test_the_classes_are_those_of_comparing_each_with_each(seed: int) -> None:
    numbers = np.random.default_rng(seed)
    originals = [[f"w{number}" for number in numbers.integers(0, 2000, 400)] for _ in range(4)]
    texts = {f"d{place}": edited(originals[place % 4], place, place // 4) for place in range(16)}
    texts |= {"empty": "", "blank": " -- ", "short": "two words", "again": "Two words!"}
    docnos = sorted(texts)
    pooled = pl.DataFrame({"topic": "1", "docno": docnos, "position": range(1, len(docnos) + 1)})
    found = alike_pairs(docnos, lambda wanted: [texts[docno] for docno in wanted])
    held = dict(classes_by_topic(pooled, found).select("docno", "representative").iter_rows())
    assert held == slow_classes(texts, docnos)


def slow_classes(texts: dict[str, str], docnos: list[str]) -> dict[str, str]:
    classes = {docno: {docno} for docno in docnos}
    for one, other in combinations(docnos, 2):
        if slow_similarity(texts[one], texts[other]) >= 0.9:
            union = classes[one] | classes[other]
            classes.update(dict.fromkeys(union, union))
    return {docno: min(members, key=docnos.index) for docno, members in classes.items() if len(members) > 1}


def test_a_class_holds_only_what_is_connected_within_the_topic() -> None:
    """a and c are alike only through b, which topic 2 does not have."""
    pairs = pl.DataFrame({"one": ["a", "b"], "other": ["b", "c"], "similarity": [0.9, 0.95]})
    rows = [("1", "c", 1), ("1", "b", 2), ("1", "a", 3), ("2", "a", 1), ("2", "c", 2)]
    pooled = pl.DataFrame(rows, schema=["topic", "docno", "position"], orient="row")
    assert classes_by_topic(pooled, pairs).rows() == [
        ("1", "c", "c", 0.95),
        ("1", "b", "c", 0.95),
        ("1", "a", "c", 0.9),
    ]


def test_the_share_of_equal_hashes_estimates_the_similarity() -> None:
    text = [f"w{number}" for number in range(2000)]
    one, other = shingles(" ".join(text)), shingles(edited(text, 1, 60))
    signed = signatures([one, other])
    expected = similarity(one, other)
    assert 0.6 < expected < 0.9
    assert abs((signed[0] == signed[1]).mean() - expected) < 4 * (expected * (1 - expected) / HASHES) ** 0.5
