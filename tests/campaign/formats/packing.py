"""Large gzip files of what repeats: the repeated part is packed once."""

import zlib

HEAD = b"\x1f\x8b\x08" + bytes(7)


def gzip_of_repeats(block: bytes, times: int, first: bytes = b"") -> bytes:
    """One gzip stream of `first` and `times` blocks. No block refers to the one before it, so that all have the same bytes."""
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    start = packer.compress(first) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = zlib.crc32(first)
    for _ in range(times):
        checksum = zlib.crc32(block, checksum)
    size = (len(first) + times * len(block)) % (1 << 32)
    ends = (number.to_bytes(4, "little") for number in (checksum, size))
    return b"".join((HEAD, start, packed * times, packer.flush(), *ends))


def make_bomb() -> bytes:
    """40 MiB of lines, of a few per mille that size."""
    return gzip_of_repeats((b"<" + b"0" * 254 + b"\n") * (4 << 10), 40)
