"""What goes wrong with stored files."""

from pathlib import Path

from django.core.files.storage import default_storage


def place(name: str) -> Path:
    return Path(default_storage.path(name))


def damage(name: str, *, byte: int = 0) -> None:
    """Flip a bit of one byte of a stored file: its size stays."""
    content = bytearray(place(name).read_bytes())
    content[byte] ^= 1
    place(name).write_bytes(content)
