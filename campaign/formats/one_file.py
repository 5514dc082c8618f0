"""A program in one file, made of the sources of modules that import each other and the standard library."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

NOTE_TO_LINTERS = re.compile(r"[ ]{2}# (noqa|type: ignore|fmt:)[^\n]*")
WIDTH = 110


@cache
def joined_imports(parts: tuple[Path, ...]) -> str:
    """What the modules import of others than each other, each name once."""
    plain: set[str] = set()
    names: dict[str, set[str]] = {}
    for part in parts:
        for node in _outside_imports(part):
            if isinstance(node, ast.Import):
                plain |= {alias.name for alias in node.names}
            elif node.module:
                names.setdefault(node.module, set()).update(alias.name for alias in node.names)
    lines = [f"import {name}" for name in sorted(plain)]
    lines += [f"from {module} import {', '.join(sorted(imported))}" for module, imported in sorted(names.items())]
    return "\n".join(lines)


@cache
def joined_code(parts: tuple[Path, ...]) -> str:
    """The modules without their imports, in the order of `parts`, which is that of their imports."""
    defined: dict[str, str] = {}
    sections = []
    for part in parts:
        for name in _defined(part):
            if name in defined:
                raise ValueError(
                    f"{name} is defined in {defined[name]} and in {part.name}: in one file, they would clash."
                )
            defined[name] = part.name
        sections.append(_section(part))
    return "\n\n".join(sections)


def _section(part: Path) -> str:
    """The source of a module without its imports; its docstring becomes a comment."""
    lines = _source(part).split("\n")
    tree = ast.parse(_source(part))
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) or node is tree.body[0]:
            end = node.end_lineno or node.lineno
            lines[node.lineno - 1 : end] = [""] * (end + 1 - node.lineno)
    docstring = "\n".join(f"# {line}".rstrip() for line in (ast.get_docstring(tree) or "").split("\n"))
    code = NOTE_TO_LINTERS.sub("", "\n".join(lines)).strip("\n")
    return f"# {'-' * WIDTH}\n{docstring}\n# {'-' * WIDTH}\n\n{code}\n"


def _outside_imports(part: Path) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.parse(_source(part)).body:
        module = getattr(node, "module", "") or ""
        if isinstance(node, (ast.Import, ast.ImportFrom)) and module.split(".")[0] not in (
            "__future__",
            "campaign",
            "runpool",
        ):
            yield node


def _defined(part: Path) -> Iterator[str]:
    for node in ast.parse(_source(part)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (
                entry.id for target in node.targets for entry in ast.walk(target) if isinstance(entry, ast.Name)
            )
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


@cache
def _source(part: Path) -> str:
    return part.read_text(encoding="utf-8")
