"""Encryption of stored parts: AES-256-GCM in frames, each bound to its place, its object's name and whether it is the last.

A frame that is changed, left out, moved or cut off does not open. The key of each object is made from the key file's and a salt.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MARK = b"runpool backup 1\n"
KEY_BYTES, SALT_BYTES, TAG_BYTES = 32, 16, 16
FRAME = 1 << 20
"""Bytes of a frame before its encryption; the last one may have fewer."""


class SealError(ValueError):
    """What was read is not what was sealed under this key and name, whole."""


def new_key() -> str:
    return base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).decode("ascii")


class Seal:
    """Seals and opens objects with the key of a key file (32 bytes in URL-safe base64)."""

    def __init__(self, key: str) -> None:
        try:
            self._key = base64.urlsafe_b64decode(key.strip())
        except (binascii.Error, ValueError) as problem:
            raise SealError("The key file holds no key. One is made by: manage.py backup --make-key FILE") from problem
        if len(self._key) != KEY_BYTES:
            raise SealError("The key file holds no key. One is made by: manage.py backup --make-key FILE")

    def name(self, plain: str) -> str:
        """Return the name under which an object is kept, which tells nothing of its content to who lacks the key."""
        return hmac.new(self._derived(b"names", b""), plain.encode(), sha256).hexdigest()

    def sealed_size(self, size: int) -> int:
        """The bytes of an object of `size` bytes after its encryption."""
        frames = max(1, -(-size // FRAME))
        return len(MARK) + SALT_BYTES + size + frames * TAG_BYTES

    def sealed(self, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        salt = secrets.token_bytes(SALT_BYTES)
        cipher = self._cipher(salt)
        yield MARK + salt
        number, frames = 0, _frames(chunks)
        frame = next(frames, b"")
        for following in frames:
            yield cipher.encrypt(_nonce(number, is_last=False), frame, name.encode())
            number, frame = number + 1, following
        yield cipher.encrypt(_nonce(number, is_last=True), frame, name.encode())

    def opened(self, name: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the content; SealError before anything of a frame that is not as it was sealed."""
        head, rest = _head(chunks, len(MARK) + SALT_BYTES)
        if not head.startswith(MARK) or len(head) < len(MARK) + SALT_BYTES:
            raise SealError(f"{name} is not encrypted as a part of a backup, or is cut")
        cipher = self._cipher(head[len(MARK) :])
        number, frames = 0, _frames(rest, FRAME + TAG_BYTES)
        frame = next(frames, b"")
        for following in frames:
            yield _decrypt(cipher, _nonce(number, is_last=False), frame, name)
            number, frame = number + 1, following
        yield _decrypt(cipher, _nonce(number, is_last=True), frame, name)

    # cryptography takes 8 MB: not of web servers, which import this for their page of backups and seal nothing.
    def _cipher(self, salt: bytes) -> AESGCM:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(self._derived(b"content", salt))

    def _derived(self, purpose: bytes, salt: bytes) -> bytes:
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=salt or None, info=b"runpool " + purpose).derive(
            self._key
        )


def _decrypt(cipher: AESGCM, nonce: bytes, frame: bytes, name: str) -> bytes:
    from cryptography.exceptions import InvalidTag

    try:
        return cipher.decrypt(nonce, frame, name.encode())
    except InvalidTag as problem:
        raise SealError(f"{name} was changed or cut, or this is not its key") from problem


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + (b"\x01" if is_last else b"\x00")


def _frames(chunks: Iterable[bytes], size: int = FRAME) -> Iterator[bytes]:
    """Cut a stream into pieces of the size, the last one shorter; an empty stream gives none."""
    held = bytearray()
    for chunk in chunks:
        held += chunk
        while len(held) >= size:
            yield bytes(held[:size])
            del held[:size]
    if held:
        yield bytes(held)


def _head(chunks: Iterable[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    held, rest = b"", iter(chunks)
    while len(held) < size and (chunk := next(rest, None)) is not None:
        held += chunk

    def remaining() -> Iterator[bytes]:
        if len(held) > size:
            yield held[size:]
        yield from rest

    return held[:size], remaining()
