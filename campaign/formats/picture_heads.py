"""PURE: kind and size of a picture by its first bytes, for pictures that people upload. Nothing is decoded."""

from dataclasses import dataclass

PNG, JPEG, WEBP = "image/png", "image/jpeg", "image/webp"
SUFFIXES = {PNG: ".png", JPEG: ".jpg", WEBP: ".webp"}
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers of JPEG that begin a frame, which tells the size."""


@dataclass(frozen=True, slots=True)
class PictureHead:
    content_type: str
    width: int
    height: int


def picture_head(content: bytes) -> PictureHead | None:
    """None for anything but a PNG, JPEG or WebP whose head is complete.

    >>> picture_head(b"<svg xmlns='http://www.w3.org/2000/svg'/>") is None
    True
    """
    if content.startswith(b"\x89PNG\r\n\x1a\n") and content[12:16] == b"IHDR" and len(content) >= 24:
        return PictureHead(PNG, _big(content[16:20]), _big(content[20:24]))
    if content.startswith(b"\xff\xd8\xff"):
        return _jpeg(content)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP" and len(content) >= 30:
        return _webp(content)
    return None


def _jpeg(content: bytes) -> PictureHead | None:
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        marker, length = content[at + 1], _big(content[at + 2 : at + 4])
        if marker in _FRAMES:
            return PictureHead(JPEG, width=_big(content[at + 7 : at + 9]), height=_big(content[at + 5 : at + 7]))
        if length < 2:
            return None
        at += 2 + length
    return None


def _webp(content: bytes) -> PictureHead | None:
    kind = content[12:16]
    if kind == b"VP8X":
        return PictureHead(WEBP, _little(content[24:27]) + 1, _little(content[27:30]) + 1)
    if kind == b"VP8 " and content[23:26] == b"\x9d\x01\x2a":
        return PictureHead(WEBP, _little(content[26:28]) & 0x3FFF, _little(content[28:30]) & 0x3FFF)
    if kind == b"VP8L" and content[20] == 0x2F:
        bits = _little(content[21:25])
        return PictureHead(WEBP, (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    return None


def _big(number: bytes) -> int:
    return int.from_bytes(number, "big")


def _little(number: bytes) -> int:
    return int.from_bytes(number, "little")
