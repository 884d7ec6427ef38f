"""Writes numbers for a terminal."""

from threadmed.metrics.estimates import Estimate, Number


def percent(number: Number) -> str:
    """Write a rate in percent with its interval and n, or why there is none."""
    return _written(number, scale=100, digits=1)


def plain(number: Number) -> str:
    """Write a mean with its interval and n."""
    return _written(number, scale=1, digits=2)


def points(number: Number) -> str:
    """Write a difference of rates in points."""
    return _written(number, scale=100, digits=1, sign="+", unit=" points,")


def _written(
    number: Number, *, scale: int, digits: int, sign: str = "", unit: str = ""
) -> str:
    if not isinstance(number, Estimate):
        counted = "" if number.hits is None else f"{number.hits} of {number.n}, "
        return f"- ({counted}{number.reason})"
    value, low, high = (
        f"{scale * each:{sign}z.{digits}f}"
        for each in (number.value, number.low, number.high)
    )
    flag = f", {number.flag}" if number.flag else ""
    return f"{value} [{low}, {high}]{unit} n = {number.n}{flag}"
