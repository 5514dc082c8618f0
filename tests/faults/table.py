"""The table of faults in `docs/reference/faults.md`, from what was seen."""

from collections.abc import Mapping
from pathlib import Path

from tests.faults.scene import Aftermath

BEGIN, END = "<!-- the table begins -->\n", "<!-- the table ends -->\n"
HEAD = ["fault", "failed tries", "all done after", "lost", "doubled", "wrong scores"]


def write_table(path: Path, seen: Mapping[str, tuple[str, Aftermath]]) -> None:
    """Put the table between its marks; the text around it stays."""
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = [HEAD, ["---"] * len(HEAD), *(_row(words, aftermath) for words, aftermath in seen.values())]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    path.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def _row(words: str, aftermath: Aftermath) -> list[str]:
    tries = ", ".join(f"{what} ({count})" for what, count in sorted(aftermath.seen.items())) or "none"
    counts = [str(len(found)) for found in (aftermath.lost, aftermath.doubled, aftermath.wrong)]
    return [words, tries, f"{aftermath.seconds:.0f} s", *counts]
