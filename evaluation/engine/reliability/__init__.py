"""How far the result of a collection can be trusted: arrays in, arrays out, an analysis a module."""
