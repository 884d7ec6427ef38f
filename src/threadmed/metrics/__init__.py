"""How well false beliefs are corrected, with honest intervals; the door is `measure`.

Pure: arrays in, estimates out. docs/methods.md has every formula and its source.
"""

from threadmed.metrics.estimates import Estimate, NotEstimable, Number
from threadmed.metrics.measure import measure
from threadmed.metrics.measurement import Measurement, MeasureOptions, SideBySide
from threadmed.metrics.modes import side_by_side

__all__ = [
    "Estimate",
    "MeasureOptions",
    "Measurement",
    "NotEstimable",
    "Number",
    "SideBySide",
    "measure",
    "side_by_side",
]
