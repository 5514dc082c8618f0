"""Pages that look closer at a board: two runs, one run, one topic, pictures of all. Each is a room with its own addresses."""
