"""`python -m evaluation components`: variance components, and topics for a reliable order, from files."""
