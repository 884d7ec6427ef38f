from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from dump_factory import built, post, talk
from threadmed.dataset.privacy.recognise import Result, presidio, recogniser
from threadmed.dataset.privacy.scrub import NOTHING, Span, scrub_turns
from threadmed.errors import InputError
from threadmed.records import Turn


class Engine:
    """Stands for presidio's: finds the words that it is told of."""

    def __init__(self, **kinds: str) -> None:
        self.kinds = kinds

    def analyze(self, text: str, language: str, entities: list[str]) -> list[Result]:
        assert (language, entities) == ("en", ["PERSON", "LOCATION"])
        return [
            SimpleNamespace(
                entity_type=kind,
                start=text.index(word),
                end=text.index(word) + len(word),
            )
            for word, kind in self.kinds.items()
            if word in text
        ]


class Broken:
    def analyze(self, text: str, language: str, entities: list[str]) -> list[Result]:
        raise ValueError(f"no {language} for {entities} in {text}")


def modules(*, models: list[str]) -> Callable[[str], ModuleType]:
    """Stand for an installed presidio that cannot begin."""
    found = {"presidio_analyzer": ModuleType("presidio_analyzer")}
    found["spacy"] = ModuleType("spacy")
    vars(found["spacy"])["util"] = SimpleNamespace(get_installed_models=lambda: models)
    return found.__getitem__


def test_people_and_places_become_spans_in_the_order_of_the_text() -> None:
    recognise = recogniser(Engine(Oslo="LOCATION", Anna="PERSON", May="DATE_TIME"))

    assert recognise("Anna in Oslo in May") == [
        Span(0, 4, "name"),
        Span(8, 12, "place"),
    ]


def test_blanks_around_a_name_are_no_part_of_it() -> None:
    engine = Engine(**{" Anna\n": "PERSON", "  ": "PERSON"})

    assert recogniser(engine)("ask Anna\nor  bob") == [Span(4, 8, "name")]


@pytest.mark.parametrize("word", ["losartan", "ER", "L5-S1", "Doc", "COVID"])
def test_what_can_be_no_name_is_refused(word: str) -> None:
    assert recogniser(Engine(**{word: "PERSON"}))(f"my {word} hurts") == []


def test_what_is_recognised_is_replaced_beside_what_rules_find() -> None:
    recognise = recogniser(Engine(Anna="PERSON", Oslo="LOCATION", Lee="PERSON"))
    (turn,) = scrub_turns(
        [Turn(question="Dr. Lee knows Anna of Oslo", answer=None)],
        known=NOTHING,
        words=(),
        recognise=recognise,
        counts=Counter(),
    )

    assert turn.question == "Dr. [name] knows [name 2] of [place]"


def test_a_failing_engine_is_an_error_in_one_line() -> None:
    with pytest.raises(
        InputError, match=r"^looking for names with presidio: no en for"
    ):
        recogniser(Broken())("x")


def test_a_missing_package_is_told_with_the_line_that_installs_it() -> None:
    def load(name: str) -> ModuleType:
        raise ImportError(name)

    with pytest.raises(InputError, match=r"pip install 'threadmed\[presidio\]'"):
        presidio(load=load)


def test_a_missing_model_is_told_with_the_line_that_installs_it() -> None:
    with pytest.raises(
        InputError, match=r"one of en_core_web_lg, .* spacy download en_core_web_lg"
    ):
        presidio(load=modules(models=["de_core_news_sm"]))


def test_a_presidio_that_cannot_begin_is_an_error_in_one_line() -> None:
    with pytest.raises(InputError, match=r"^starting presidio with en_core_web_sm: "):
        presidio(load=modules(models=["en_core_web_sm"]))


@pytest.mark.filterwarnings("ignore")  # of the libraries under presidio
def test_the_real_presidio_finds_a_name_and_a_place() -> None:
    text = "My friend Anna Smith from Oslo has a cough."

    assert [(text[s.start : s.end], s.kind) for s in presidio()(text)] == [
        ("Anna Smith", "name"),
        ("Oslo", "place"),
    ]


@pytest.mark.filterwarnings("ignore")  # of the libraries under presidio
def test_a_build_takes_what_presidio_finds_out_of_its_texts(tmp_path: Path) -> None:
    comments = talk()
    comments[1]["body"] = "My friend Anna Smith from Oslo has a cough. How long?"
    for names, question in (
        ("rules", "My friend Anna Smith from Oslo has a cough. How long?"),
        ("presidio", "My friend [name] from [place] has a cough. How long?"),
    ):
        _, threads = built(tmp_path, [post()], comments, names=names)

        assert threads[0].turns[1].question == question
