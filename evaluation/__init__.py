"""What the runs are worth: scores, leaderboards, the command."""
