"""What a web server keeps between requests, and how it takes uploads."""
