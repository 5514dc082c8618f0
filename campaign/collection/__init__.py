"""Topics and documents of a task: import, search, pages."""
