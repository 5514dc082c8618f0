"""The database backend of sites on PostgreSQL."""
