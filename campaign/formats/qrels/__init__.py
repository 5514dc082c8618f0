"""Relevance judgments: the table and its file, and reading of files by others."""
