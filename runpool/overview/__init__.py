"""Pages that show several rooms at once: home, a campaign, a task."""
