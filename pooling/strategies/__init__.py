"""Runs in, ordered pools out: one module a method, listed in the registry."""
