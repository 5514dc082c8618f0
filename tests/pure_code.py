"""What is pure code: the import contract says it, and whoever asks reads it there."""

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.places import REPOSITORY

WITH_TABLES = ("campaign", "pooling", "judging", "evaluation")
APPS = (*WITH_TABLES, "runpool")
_CONTRACTS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
    "contracts"
]
LAYERS: list[str] = _CONTRACTS[0]["layers"]
"""The apps from the top to the bottom."""
PURE: list[str] = next(contract["source_modules"] for contract in _CONTRACTS if contract["type"] == "forbidden")
"""The packages and modules of pure code; the one list of them stands in the contract."""


def sources(*modules: str) -> Iterator[Path]:
    for module in modules:
        folder = REPOSITORY.joinpath(*module.split("."))
        found = folder.rglob("*.py") if folder.is_dir() else [folder.with_suffix(".py")]
        yield from (path for path in found if "migrations" not in path.parts)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")


def nodes(path: Path, *words: str) -> Iterator[ast.AST]:
    """The syntax of a module, if its text has one of the words."""
    text = path.read_text(encoding="utf-8")
    if any(word in text for word in words):
        yield from ast.walk(ast.parse(text))


@cache
def _imports(path: Path) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in nodes(path, "import ") if isinstance(node, (ast.Import, ast.ImportFrom))]


def imported(path: Path) -> Iterator[str]:
    """The modules that a module imports."""
    for node in _imports(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif node.module:
            yield node.module


@cache
def taken(path: Path) -> frozenset[str]:
    """The full names that a module imports from others, as `judging.core.resolution.resolve`."""
    found = (node for node in _imports(path) if isinstance(node, ast.ImportFrom) and node.module)
    return frozenset(f"{node.module}.{alias.name}" for node in found for alias in node.names)


@dataclass(frozen=True)
class Function:
    name: str
    has_example: bool


def functions(path: Path) -> Iterator[Function]:
    """The public functions of a module, by their full names."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield Function(f"{module_of(path)}.{node.name}", ">>> " in (ast.get_docstring(node) or ""))


def doors(pure: str) -> Iterator[Function]:
    """The functions of a pure package that somebody outside it imports."""
    own = set(sources(pure))
    asked = {name for path in sources(*APPS) if path not in own for name in taken(path)}
    for path in sorted(own):
        yield from (function for function in functions(path) if function.name in asked)
