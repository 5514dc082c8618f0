import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.runs.tags import HEAD_BYTES, suggested_tag
from tests.campaign.formats.runs.tag_cases import LINE, TAG_CASES


@pytest.mark.parametrize(("name", "content", "tag"), TAG_CASES.values(), ids=TAG_CASES)
def test_the_tag_that_a_file_suggests(name: str, content: bytes, tag: str) -> None:
    assert suggested_tag(content[:HEAD_BYTES], name) == tag


@given(st.binary(max_size=300), st.text(min_size=1, max_size=30))
def test_every_file_suggests_a_tag(content: bytes, name: str) -> None:
    assert suggested_tag(content, name) != ""
    assert suggested_tag(LINE + content.replace(b"\0", b""), name) == "bm25"
