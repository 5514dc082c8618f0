"""Large pools in little memory: heads of runs in a file, and the pool drawn for some topics after the others."""
