"""One tiny call to each model."""

import asyncio
from collections.abc import Callable
from itertools import count

import pytest

from threadmed.errors import ModelError, StudyError
from threadmed.llm.model import ChatModel, Reply, Request, RetryLater, ScriptedModel
from threadmed.records import Model, Price, Usage
from threadmed.run.check import TINY, Checked, check

FREE = Price(input=0.0, output=0.0)


def entry(name: str, *, timeout_s: float = 5.0, price: Price | None = FREE) -> Model:
    return Model(
        name=name,
        model=f"openai:{name}-1",
        timeout_s=timeout_s,
        price=price,
        max_tokens=4_000,
    )


def checked(
    entries: list[Model], open_model: Callable[[Model], ChatModel]
) -> tuple[Checked, ...]:
    ticks = count()
    return asyncio.run(
        check(entries, open_model=open_model, timer=lambda: float(next(ticks)))
    )


def says(text: str) -> Callable[[Model], ChatModel]:
    return lambda entry: ScriptedModel(lambda _: text, identity=f"{entry.name}-2024")


def test_a_model_that_replies_is_ok() -> None:
    price = Price(input=2.0, output=4.0)

    (found,) = checked([entry("m", price=price)], says("ok"))

    assert found.is_ok
    assert (found.model, found.asked) == ("m", "openai:m-1")
    assert (found.outcome, found.served_by) == ("answered", "m-2024")
    assert found.latency_s == 1.0
    # "Reply with the word ok." has five words, and the reply one.
    assert found.cost_usd == pytest.approx((5 * 2.0 + 1 * 4.0) / 1e6)


def test_the_call_is_tiny_whatever_the_study_allows() -> None:
    opened: list[Model] = []
    models: list[ScriptedModel] = []

    def open_model(entry: Model) -> ChatModel:
        opened.append(entry)
        models.append(ScriptedModel(lambda _: "ok"))
        return models[-1]

    checked([entry("m")], open_model)

    assert [model.max_tokens for model in opened] == [16]
    assert models[0].requests == [TINY]


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (ModelError("m: HTTP 401:\nwrong key"), "m: HTTP 401: wrong key"),
        (RetryLater("HTTP 503: overloaded"), "HTTP 503: overloaded"),
    ],
)
def test_trouble_is_one_line_and_keeps_no_other_model_from_being_asked(
    cause: Exception, said: str
) -> None:
    def answer(_: Request) -> str:
        raise cause

    def open_model(entry: Model) -> ChatModel:
        return ScriptedModel(answer) if entry.name == "bad" else says("ok")(entry)

    bad, good = checked([entry("bad"), entry("good")], open_model)

    assert (bad.is_ok, bad.trouble) == (False, said)
    assert good.is_ok


def test_a_missing_key_is_trouble_of_that_model() -> None:
    def open_model(entry: Model) -> ChatModel:
        raise ModelError(f"{entry.name}: the environment has no KEY")

    (found,) = checked([entry("m")], open_model)

    assert found.trouble == "m: the environment has no KEY"


def test_a_model_that_does_not_reply_in_time_is_told() -> None:
    class Slow(ScriptedModel):
        async def chat(self, request: Request) -> Reply:
            await asyncio.sleep(5)
            return await super().chat(request)

    (found,) = checked([entry("m", timeout_s=0.01)], lambda _: Slow(lambda _: "late"))

    assert found.trouble == "no reply within 0.01 s"


def test_a_reply_that_is_cut_off_proves_the_key_all_the_same() -> None:
    cut = Reply(
        outcome="truncated", text="", usage=Usage(tokens_out=16), served_by="m-2024"
    )

    (found,) = checked([entry("m")], lambda _: ScriptedModel(lambda _: cut))

    assert (found.is_ok, found.outcome) == (True, "truncated")


def test_models_are_closed_whatever_came_of_it() -> None:
    closed: list[str] = []

    class Closing(ScriptedModel):
        async def close(self) -> None:
            closed.append(self.identity)

    def refuse(_: Request) -> str:
        raise RetryLater("busy")

    checked([entry("m")], lambda _: Closing(refuse, identity="it"))

    assert closed == ["it"]


def test_an_unknown_price_is_an_error_before_a_model_is_asked() -> None:
    model = ScriptedModel(lambda _: "ok")

    with pytest.raises(StudyError, match="no list price"):
        checked([entry("m", price=None)], lambda _: model)

    assert model.requests == []
