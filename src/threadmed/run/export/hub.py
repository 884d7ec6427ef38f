"""Writes folders that `datasets.load_dataset` reads: results, or preference pairs."""

from collections.abc import Callable, Iterable
from pathlib import Path

from threadmed.errors import InputError
from threadmed.records import Record
from threadmed.run.export.cards import Config, pairs_card, results_card
from threadmed.run.export.held_out import HeldOut, hold_out
from threadmed.run.export.preferences import Pairs, Rule, preference_pairs
from threadmed.run.export.results import read_results
from threadmed.run.export.tables import tables, write_table
from threadmed.store import write_json, write_parquet, write_records, write_text
from threadmed.study import Folder

CARD = "README.md"


class Held(Record, frozen=True, kw_only=True):
    """What a folder of preference pairs came to."""

    pairs: Pairs
    held: HeldOut


def export_hub(folder: Folder, out: Path, *, words: bool = True) -> list[Path]:
    """Write a study's results as a folder for the Hugging Face hub.

    Args:
        folder: A study that has been run.
        out: A new folder, or one that such an export wrote.
        words: Whether the words of patients and physicians are written.

    Returns:
        The files, the card last.

    Raises:
        InputError: If the study has not been run, or `out` holds anything else.
    """
    found = read_results(folder)
    writers: dict[str, tuple[Callable[[Path], None], int]] = {}
    for table in tables(found, words=words):
        if table.name == "turns":
            continue
        writers[table.name] = (
            lambda path, table=table: write_table(path, table),  # type: ignore[misc]
            len(table.rows),
        )
    if words:
        threads = list(found.threads.values())
        writers["threads"] = (
            lambda path: write_parquet(path, threads),
            len(threads),
        )
    _refuse_others(out, (f"{name}.parquet" for name in EVERY))
    for name in EVERY:
        if name not in writers:
            (out / f"{name}.parquet").unlink(missing_ok=True)
    paths = []
    for name, (write, _) in writers.items():
        paths.append(out / f"{name}.parquet")
        write(paths[-1])
    configs = [
        Config(name=name, path=f"{name}.parquet", split="test", rows=rows)
        for name, (_, rows) in writers.items()
        if rows  # the library takes an empty subset for a mistake
    ]
    write_text(out / CARD, results_card(found, configs, words=words))
    return [*paths, out / CARD]


EVERY = (
    "items", "labels", "answers", "verdicts", "scores", "interventions", "threads",
)  # fmt: skip


def export_preferences(
    folder: Folder, out: Path, *, held_out: str, seed: int | None, rule: Rule
) -> Held:
    """Write preference pairs of the threads that are not held out.

    Args:
        folder: A study that has been run.
        out: A new folder, or one that such an export wrote.
        held_out: A share or a file; see held_out.hold_out.
        seed: Of the draw and the hashes; None is the study's.
        rule: Which two answers make a pair.

    Returns:
        What was written: `train.jsonl`, `held-out.json` and the card.

    Raises:
        InputError: If the study has not been run, nothing is held out, nothing makes
            a pair, or `out` holds anything else.
    """
    found = read_results(folder)
    names = list(found.threads)
    held, record = hold_out(
        names, by=held_out, seed=found.study.seed if seed is None else seed
    )
    pairs = preference_pairs(found, held=held, rule=rule)
    if not pairs.train:
        raise InputError(
            f"{folder.scores}: no two answers to one question after the same messages, "
            f"outside of the {len(held)} threads held out, have scores that make a pair"
        )
    _refuse_others(out, ("train.jsonl", "held-out.json"))
    write_records(out / "train.jsonl", pairs.train)
    write_json(out / "held-out.json", record)
    config = Config(
        name="default", path="train.jsonl", split="train", rows=len(pairs.train)
    )
    write_text(out / CARD, pairs_card(found, [config], pairs=pairs, held=record))
    return Held(pairs=pairs, held=record)


def _refuse_others(out: Path, known: Iterable[str]) -> None:
    """Refuse a folder with other files: a hub's library would read them too.

    Raises:
        InputError: Names the first of them.
    """
    ours = {*known, CARD}
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is there already and is no folder")
    strangers = sorted(p.name for p in out.iterdir()) if out.is_dir() else []
    for name in strangers:
        if name not in ours and not name.startswith("."):
            raise InputError(
                f"{out}: holds {name}, which is not of this export; give a new folder"
            )
