"""The file of Python by which teams check their runs at home."""
