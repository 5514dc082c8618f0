"""Pure code is shown by examples in its docstrings, and every example of the four apps is true.

A function of pure code is a door if somebody outside its package (a name of the import contract) imports it. Every door
has an example, which says more than a sentence, or stands below with the reason why not. The command line and the
demonstration are programs, not libraries: what they do is shown in the guide.
"""

import doctest
from collections.abc import Iterator
from importlib import import_module

import pytest

from tests.pure_code import APPS, PURE, doors, module_of, sources

PROGRAMS = ("runpool.client", "campaign.command", "pooling.command", "evaluation.command", "runpool.demo")
WITHOUT_EXAMPLE = {
    "campaign.formats.check_script.make.make_check_script": "gives a whole program, which tests run",
    "campaign.formats.one_file.joined_code": "gives a whole program, which tests run",
    "campaign.formats.one_file.joined_imports": "gives a whole program, which tests run",
    "campaign.formats.docno_hashes.hashing_key": "changes with the version of polars",
    "campaign.formats.runs.table.run_table_to_parquet": "is shown by its inverse",
    "campaign.modes.register": "changes what the site offers",
    "campaign.modes.mode_named": "gives what was registered when the site started",
    "campaign.modes.mode_choices": "gives what was registered when the site started",
    "campaign.charts.as_svg": "gives a picture",
    "campaign.charts.drawn": "gives a picture",
    "evaluation.boards.picture.bar_with_intervals": "gives a picture",
    "evaluation.analysis.curves.picture.curves_picture": "gives a picture",
    "evaluation.analysis.topics.picture.topics_picture": "gives a picture",
    "evaluation.analysis.efficiency.picture.efficiency_picture": "gives a picture",
    "evaluation.analysis.heatmap.picture.heat_picture": "gives a picture",
    "evaluation.analysis.measure_correlation.picture.scatter_picture": "gives a picture",
    "evaluation.analysis.pairwise_tests.picture.groups_picture": "gives a picture",
    "evaluation.analysis.pairwise_tests.picture.pairs_picture": "gives a picture",
    "evaluation.analysis.reliability.picture.left_out_picture": "gives a picture",
    "evaluation.analysis.reliability.picture.saturation_picture": "gives a picture",
    "evaluation.analysis.compare.picture.difference_picture": "gives a picture",
    "evaluation.analysis.snapshots.picture.history_picture": "gives a picture",
    "judging.core.days_picture.days_picture": "gives a picture",
    "pooling.core.completeness.picture.saturation_picture": "gives a picture",
}


MODULES = [module_of(path) for path in sources(*APPS) if ">>> " in path.read_text(encoding="utf-8")]


def examples(module: str) -> Iterator[doctest.DocTest]:
    return (found for found in doctest.DocTestFinder().find(import_module(module), module) if found.examples)


def untruths(example: doctest.DocTest) -> str:
    told: list[str] = []
    doctest.DocTestRunner().run(example, out=told.append)
    return "".join(told)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_are_true(module: str) -> None:
    assert "".join(map(untruths, examples(module))) == ""


def test_every_door_of_pure_code_has_an_example() -> None:
    without = {
        function.name
        for package in PURE
        if not package.startswith(PROGRAMS)
        for function in doors(package)
        if not function.has_example
    }
    assert without == set(WITHOUT_EXAMPLE)


def test_a_wrong_example_is_seen() -> None:
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert "Expected:\n    3\nGot:\n    2" in untruths(wrong)
