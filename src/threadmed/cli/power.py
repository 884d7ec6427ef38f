"""`threadmed power`: its options, and what it does once they are parsed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from threadmed.metrics.planning.prospect import Wish

Scores = Annotated[
    Path | None, typer.Option(help="A pilot's table of scores, as for measure.")
]
Items = Annotated[int | None, typer.Option(help="Items that both sides answer.")]
Threads = Annotated[int | None, typer.Option(help="Threads that hold them.")]
Turns = Annotated[float | None, typer.Option(help="Labelled turns of a thread.")]
Discordant = Annotated[
    float | None, typer.Option(help="Share of items that differ between the sides.")
]
Deff = Annotated[
    float | None, typer.Option(help="Design effect of the differences, 1 or more.")
]
Comparisons = Annotated[int, typer.Option(help="Comparisons that Holm adjusts.")]
Power = Annotated[float, typer.Option(help="Wished chance to see a difference.")]
Difference = Annotated[
    float | None, typer.Option(help="Paired difference to be seen, as 0.05.")
]
HalfWidth = Annotated[
    float | None, typer.Option(help="Half the width that an interval may have.")
]
Rate = Annotated[float, typer.Option(help="PCR that is expected.")]
Sensitivity = Annotated[float, typer.Option(help="Of the judges, against experts.")]
Specificity = Annotated[float, typer.Option(help="Of the judges, against experts.")]
Simulate = Annotated[
    int, typer.Option(help="Studies to simulate; 0 for formulas alone.")
]
Seed = Annotated[int, typer.Option(help="Seed of the simulation.")]
Json = Annotated[Path | None, typer.Option(help="Write every number to this file.")]


def run_power(wish: "Wish", *, scores: Path | None, json: Path | None) -> None:
    """Plan a study, print what it can see, and write all of it where asked."""
    if {scores, wish.items, wish.threads, wish.difference} == {None}:
        raise typer.BadParameter(
            "say how large the study is: --items, --threads, --scores, or a --difference "
            "to be seen"
        )
    from threadmed.cli.commands import say
    from threadmed.cli.prospects import lines
    from threadmed.judgements.scores import panel_scores
    from threadmed.metrics.planning.plan import plan_study
    from threadmed.store import read_scores, write_json

    pilot = (
        panel_scores(
            read_scores(scores), rule="majority", primary=None, table=str(scores)
        )
        if scores
        else []
    )
    planned = plan_study(wish, scores=pilot)
    for line in lines(planned):
        say(line)
    if json is not None:
        write_json(json, planned)
        say(f"{json}: every number")
