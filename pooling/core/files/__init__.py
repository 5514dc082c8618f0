"""Pool files that others made, read with every problem that they have."""
