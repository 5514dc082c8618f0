"""Practice for newcomers: documents with known grades, which count nowhere."""
