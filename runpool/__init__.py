"""The site: what knows all apps. Nothing is imported here, since files are scored without Django."""
