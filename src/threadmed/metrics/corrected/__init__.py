"""Rates with the judges' errors taken out; the door is `correct`."""
