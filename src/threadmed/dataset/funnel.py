"""Counts what every step takes away, so that nothing is lost without a word."""

from collections import Counter

from threadmed.dataset.manifest import FunnelStep, Step, Unit


class Funnel:
    """The rows of the paper's Figure 2, written down as the build goes."""

    def __init__(self) -> None:
        self.rows: list[FunnelStep] = []

    def step(self, name: Step, unit: Unit, count: int, dropped: Counter[str]) -> int:
        """Write down what came into a step and what each reason took.

        Args:
            name: The step.
            unit: What is counted.
            count: How many came in.
            dropped: How many went, by reason; of each thing the first reason counts.

        Returns:
            How many are left.

        Example:
            >>> funnel = Funnel()
            >>> funnel.step("keep posts", "posts", 10, Counter(removed=2, bot=1))
            7
            >>> [(row.reason, row.dropped, row.posts) for row in funnel.rows]
            [('', 0, 10), ('removed', 2, 8), ('bot', 1, 7)]
        """
        self._row(name, "", unit, dropped=0, left=count)
        for reason, times in sorted(dropped.items(), key=lambda item: (-item[1], item)):
            count -= times
            self._row(name, reason, unit, dropped=times, left=count)
        return count

    def _row(
        self, name: Step, reason: str, unit: Unit, *, dropped: int, left: int
    ) -> None:
        self.rows.append(
            FunnelStep(
                step=name,
                reason=reason,
                unit=unit,
                dropped=dropped,
                posts=left if unit == "posts" else None,
                comments=left if unit == "comments" else None,
                threads=left if unit == "threads" else None,
            )
        )
