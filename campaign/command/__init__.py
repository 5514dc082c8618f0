"""What the programs of the command line have in common: streams, signals, files, options, exit statuses. No Django."""
