"""Documents of growing pools, which are handed out while they are judged."""
