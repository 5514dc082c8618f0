"""Archives: a campaign or a task as one zip, and an archive as a campaign again.

`registry`: what is kept, declared table by table by each app. `rows`, `names`: a row as a line of JSON and back. `zips`,
`manifest`: the file. `services`: making, checking, restoring.
"""
