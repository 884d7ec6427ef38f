"""Clinicians label questions and score answers, blind.

`opening.open_ledger` draws what is rated, once, and opens the store; `serve.serve`
runs the pages, `kit` writes and merges files for those without a server, and `export`
writes the ratings tables.
"""
