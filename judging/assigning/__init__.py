"""Who judges which topics: by hand, by a plan, or as assessors take them."""
