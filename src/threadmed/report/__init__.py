"""Writes what a study found: one page, and its tables and figures as files."""
