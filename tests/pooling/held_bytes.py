"""python -m tests.pooling.held_bytes LINE: what reading pools of few and of many such lines holds at most, in bytes.

In a process of its own, where no other thread takes memory.
"""

import sys
import tracemalloc
from io import BytesIO

from pooling.core.files.read import PoolRules, read_pool


class SmallPieces(BytesIO):
    """A file that is read in pieces whose own memory does not show."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(4096)


def held_bytes(line: str, lines: int) -> int:
    content = SmallPieces("".join(f"{line.format(number)}\n" for number in range(lines)).encode())
    tracemalloc.start()
    read = read_pool(content, PoolRules(topics=frozenset({"1"}), docnos=frozenset({"b"})))
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read.problems.errors >= read.lines == lines
    return held


if __name__ == "__main__":
    print(*(held_bytes(sys.argv[1], lines) for lines in (2_000, 20_000)))
