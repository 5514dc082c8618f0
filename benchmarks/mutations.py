"""Small faults in source text, each at an exact place: what `benchmarks.mutants` puts into the product, one at a time."""

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
BOOLEANS: dict[type[ast.boolop], tuple[str, str]] = {ast.And: ("and", "or"), ast.Or: ("or", "and")}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
}
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}
LOGGERS = {"logger", "log", "logging"}
STRINGS_KEPT = 8
"""Of so many changes of a string, one: most strings are words that no test should repeat."""


@dataclass(frozen=True)
class Unit:
    """A function or method with its decorators, or a statement outside of them; `name` is that of the function or class."""

    name: str
    text: str
    line: int


@dataclass(frozen=True)
class Mutation:
    """`start`, `end`: in the bytes of the file. `offset`: the line in the unit, counted from 0; `text`: that whole line."""

    file: str
    unit: Unit
    line: int
    column: int
    start: int
    end: int
    operator: str
    before: str
    after: str
    text: str

    @property
    def offset(self) -> int:
        return self.line - self.unit.line

    @property
    def place(self) -> tuple[str, ...]:
        """The same line wherever the unit stands in its file."""
        return self.file, self.unit.name, str(self.offset), self.text

    @property
    def key(self) -> tuple[str, ...]:
        return *self.place, str(self.column), self.operator, self.before, self.after


@dataclass(frozen=True)
class Change:
    start: int
    end: int
    operator: str
    after: str


