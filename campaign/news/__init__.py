"""Notices to those who take part, by page, feed and mail; the dates of a campaign and its calendar."""
