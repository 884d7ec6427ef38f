"""Items written as threads: labelled turns and their scores; None is unscored."""

from collections.abc import Mapping

import numpy as np

from threadmed.metrics.items import Items


def items(*threads: Mapping[int, int | None]) -> Items:
    """Set threads as columns, in their order."""
    rows = [
        (code, turn, np.nan if score is None else score)
        for code, thread in enumerate(threads)
        for turn, score in thread.items()
    ]
    columns = np.array(rows, dtype=float).reshape(-1, 3)
    return Items(
        threads=columns[:, 0].astype(np.int64),
        turns=columns[:, 1].astype(np.int64),
        scores=columns[:, 2],
        is_scored=~np.isnan(columns[:, 2]),
    )
