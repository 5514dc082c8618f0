"""What a change of one room needs within a minute: `make quick`.

Linters and types of what changed, then the tests that belong to the changed files: those of the folder that mirrors theirs, those
that import a changed module, and what is pure in the app. `.ci/run` still runs everything.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.places import REPOSITORY
from tests.pure_code import APPS, imported, module_of, sources, taken

TESTS = REPOSITORY / "tests"
EVERYTHING = ("tests/conftest.py", "tests/factories.py", "tests/settings.py", "pyproject.toml", "requirements/")
"""What they change shows nowhere and everywhere."""
BIN = Path(sys.executable).parent


def changed(since: str) -> list[str]:
    """Files that differ from the commit, and those that Git does not know yet, as paths below the repository."""
    differing = _git("diff", "--name-only", "--diff-filter=d", since)
    new = _git("ls-files", "--others", "--exclude-standard")
    return sorted({*differing, *new})


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def tests_for(files: Iterable[str]) -> set[str]:
    """Test files and folders, as paths below the repository."""
    chosen: set[Path] = set()
    for name in files:
        path = REPOSITORY / name
        first, *rest = Path(name).parts
        if first == "tests":
            chosen.update(_tests_of_test_file(path))
        elif first in APPS:
            chosen.update(_mirror(Path(first, *rest)))
            if path.suffix == ".py":
                chosen.update(_nearest_importers(module_of(path)))
        elif first in {"templates", "static"}:
            chosen.update(_mirror(Path(*rest)))
    return {str(path.relative_to(REPOSITORY)) for path in _outermost(chosen)}


def _tests_of_test_file(path: Path) -> Iterator[Path]:
    if path.name.startswith("test_"):
        yield path
    elif path.suffix == ".py":
        yield from _importers(module_of(path))


def _mirror(path: Path) -> Iterator[Path]:
    """The folder of tests for the module's own folder; in an app's first level, the test files that have its name."""
    stem = path.stem.lstrip("_")
    for folder in path.parents:
        mirrored = TESTS / folder
        yield from mirrored.glob(f"test_{stem}*.py")
        if mirrored.is_dir():
            if len(folder.parts) > 1:
                yield mirrored
            return


@cache
def _imports() -> dict[Path, frozenset[str]]:
    return {path: frozenset({*imported(path), *taken(path)}) for path in TESTS.rglob("test_*.py")}


def _importers(module: str) -> Iterator[Path]:
    """Test files that import the module or a name of it."""
    yield from (path for path, names in _imports().items() if module in names)


def _nearest_importers(module: str) -> set[Path]:
    """Test files that import the module; where none does, those that import a module that imports it, and so on."""
    modules, seen = {module}, {module}
    while modules:
        if found := {path for name in modules for path in _importers(name)}:
            return found
        modules = {name for name, names in _product_imports().items() if modules & names} - seen
        seen |= modules
    return set()


@cache
def _product_imports() -> dict[str, frozenset[str]]:
    return {module_of(path): frozenset({*imported(path), *taken(path)}) for path in sources(*APPS)}


def _outermost(paths: set[Path]) -> set[Path]:
    return {path for path in paths if not any(parent in paths for parent in path.parents)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", default="HEAD", help="the commit to compare with (default: HEAD)")
    files = changed(parser.parse_args().since)
    if not files:
        print("Nothing changed.")
        return 0
    python = [name for name in files if name.endswith(".py")]
    tests = sorted(tests_for(files))
    if wide := [name for name in files if name.startswith(EVERYTHING)]:
        print(f"{wide[0]} concerns every test: `make test` tells whether it is right.")
    print(f"{len(files)} changed files, tests: {' '.join(tests) or 'none'}", flush=True)
    steps = [[BIN / "ruff", "check", *python], [BIN / "ruff", "format", "--check", *python]] if python else []
    if any(name.startswith(APPS) for name in python):
        steps += [[BIN / "mypy", "."], [BIN / "lint-imports"]]
    if any(name.startswith("templates") for name in files):
        steps.append([BIN / "djlint", "--lint", "--quiet", *(name for name in files if name.startswith("templates"))])
    if tests:
        wanted = "not browser and not embedded and not services and not cranfield"
        steps.append([sys.executable, "-m", "pytest", "-q", "-n", "auto", "-m", wanted, *tests])
    return next((code for step in steps if (code := subprocess.run(step, cwd=REPOSITORY).returncode)), 0)


if __name__ == "__main__":
    sys.exit(main())
