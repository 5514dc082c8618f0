"""Which documents are judged: pools, frozen from runs by a strategy."""
