"""The README.md of an exported folder: a header for hubs, then a card for people."""

import re
from collections.abc import Iterator, Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from threadmed.dataset.datasheet import plain, size_class
from threadmed.records import Labelled, Record
from threadmed.run.export.held_out import HeldOut
from threadmed.run.export.preferences import Pairs
from threadmed.run.export.results import Results


class Config(Record, frozen=True, kw_only=True):
    """A subset that `datasets.load_dataset` knows by name, its file and its rows."""

    name: str
    path: str
    split: str
    rows: int


def results_card(found: Results, configs: Sequence[Config], *, words: bool) -> str:
    """Write the card of a study's results.

    Args:
        found: The study.
        configs: The subsets in the folder, the default one first.
        words: Whether the words of patients and physicians are among them.
    """
    return _card("results.md.j2", found, configs, words=words)


def pairs_card(
    found: Results, configs: Sequence[Config], *, pairs: Pairs, held: HeldOut
) -> str:
    """Write the card of a folder of preference pairs."""
    return _card("preferences.md.j2", found, configs, pairs=pairs, held=held)


def _card(
    template: str, found: Results, configs: Sequence[Config], **more: object
) -> str:
    environment = Environment(
        loader=PackageLoader("threadmed.run.export"),
        undefined=StrictUndefined,
        # Markdown, not HTML: names are made plain below.
        autoescape=False,  # noqa: S701
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["plain"] = plain
    study, manifest = found.study, found.manifest
    text = environment.get_template(template).render(
        study=study,
        manifest=manifest,
        configs=configs,
        size=size_class(max((each.rows for each in configs), default=0)),
        labelled=tuple(_sources(found)),
        decides=manifest.label_source,
        coverage=_coverage(found),
        models=manifest.models,
        **more,
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def _sources(found: Results) -> Iterator[str]:
    """Say whose labels there are, and how many."""
    for source in sorted({label.source for label in found.labels}):
        theirs = [label for label in found.labels if label.source == source]
        yes = sum(
            isinstance(label, Labelled) and label.misconception for label in theirs
        )
        yield f"{plain(source)}: {len(theirs):,} labels, {yes:,} with a misconception"


def _coverage(found: Results) -> str:
    scored = sum(row.score is not None for row in found.rows)
    return f"{scored:,} of {len(found.rows):,} items have a score"
