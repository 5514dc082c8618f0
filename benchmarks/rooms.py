"""Which tests belong to a module of a checkout: chosen as by tests/quick.py, but of any checkout, also one that lacks it."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

APPS = ("campaign", "pooling", "judging", "evaluation", "runpool")
LEFT_OUT = ("browser", "faults", "flows", "machines", "packaging", "upgrades")
"""Folders of tests that start a browser or whole sites."""
SITES = re.compile(r"\bsubprocess\b|\bThread\b|\brunning_site\b|\bSite\(|\bown_redis\b|\bservices\b|transaction=True")
SHORTEST_NAME = 5
"""Shorter ones are words of any test."""
ROWS = re.compile(r"\bdjango_db\b|\bcast\b|\bdb\b|\bclient\b|\bmade_once\b|\bmake_\w+\(")


def product_files(root: Path) -> list[Path]:
    """Modules whose lines can be faults: no migrations, no settings, no code that is copied elsewhere as a text."""
    return sorted(path for app in APPS for path in (root / app).rglob("*.py") if _is_product(path.relative_to(root)))


def _is_product(path: Path) -> bool:
    named = path.name in {"apps.py", "settings.py"} or path.name.endswith("_template.py")
    return not named and not {"migrations", "templates"} & set(path.parts)


class Rooms:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.tests = root / "tests"

    def tests_of(self, name: str, function: str = "", wide: bool = False) -> list[str]:
        """Test files as paths below the checkout; the quickest kind first, then the nearest to the function of the module.

        `wide`: after them all of the app, and those that look at all apps.
        """
        path = Path(name)
        mirrored = set(self._mirror(path))
        named = {file for file, text in self._texts.items() if _words(path.stem, function).search(text)}
        files = mirrored | self._nearest_importers(_module_of(path)) or self._room(path, named)
        others = self._of_the_app(path) - files if wide else set()
        chosen = (file for file in files | others if file.relative_to(self.tests).parts[0] not in LEFT_OUT)
        stem = f"test_{path.stem.lstrip('_')}"

        def distance(file: Path) -> tuple[bool, int, bool, bool, bool, str]:
            kind = _kind(self._texts[file])
            other_name = not file.stem.startswith(stem)
            return file in others, kind, other_name, file not in named, file not in mirrored, str(file)

        return [str(file.relative_to(self.root)) for file in sorted(chosen, key=distance)]

    def _mirror(self, path: Path) -> Iterator[Path]:
        for folder in path.parents:
            mirrored = self.tests / folder
            yield from mirrored.glob(f"test_{path.stem.lstrip('_')}*.py")
            if mirrored.is_dir():
                if len(folder.parts) > 1:
                    yield from mirrored.rglob("test_*.py")
                return

    def _room(self, path: Path, named: set[Path]) -> set[Path]:
        """For what nobody imports, as views that only addresses name: tests of the room that name it, otherwise all."""
        folder = next(self.tests / folder for folder in path.parents if (self.tests / folder).is_dir())
        files = {file for file in self._texts if folder in file.parents}
        return files & named or files

    def _of_the_app(self, path: Path) -> set[Path]:
        folders = {self.tests / path.parts[0], self.tests / "api"}
        return {file for file in self._texts if file.parent == self.tests or folders & set(file.parents)}

    def _nearest_importers(self, module: str) -> set[Path]:
        modules, seen = {module}, {module}
        while modules:
            if found := {path for path, names in self._imports.items() if names & modules}:
                return found
            modules = {name for name, names in self._product_imports.items() if names & modules} - seen
            seen |= modules
        return set()

    @cached_property
    def _texts(self) -> dict[Path, str]:
        return {path: path.read_text(encoding="utf-8") for path in self.tests.rglob("test_*.py")}

    @cached_property
    def _imports(self) -> dict[Path, frozenset[str]]:
        return {path: _imported(text) for path, text in self._texts.items()}

    @cached_property
    def _product_imports(self) -> dict[str, frozenset[str]]:
        paths = (path for app in APPS for path in (self.root / app).rglob("*.py") if "migrations" not in path.parts)
        return {_module_of(path.relative_to(self.root)): _imported(path.read_text(encoding="utf-8")) for path in paths}


def _module_of(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imported(text: str) -> frozenset[str]:
    """The modules that a file imports, and the full names that it takes from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return frozenset(found)


def _words(*names: str) -> re.Pattern[str]:
    """The names as identifiers, and as they stand in addresses and sentences."""
    long = [name.strip("_") for name in names if len(name) >= SHORTEST_NAME]
    return re.compile("|".join(rf"\b{re.escape(name).replace('_', '[_ -]')}\b" for name in long) or "(?!)")


def _kind(text: str) -> int:
    """0: pure code; 1: rows; 2: processes, sites, threads."""
    return 2 if SITES.search(text) else 1 if ROWS.search(text) else 0
