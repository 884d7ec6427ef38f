"""One module a section; each says what it shows, or None where there is nothing."""
