"""Near-identical texts: found by MinHash, measured exactly, put together in classes."""
