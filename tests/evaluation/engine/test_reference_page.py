"""The listing of measures and the page of reference, which are made of the measures' declarations."""

import io
import re
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from evaluation.command import listing
from evaluation.engine.measures.names.registry import known_measures
from evaluation.engine.measures.parameters import MeasureNameError
from tests.places import REPOSITORY


def listed(*names: str, form: str = "text", brief: bool = False) -> str:
    out = io.StringIO()
    listing.write(out, names, form, brief=brief)
    return out.getvalue()


def test_the_page_of_reference_is_up_to_date():
    page = (REPOSITORY / listing.PAGE).read_text(encoding="utf-8")
    assert page == listed(form="markdown"), f"Run: {listing.COMMAND}"


@pytest.mark.parametrize("definition", known_measures(), ids=lambda definition: definition.name)
def test_every_measure_is_explained_by_sentence_value_range_source_and_parameters(definition):
    told = listing.describe(definition)
    assert re.fullmatch(r"[A-Z].*\.", told.meaning)
    assert told.formula or definition.summary == "sum"
    text = listed(definition.name)
    for word in ("float64", "n_groups", "Returns"):
        assert word not in text
    flat = " ".join(text.split())
    for part in (*definition.aliases, told.meaning, told.formula, told.range, definition.kind, definition.source):
        assert part in flat
    for parameter in definition.own_parameters:
        assert f"{parameter.name}: {parameter.meaning}" in flat


def rendered_sections() -> dict[str, list]:
    """The inline tokens of the page by the heading under which they stand."""
    sections: dict[str, list] = {}
    heading = ""
    tokens = MarkdownIt("commonmark").enable("table").parse(listed(form="markdown"))
    for before, token in pairwise(tokens):
        if before.type == "heading_open":
            heading = "".join(part.content for part in token.children)
        elif token.type == "inline":
            sections.setdefault(heading, []).extend(token.children)
    return sections


def test_no_formula_is_taken_for_markup():
    sections = rendered_sections()
    for definition in known_measures():
        tokens = sections[definition.name]
        emphasised = [after.content for token, after in pairwise(tokens) if token.type == "em_open"]
        formula = listing.describe(definition).formula
        assert emphasised == (["Value:"] if formula else [])
        assert {token.type for token in tokens} <= {"text", "em_open", "em_close", "code_inline"}
        shown = "".join(token.content for token in tokens)
        assert formula.replace("`", "") in shown


def test_every_measure_has_a_section_and_the_contents_lead_there():
    page = listed(form="markdown")
    headings = re.findall(r"^#+ (.+)$", page, flags=re.MULTILINE)
    names = [definition.name for definition in known_measures()]
    assert sorted(heading for heading in headings if heading in names) == sorted(names)
    seen: dict[str, int] = {}
    anchors = {}
    for heading in headings:
        plain = heading.lower().replace(" ", "-")
        times = seen[plain] = seen.get(plain, -1) + 1
        anchors[heading] = f"{plain}-{times}" if times else plain
    links = dict(re.findall(r"\[([^\]]+)\]\(#([^)]+)\)", page))
    assert set(names) <= set(links)
    assert links == {heading: anchors[heading] for heading in links}


def test_a_measure_is_found_by_any_of_its_names_and_by_names_of_the_standard_tool():
    for name in ("nDCG", "ndcg", "NDCG", "ndcg_cut_{k}", "ndcg_cut_10", "nDCG(gain=exponential)@5", "ndcg.1=2"):
        assert listed(name).startswith("nDCG, ndcg")
    assert listed("AP", "map", "P") == listed("AP", "P")
    official = listed("official", brief=True)
    assert all(f"\n{name}," in f"\n{official}" for name in ("AP", "Rprec", "bpref", "RR", "P"))
    with pytest.raises(MeasureNameError, match="Near names: nDCG"):
        listed("nDCX")


def test_the_brief_listing_has_a_line_of_names_and_a_sentence_for_each_measure():
    lines = listed(brief=True).splitlines()
    assert len(lines) == 2 * len(known_measures())
    assert lines[0] == ", ".join((known_measures()[0].name, *known_measures()[0].aliases))
    assert all(line.startswith("    ") and line.endswith(".") for line in lines[1::2])
