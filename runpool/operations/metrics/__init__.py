"""What Prometheus reads under /metrics: requests as the processes of this machine count them, all else from the database."""
