"""A study inside Inspect AI, and a study's results in Inspect's log viewer.

`tasks` is what Inspect finds under the name threadmed; `export` writes its logs. Both
need the extra threadmed[inspect] and are imported only when they are used.
"""
