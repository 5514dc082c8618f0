"""Users, their settings and their tokens for the API."""
