"""What organisers set up: campaigns, tasks, people, agreements, the schedule."""
