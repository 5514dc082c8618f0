"""The database: its clock, its errors, rows that it holds and nobody can read, and the back ends that sites use."""
