"""The desk: what one assessor sees and judges, saves and takes back."""
