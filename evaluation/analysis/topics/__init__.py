"""The topics of a board: how difficult each is, which tell runs apart, what was found for them."""
