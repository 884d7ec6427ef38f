"""Clinicians label questions and score answers, blind; the door is `serve`."""
