"""Archives: a campaign or a task as one zip, and an archive as a campaign again.

`contents`: what is kept, table by table. `rows`, `names`: a row as a line of JSON and back. `zips`,
`manifest`: the file. `services`: making, checking, restoring.
"""
