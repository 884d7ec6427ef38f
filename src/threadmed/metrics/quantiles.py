"""How far from the middle the limits of an interval lie, in standard errors."""


def normal_quantile(level: float) -> float:
    """Give z, so that a standard normal lies within -z..z with probability `level`.

    Args:
        level: In (0, 1).

    Raises:
        ValueError: If it is not.

    Example:
        >>> round(normal_quantile(0.95), 6)
        1.959964
    """
    from scipy.special import ndtri

    return float(ndtri(_upper(level)))


def t_quantile(level: float, df: int) -> float:
    """Give the same for Student's t.

    Args:
        level: In (0, 1).
        df: Degrees of freedom, 1 or more.

    Raises:
        ValueError: If either is not.

    Example:
        >>> round(t_quantile(0.95, 9), 6)
        2.262157
    """
    from scipy.special import stdtrit

    if df < 1:
        raise ValueError(f"expected at least 1 degree of freedom, got {df!r}")
    return float(stdtrit(df, _upper(level)))


def _upper(level: float) -> float:
    """Give the share that lies below the upper limit."""
    if not 0 < level < 1:
        raise ValueError(f"expected a level between 0 and 1, got {level!r}")
    return 0.5 + level / 2


def t_factor(level: float, df: int) -> float:
    """Give (z/t_df)^2, by which few threads make fewer of an effective number.

    Args:
        level: In (0, 1).
        df: Degrees of freedom, 1 or more.

    References:
        Korn and Graubard (1998).

    Example:
        >>> round(t_factor(0.95, 9), 6)
        0.750673
    """
    return (normal_quantile(level) / t_quantile(level, df)) ** 2
