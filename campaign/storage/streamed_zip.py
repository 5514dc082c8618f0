"""A zip that is made while it is sent: it is never held in memory or on disk."""

import hashlib
from collections.abc import Iterable, Iterator
from zlib import Z_BEST_SPEED

from zipstream import ZIP_DEFLATED, ZIP_STORED, ZipStream


class StreamedZip:
    """Each method is iterated for the bytes of its entry, one after the other; `end` comes last.

    `sums`: the SHA-256 and the name of each entry, for SHA256SUMS at the end.
    """

    def __init__(self) -> None:
        self._zip = ZipStream(compress_type=ZIP_STORED)
        self.sums: list[tuple[str, str]] = []

    def text(self, name: str, parts: Iterable[str]) -> Iterator[bytes]:
        digest = hashlib.sha256()

        def content() -> Iterator[bytes]:
            for part in parts:
                encoded = part.encode()
                digest.update(encoded)
                yield encoded

        yield from self.entry(name, content())
        self.sums.append((digest.hexdigest(), name))

    def entry(
        self, name: str, content: Iterable[bytes], *, size: int | None = None, is_packed: bool = False
    ) -> Iterator[bytes]:
        """`size` is a hint only: from 4 GB on the entry needs the wider fields. It adds nothing to `sums`."""
        packing = {} if is_packed else {"compress_type": ZIP_DEFLATED, "compress_level": Z_BEST_SPEED}
        self._zip.add(content, name, size=size, **packing)
        yield from self._zip.file()

    def end(self, folder: str = "") -> Iterator[bytes]:
        sums = "".join(f"{sha256}  {name.removeprefix(folder)}\n" for sha256, name in self.sums)
        yield from self.entry(f"{folder}SHA256SUMS", [sums.encode()])
        yield from self._zip.footer()
