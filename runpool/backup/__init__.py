"""The whole site as files: backups, their restoration, and moving to another database and storage.

`rows`: the rows of all tables, the same whatever the database product. `sealing`: encryption. `targets`: where backups lie, and
`buckets`: such a place in a bucket. `manifest`: what a backup says of itself. `making`, `restoring`, `moving`: the three acts.
"""
