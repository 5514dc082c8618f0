"""The file of a campaign: what is written is read back, and a hostile file is refused in words."""

import tomllib
from datetime import datetime
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.blueprint_files import LARGEST, BlueprintFileError, read_blueprint, toml_text

texts = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=12),
    st.text('"\\\n\r\t\x00\x7f\u2028a', max_size=8),
)
values = st.one_of(
    texts,
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False),
    st.lists(texts, max_size=2),
    st.datetimes(min_value=datetime.fromisoformat("1900-01-01")).map(lambda moment: moment.replace(microsecond=0)),
)
tables = st.recursive(
    st.dictionaries(texts, values, max_size=3),
    lambda inner: st.dictionaries(texts, st.one_of(values, inner, st.lists(inner, min_size=1, max_size=2)), max_size=3),
    max_leaves=5,
)


@given(tables)
def test_toml_that_is_written_is_read_back_as_the_same_values(table):
    assert tomllib.loads(toml_text(table)) == table


def test_every_short_text_of_quotes_backslashes_and_lines_is_read_back_as_it_was():
    for length in range(7):
        for signs in product('"\\\na', repeat=length):
            table = {"x": "".join(signs)}
            assert tomllib.loads(toml_text(table)) == table


@pytest.mark.parametrize(
    ("content", "language", "told"),
    [
        (b"a: &x [1]\nb: [*x, *x]\n", "yaml", "Line 2: an alias"),
        (b"a: !!python/object/apply:os.system [ls]", "yaml", "not sound YAML"),
        (b"[" * 5000, "yaml", "YAML"),
        (b"a = " + b"[" * 5000, "toml", "TOML"),
        (b"- a", "yaml", "holds no campaign"),
        (b"1: a", "yaml", "holds no campaign"),
        (b"", "yaml", "holds no campaign"),
        (b"a: 2026-99-99", "yaml", "not sound YAML"),
        (b"\xff", "toml", "not valid UTF-8"),
        (b"\xff\xfea", "toml", "not valid UTF-16"),
        (b"a = 1\nb = \n", "toml", "line 2"),
        (b"#" * (LARGEST + 1), "toml", "at most 500,000"),
        (b"slug: a\ntitle: b\nslug: c\n", "yaml", "Line 3: “slug” stands here a second time. Keep one of the two."),
        (b'{"tasks": [{"slug": "a",\n"slug": "b"}]}', "yaml", "Line 2: “slug” stands here a second time"),
        (b"title = 0x" + b"f" * 4_000, "toml", "a number of more than 100 digits"),
        (b"tasks = [{slug = -" + b"9" * 101 + b"}]", "toml", "a number of more than 100 digits"),
        (b'title: "a\\ud800"', "yaml", "half of a character"),
        (
            b'tasks: [{measures: !!set {"\\ud800": null}}]',
            "yaml",
            "a set .* that no campaign has. Write texts, numbers",
        ),
        (b'tasks: !!omap [a: b, c: "d"]', "yaml", "a pair .* that no campaign has"),
        (b"call: !!binary aGVsbG8A", "yaml", "bytes .* that no campaign has"),
        (b'agreements: [{title: "a", text: "b\\0"}]', "yaml", "a NUL character"),
        (b'tasks: [{rule_severities: {"b\\u0000": off}}]', "yaml", "a NUL character"),
        (b'call = "a\\u0000"', "toml", "a NUL character"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_words(content, language, told):
    with pytest.raises(BlueprintFileError, match=told):
        read_blueprint(content, language)


def test_json_with_escapes_beyond_the_first_plane_has_its_letters():
    assert read_blueprint(b'{"title": "\\ud83d\\udeb2 and \\u00e9"}', "yaml") == {"title": "\U0001f6b2 and é"}
