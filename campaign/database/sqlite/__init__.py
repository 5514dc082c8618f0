"""The database backend of sites on SQLite."""
