"""Calls to language models that are never lost and never paid twice."""
