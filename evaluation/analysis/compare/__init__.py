"""Two runs of a board, topic by topic and document by document."""
