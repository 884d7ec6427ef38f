"""The passes over a dump: what each does, and where its work is done."""
