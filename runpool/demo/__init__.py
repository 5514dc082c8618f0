"""The demo campaign, and the processes that `make demo` starts."""
