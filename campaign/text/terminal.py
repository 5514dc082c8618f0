"""What programs print, on terminals and pipes of any encoding. Standard library only, Python 3.9 or newer."""

from __future__ import annotations

import sys


def escape_unencodable() -> None:
    """Let both standard streams print escapes such as \\u0142 for characters that their encoding lacks.

    Without it the first name with such a letter ends the program, when what it did is done already.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
