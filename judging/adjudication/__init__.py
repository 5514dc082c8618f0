"""Documents on which assessors disagree, and decisions about them."""
