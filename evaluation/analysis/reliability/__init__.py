"""How far the order of a board can be trusted: a report that a worker computes, as a page, pictures and JSON."""
