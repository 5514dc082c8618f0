"""Small modules that one module imports: a reader goes to another file for a few lines. Decisions 106 and 109 say which stay."""

from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.pure_code import APPS, PURE, imported, module_of, sources, taken

LARGEST = 40
OF_THEIR_OWN = {"campaign.formats.medline", "runpool.backup.unfinished", "runpool.frames"}
"""A file format, a program, and what memory deep calls take: a reader finds each by its name. Decision 109 has the reasons."""
MOST = 15
"""Of all of them, whatever their reason."""
ROLES = ("views", "api", "jobs", "forms", "exports", "services", "selectors", "todo", "warnings", "integrity")
"""What a folder of a subject has by the rules: `jobs.py`, or a module of `services/`."""
LISTED = (
    "*.models.*",
    "*.strategies.*",
    "*.reliability.parts.*",
    "runpool.client.make",
)
"""One of a registry, and a file of a program that is put together from files."""


def _is_pure(module: str) -> bool:
    return any(module == pure or module.startswith(f"{pure}.") for pure in PURE)


def _stays(module: str, importer: str) -> bool:
    has_a_role = any(part in ROLES for part in module.split("."))
    return (
        has_a_role or any(fnmatch(module, listed) for listed in LISTED) or (_is_pure(module) and not _is_pure(importer))
    )


def small_modules() -> dict[str, str]:
    """Modules of at most 40 lines that exactly one module imports, each with that one."""
    paths = {module_of(path): path for path in sources(*APPS)}
    importers: dict[str, set[str]] = defaultdict(set)
    for module, path in paths.items():
        for name in {*imported(path), *taken(path)} & paths.keys() - {module}:
            importers[name].add(module)
    return {
        module: next(iter(importers[module]))
        for module, path in sorted(paths.items())
        if path.name != "__init__.py" and len(importers[module]) == 1 and _lines(path) <= LARGEST
    }


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_small_modules_with_one_importer_have_a_name_that_the_rules_give_them() -> None:
    found = {module for module, importer in small_modules().items() if not _stays(module, importer)}
    assert found == OF_THEIR_OWN, "put the others into the module that imports them"


def test_small_modules_with_one_importer_become_no_more() -> None:
    found = small_modules()
    assert len(found) <= MOST, f"put one into the module that imports it: {sorted(found)}"


@pytest.mark.parametrize("listed", LISTED)
def test_every_kind_that_may_stay_has_a_small_module(listed: str) -> None:
    assert any(fnmatch(module, listed) for module in small_modules())
