"""A study's results for other tools: tables, a folder for a hub, preference pairs."""
