"""What made the numbers of several studies, and whether it is the same in them."""

import hashlib
from collections.abc import Callable, Mapping, Sequence

import msgspec

from threadmed.records import Record
from threadmed.study import RunManifest

Told = tuple[str, object]
"""What stands in a table, and what decides whether two are the same."""


class Aspect(Record, frozen=True, kw_only=True):
    """Something that decides numbers, in each of the studies."""

    name: str
    is_same: bool
    values: tuple[str, ...]
    """In short, one for each study; a hash is cut to its first digits."""


def aspects(manifests: Sequence[RunManifest]) -> tuple[Aspect, ...]:
    """Hold the studies against each other, aspect by aspect."""
    return tuple(
        Aspect(
            name=name,
            is_same=len({_key(tell(manifest)[1]) for manifest in manifests}) == 1,
            values=tuple(tell(manifest)[0] for manifest in manifests),
        )
        for name, tell in ASPECTS.items()
    )


def unlike(first: RunManifest, second: RunManifest) -> tuple[str, ...]:
    """List the aspects in which two studies differ, the targets themselves left out."""
    return tuple(
        aspect.name
        for aspect in aspects((first, second))
        if not aspect.is_same and aspect.name not in {"targets", "threadmed"}
    )


def _key(value: object) -> str:
    encoded = msgspec.json.encode(value, order="sorted")
    return hashlib.sha256(encoded).hexdigest()


def _short(sha256: str | None) -> str:
    return sha256[:8] if sha256 else "none"


def _threads(manifest: RunManifest) -> Told:
    return _short(manifest.threads_sha256), manifest.threads_sha256


def _selection(manifest: RunManifest) -> Told:
    select = manifest.study.select
    if select.thread_ids:
        return f"{len(select.thread_ids)} named", select
    if select.threads:
        # Who is drawn depends on the seed.
        return f"{select.threads} drawn", (select, manifest.study.seed)
    return "all", select


def _labels(manifest: RunManifest) -> Told:
    sha256, source = manifest.labels_sha256, manifest.label_source
    return (
        f"{source}, {_short(sha256)}" if sha256 else source,
        (sha256, source, manifest.study.identify),
    )


def _prompts(manifest: RunManifest) -> Told:
    used = {prompt.name: prompt.sha256 for prompt in manifest.prompts}
    shown = ", ".join(f"{name} {_short(used[name])}" for name in sorted(used))
    return shown or "none", used


def _asked(manifest: RunManifest) -> Told:
    answer = manifest.study.answer
    system = "a system prompt" if answer.system else "no system prompt"
    return f"{system}, at most {answer.max_tokens:,} tokens", answer


def _models(manifest: RunManifest, roles: frozenset[str]) -> Mapping[str, object]:
    return {
        model.name: (model.model, model.parameters)
        for model in manifest.models
        if roles.intersection(model.roles)
    }


def _targets(manifest: RunManifest) -> Told:
    study = manifest.study
    models = _models(manifest, frozenset({"target"}))
    return ", ".join(study.targets), (study.targets, models)


def _judges(manifest: RunManifest) -> Told:
    panel = manifest.study.panel
    models = _models(manifest, frozenset({"judge", "primary judge"}))
    return f"{', '.join(panel.judges) or 'none'}; {panel.rule}", (panel, models)


def _threadmed(manifest: RunManifest) -> Told:
    return manifest.threadmed, manifest.threadmed


ASPECTS: Mapping[str, Callable[[RunManifest], Told]] = {
    "threads": _threads,
    "selection of threads": _selection,
    "labels": _labels,
    "prompts": _prompts,
    "how targets are asked": _asked,
    "targets": _targets,
    "judges": _judges,
    "threadmed": _threadmed,
}
"""In the order of the page."""
