"""The broker: queues in files and in Redis."""
