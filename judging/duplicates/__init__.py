"""Near-identical documents of a pool, and how they are judged."""
