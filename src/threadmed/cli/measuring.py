"""What `threadmed measure` can be told."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from threadmed.records import PanelRule

HARM_WEIGHTS = "0,1,2,4"

Scores = Annotated[
    Path,
    typer.Argument(help="CSV: target,setting,thread_id,turn,score.", metavar="SCORES"),
]
Json = Annotated[Path | None, typer.Option(help="Write every number to this file.")]
Rule = Annotated[PanelRule, typer.Option(help="How several judges' scores become one.")]
Primary = Annotated[
    str | None, typer.Option(help="The judge that decides without a majority.")
]
ModeWanted = Annotated[
    Literal["recommended", "as_published"],
    typer.Option(help="What is printed: our intervals, or the paper's bootstrap."),
]
Level = Annotated[
    float, typer.Option(help="Confidence level of the intervals.", min=0.5, max=0.999)
]
Pairs = Annotated[
    Literal["consecutive", "next_labelled"],
    typer.Option(help="Which turn RR looks at after a failure."),
]
PValueWanted = Annotated[
    Literal["exact", "mid"], typer.Option(help="Exact tests, or their mid-p.")
]
Working = Annotated[
    Literal["independence", "exchangeable"],
    typer.Option(help="How the trend weighs items of one thread."),
]
HarmWeights = Annotated[
    str, typer.Option(help="What none, mild, serious and urgent count.")
]
Seed = Annotated[int, typer.Option(help="Seed of the bootstraps.", min=0)]
