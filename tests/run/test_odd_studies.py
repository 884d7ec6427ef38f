"""Studies that lack a part, from a plan to their files."""

import asyncio
import itertools
from pathlib import Path

from study_factory import STUDY, Scripts, write_study
from threadmed.run import run
from threadmed.run.plan import plan
from threadmed.store import read_scores

UNJUDGED = STUDY.partition("[panel]")[0]


def test_a_study_without_judges_is_planned_and_answered(tmp_path: Path) -> None:
    folder, scripts = write_study(tmp_path, text=UNJUDGED), Scripts()

    made = asyncio.run(plan(folder, open_model=scripts.open))
    ticks = itertools.count()
    manifest = asyncio.run(
        run(
            folder,
            open_model=scripts.open,
            clock=lambda: float(next(ticks)),
            progress=lambda *_: None,
        )
    )

    assert {row.stage for row in made.rows} == {"identify", "answer"}
    assert made.to_pay.calls == sum(spend.calls for spend in manifest.spend)
    assert not manifest.complete
    assert {row.outcome for row in read_scores(folder.scores)} == {"pending"}
