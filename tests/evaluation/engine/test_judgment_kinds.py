"""Kinds of judgments are declarations: what reads, scores and lists measures goes by them and by no name of a kind."""

import ast

import pytest

from evaluation.command import listing
from evaluation.engine.judgment_kinds import DOCUMENTS, JudgmentKind, Section
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.names.registry import known_measures
from judging.core.modes.declaration import QrelsTables
from judging.models.qrels import SAMPLE_TABLES
from tests.places import REPOSITORY

KINDS = sorted({definition.judgments for definition in known_measures()}, key=lambda kind: kind.name)


def test_the_kinds_of_the_measures_have_different_names():
    assert len({kind.name for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_table_of_released_qrels_holds_what_is_read_of_a_file(kind):
    assert kind.table in {*QrelsTables.__dataclass_fields__, *SAMPLE_TABLES.values()}
    assert (kind.table == "by_subtopic") == kind.by_subtopic
    assert (kind.table in SAMPLE_TABLES.values()) == kind.sampled


def test_a_new_kind_has_its_section_in_the_reference_by_its_declaration_alone():
    def compute(ranked):
        """Give the share of nuggets.

        Returns float64 (n_groups,) in [0, 1]: covered / all. 0 without nuggets.
        """

    section = Section("nugget", "Nuggets", "Answers are judged for each nugget.")
    kind = JudgmentKind(name="nuggets", in_words="nugget judgments", section=section)
    measures = [
        Definition("NuggetRecall", compute, "binary", "nobody", judgments=kind),
        Definition("OfDocuments", compute, "set", "nobody", judgments=DOCUMENTS),
    ]
    page = listing.page(measures)
    assert "- [Nuggets](#nuggets): [NuggetRecall](#nuggetrecall)\n" in page
    assert "\n## Nuggets\n\nAnswers are judged for each nugget.\n\n### NuggetRecall\n" in page
    assert "- nugget; range: [0, 1]; over topics: mean\n" in page


def test_no_code_compares_the_name_or_the_label_of_a_kind():
    for path in (REPOSITORY / "evaluation").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "kind":
                assert not any(isinstance(other, ast.Constant) for other in node.comparators), f"{path}:{node.lineno}"
