"""Where things are, whatever folder a test stands in."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
CRANFIELD = REPOSITORY.parent / "shared" / "data" / "cranfield"
"""A real collection with 15 runs, where there is one beside the checkout."""
