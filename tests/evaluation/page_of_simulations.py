"""The numbers of docs/reference/significance.md, for tests of the sentences that name them."""

from benchmarks.kinds_of_boards import TOPICS
from tests.places import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "significance.md"


def boards_with_a_wrong_difference(kind: str) -> dict[int, float]:
    """Percent of the boards of this kind, by number of topics, by the default test."""
    section = (
        PAGE.read_text(encoding="utf-8")
        .partition("## The default test on boards of many kinds")[2]
        .partition("\n## ")[0]
    )
    (row,) = [line for line in section.splitlines() if line.startswith(f"| {kind} |")]
    cells = [float(cell.partition("%")[0]) for cell in row.strip("|").split("|")[1:]]
    return dict(zip(TOPICS, cells, strict=True))
