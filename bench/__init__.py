"""Measurements of threadmed, printed as figures and ratios of one run."""