class Source:
    """The bytes of a file and where its nodes stand in them: `ast` counts columns in bytes."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> str:
        return self.source[self.start(node) : self.end(node)].decode()

    def line_of(self, place: int) -> int:
        return self.source.count(b"\n", 0, place) + 1

    def column_of(self, place: int) -> int:
        return place - self._starts[self.line_of(place) - 1]

    def between(self, left: ast.expr, right: ast.expr, symbol: str) -> tuple[int, int] | None:
        """Where the operator between two operands stands, whatever brackets are around them."""
        begin, gap = self.end(left), self.source[self.end(left) : self.start(right)].decode()
        found = re.search(re.escape(symbol).replace(r"\ ", r"\s+"), gap)
        return (begin + found.start(), begin + found.end()) if found and "#" not in gap and gap.isascii() else None


def units(source: bytes) -> Iterator[tuple[Unit, ast.stmt]]:
    file = Source(source)
    yield from _units(file, ast.parse(source).body, "")


def _units(file: Source, statements: list[ast.stmt], within: str) -> Iterator[tuple[Unit, ast.stmt]]:
    for node in statements:
        if isinstance(node, ast.ClassDef):
            yield from _units(file, node.body, f"{within}{node.name}.")
            continue
        functions = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        name = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else ""
        decorators = node.decorator_list if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        text = b"".join(file.lines[first - 1 : node.end_lineno]).decode() if functions else file.text(node)
        yield Unit(within + name, text, first), node


def mutations(name: str, source: bytes) -> Iterator[Mutation]:
    """All that can be put into the file, in its order."""
    file = Source(source)
    for unit, node in units(source):
        for change in _changes(file, node):
            line = file.line_of(change.start)
            mutation = Mutation(
                name, unit, line, file.column_of(change.start), change.start, change.end, change.operator,
                source[change.start : change.end].decode(), change.after, file.lines[line - 1].decode().strip(),
            )  # fmt: skip
            if change.operator != "string" or int(_digest(*mutation.key), 16) % STRINGS_KEPT == 0:
                yield mutation


def applied(source: bytes, mutation: Mutation) -> bytes:
    assert source[mutation.start : mutation.end].decode() == mutation.before, "the file is another"
    return source[: mutation.start] + mutation.after.encode() + source[mutation.end :]


def changes_the_code(source: bytes, mutation: Mutation) -> bool:
    try:
        changed = ast.parse(applied(source, mutation))
    except SyntaxError:
        return False
    return ast.dump(changed) != ast.dump(ast.parse(source))


def common(found: Iterable[Mutation], others: Mapping[str, bytes]) -> Iterator[Mutation]:
    """Those whose unit has the same text in the file of the same name among the others."""
    known = {name: {(unit.name, unit.text) for unit, _ in units(source)} for name, source in others.items()}
    return (one for one in found if (one.unit.name, one.unit.text) in known.get(one.file, ()))


def draw(found: Iterable[Mutation], sources: Mapping[str, bytes], seed: int, count: int) -> list[Mutation]:
    """Lines by lot, and one mutation of each, by lot.

    A lot depends on the seed and the line alone: a longer list begins with the shorter one, and lines that are added to the
    product move no others.
    """
    lines: dict[tuple[str, ...], list[Mutation]] = defaultdict(list)
    for mutation in found:
        lines[mutation.place].append(mutation)
    drawn: list[Mutation] = []
    for place in sorted(lines, key=lambda place: _digest(str(seed), *place)):
        if len(drawn) == count:
            break
        choices = sorted(lines[place], key=lambda mutation: _digest(str(seed), *mutation.key))
        drawn += [one for one in choices if changes_the_code(sources[one.file], one)][:1]
    return drawn


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def _changes(file: Source, node: ast.AST) -> Iterator[Change]:
    if _says_nothing(node):
        return
    yield from _own_changes(file, node)
    for child in _children(node):
        yield from _changes(file, child)


def _says_nothing(node: ast.AST) -> bool:
    """Whether nothing of it shows while the product runs, or only in a log."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.JoinedStr():  # Python 3.11 does not know places within f-strings
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]) | ast.AnnAssign(value=None):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case ast.Subscript(value=ast.Name(id="Literal")) | ast.Call(func=ast.Name(id="TypeVar" | "NewType")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name in LOGGERS:
            return True
        case ast.Expr(value=ast.Call() as call):
            return _says_nothing(call)
    return False


def _children(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Call(func=ast.Name(id="cast"), args=[_, value]):
            yield value
            return
        case ast.Call(func=ast.Name(id="dataclass")):
            return
        case ast.keyword(arg="strict", value=ast.Constant()):  # zip's assertion that nothing breaks
            return
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_comment"}:
            continue
        yield from (child for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST))


def _own_changes(file: Source, node: ast.AST) -> Iterator[Change]:  # noqa: C901
    match node:
        case ast.Compare():
            for (left, right), operator in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
                yield from _swapped(file, left, right, "comparison", COMPARISONS[type(operator)])
        case ast.BoolOp():
            for left, right in pairwise(node.values):
                yield from _swapped(file, left, right, "and/or", BOOLEANS[type(node.op)])
        case ast.BinOp(left=left, right=right) if type(node.op) in ARITHMETIC and not _texts(left, right):
            yield from _swapped(file, left, right, "arithmetic", ARITHMETIC[type(node.op)])
        case ast.AugAssign(target=target, value=value) if type(node.op) in ARITHMETIC and not _texts(value):
            before, after = ARITHMETIC[type(node.op)]
            yield from _swapped(file, target, value, "arithmetic", (f"{before}=", f"{after}="))
        case ast.UnaryOp(op=ast.Not()):
            text = file.text(node)
            yield Change(file.start(node), file.end(node), "not dropped", re.sub(r"^not\s*", "", text))
        case ast.Constant(value=bool() as value):
            yield _replaced(file, node, "True/False", str(not value))
        case ast.Constant(value=int() as value):
            yield _replaced(file, node, "integer + 1", str(value + 1))
        case ast.Constant(value=str() as value):
            yield _replaced(file, node, "string", repr(f"{value}x"))
        case ast.Expr(value=ast.Call()):
            yield _replaced(file, node, "call removed", "pass")
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield _replaced(file, value, "return None", "None")
        case ast.Call(func=ast.Name(id=name) as function) if name in SWAPPED:
            yield _replaced(file, function, "min/max, any/all", SWAPPED[name])
        case ast.Call(func=ast.Attribute(attr=name) as function) if name in SWAPPED:
            end = file.end(function)
            yield Change(end - len(name), end, "min/max, any/all", SWAPPED[name])
    for test in _conditions(node):
        if not _negated_otherwise(test):
            yield _replaced(file, test, "condition negated", f"not ({file.text(test)})")


def _swapped(file: Source, left: ast.expr, right: ast.expr, operator: str, words: tuple[str, str]) -> Iterator[Change]:
    before, after = words
    if place := file.between(left, right, before):
        yield Change(*place, operator, after)


def _replaced(file: Source, node: ast.expr | ast.stmt, operator: str, after: str) -> Change:
    return Change(file.start(node), file.end(node), operator, after)


def _texts(*nodes: ast.expr) -> bool:
    """Texts can be added and nothing else: another operator would be no fault that anybody makes."""
    return any(isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
               for node in nodes)  # fmt: skip


def _conditions(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            return [node.test]
        case ast.comprehension():
            return node.ifs
    return []


def _negated_otherwise(test: ast.expr) -> bool:
    """By another operator: a `not` that is dropped, `==` for `!=`."""
    match test:
        case ast.UnaryOp(op=ast.Not()) | ast.Constant():
            return True
        case ast.Compare(ops=[operator]):
            return not isinstance(operator, ORDERS)
    return False
