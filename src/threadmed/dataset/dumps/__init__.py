"""From the bytes of dump files to posts and comments in one form."""
