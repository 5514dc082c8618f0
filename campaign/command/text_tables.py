"""Tables as lines of text."""

from collections.abc import Iterator, Sequence


def aligned(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Yield lines of equal columns: texts stand left, columns of numbers right."""
    cells = [list(head), *([f"{value:,}" if isinstance(value, int) else str(value) for value in row] for row in rows)]
    columns = range(len(head))
    widths = [max(len(row[column]) for row in cells) for column in columns]
    is_text = [any(not row[column][:1].isdigit() for row in cells[1:]) for column in columns]
    for row in cells:
        pads = [str.ljust if text else str.rjust for text in is_text]
        padded = [pad(cell, width) for pad, cell, width in zip(pads, row, widths, strict=True)]
        yield "  ".join(padded).rstrip()
