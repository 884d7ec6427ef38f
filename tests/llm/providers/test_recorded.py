"""Each recorded reply and each fault of each provider, through its SDK."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest

from asking import WIRES, ask, entry
from conftest import Server, Wire
from threadmed.errors import ModelError, ModelUnavailable
from threadmed.llm.model import RetryLater
from threadmed.records import Usage

REPLIES = Path(__file__).parents[2] / "servers" / "replies"

# What came in and out of most recorded replies.
USUAL = Usage(tokens_in=41, tokens_out=12)

OUTCOMES: Mapping[Wire, Mapping[str, tuple[str, str, str, Usage]]] = {
    "openai": {
        "length": (
            "truncated",
            "Take half a tablet with",
            "finish_reason length",
            Usage(tokens_in=41, tokens_out=512),
        ),
        "filter": (
            "blocked",
            "",
            "finish_reason content_filter",
            Usage(tokens_in=41, tokens_out=0),
        ),
        "refusal": ("blocked", "", "I can't go into doses for that.", USUAL),
        "empty": ("empty", "  ", "finish_reason stop", USUAL),
        "thinking": (
            "truncated",
            "",
            "finish_reason length",
            Usage(tokens_in=60, tokens_out=512, reasoning=512),
        ),
        "cached": (
            "answered",
            "Yes, that is fine.",
            "",
            Usage(tokens_in=2006, tokens_out=300, cached_in=1920, reasoning=256),
        ),
        # 150 in all, 50 of them in: 100 out, though it says 10.
        "apart": (
            "answered",
            "Yes, that is fine.",
            "",
            Usage(tokens_in=50, tokens_out=100, reasoning=90),
        ),
        "azure filter": ("blocked", "", "HTTP 400: ", Usage()),
        "invalid prompt": ("blocked", "", "HTTP 400: ", Usage()),
        "moderation": ("blocked", "", "HTTP 403: ", Usage()),
    },
    "anthropic": {
        "length": (
            "truncated",
            "Take half a tablet with",
            "stop_reason max_tokens",
            USUAL,
        ),
        "window": (
            "truncated",
            "Take half a",
            "stop_reason model_context_window_exceeded",
            USUAL,
        ),
        "refusal": ("blocked", "", "stop_reason refusal", USUAL),
        "empty": ("empty", "", "stop_reason end_turn", USUAL),
        "thinking": (
            "truncated",
            "",
            "stop_reason max_tokens",
            Usage(tokens_in=41, tokens_out=512, reasoning=512),
        ),
        # 21 + 188 + 1,800 went in.
        "cached": (
            "answered",
            "Yes, that is fine.",
            "",
            Usage(
                tokens_in=2009,
                tokens_out=300,
                cached_in=1800,
                cache_write=188,
                reasoning=250,
            ),
        ),
        "filter": ("blocked", "", "HTTP 400: ", Usage()),
    },
    "google": {
        "length": (
            "truncated",
            "Take half a tablet with",
            "finishReason MAX_TOKENS",
            USUAL,
        ),
        "thinking": (
            "truncated",
            "",
            "finishReason MAX_TOKENS",
            Usage(tokens_in=41, tokens_out=511, reasoning=511),
        ),
        "filter": ("blocked", "", "finishReason SAFETY", Usage(tokens_in=41)),
        "spii": ("blocked", "Her number is", "finishReason SPII", USUAL),
        "recitation": ("blocked", "", "finishReason RECITATION", Usage(tokens_in=41)),
        "prompt": (
            "blocked",
            "",
            "blockReason PROHIBITED_CONTENT",
            Usage(tokens_in=41),
        ),
        "empty": ("empty", "", "finishReason STOP", Usage(tokens_in=41)),
        "other": (
            "empty",
            "",
            "finishReason OTHER Something else went wrong.",
            Usage(tokens_in=41),
        ),
        # 50 of text and 250 of thoughts came out.
        "cached": (
            "answered",
            "Yes, that is fine.",
            "",
            Usage(tokens_in=2009, tokens_out=300, cached_in=1800, reasoning=250),
        ),
    },
}
"""Outcome, text, detail and usage of each recorded reply."""

Fate = Literal["later", "never", "broken"]
FATES: Mapping[Fate, type[Exception]] = {
    "later": RetryLater,
    "never": ModelUnavailable,
    "broken": ModelError,
}
EVERYWHERE: Mapping[str, tuple[Fate, str, float | None]] = {
    "drop": ("later", "isconnected", None),
    "half": ("later", "[Nn]ot enough data", None),
    "garbage": ("later", "the server's reply is no ", None),
    "html": ("later", "the server's reply is no .*<html>busy", None),
    "429": ("later", "HTTP 429: .*slow down", 0.2),
    "429 bare": ("later", "HTTP 429: ", None),
    "500": ("later", "HTTP 500: ", None),
    "502": ("later", "HTTP 502: ", None),
    "503": ("later", "HTTP 503: ", 1.0),
    "529": ("later", "HTTP 529: ", None),
    "400": ("never", "HTTP 400: .*temperature", None),
    "too long": ("never", "HTTP 400: ", None),
    "401": ("broken", r"m \(http://.*\): HTTP 40[01]: ", None),
    "403": ("broken", "HTTP 403: ", None),
    "404": ("broken", "HTTP 404: .*-9", None),
    "quota": ("broken", "HTTP 4..: .*(quota|credit)", None),
}
FAULTS: Mapping[Wire, Mapping[str, tuple[Fate, str, float | None]]] = {
    "openai": {**EVERYWHERE, "broke off": ("later", "the server broke off", None)},
    "anthropic": {
        **EVERYWHERE,
        "error as 200": ("later", "is no message .*overloaded_error", None),
        "limits": ("broken", "API usage limits", None),
        "402": ("broken", "HTTP 402: ", None),
        "413": ("never", "HTTP 413: ", None),
    },
    "google": {**EVERYWHERE, "504": ("later", "HTTP 504: ", None)},
}
"""What a fault comes to, the words that say so, and the seconds to wait."""


@pytest.mark.parametrize(
    ("wire", "name"), [(wire, name) for wire in WIRES for name in OUTCOMES[wire]]
)
def test_each_recorded_reply_is_the_outcome_that_it_is(
    servers: Mapping[Wire, Server], wire: Wire, name: str
) -> None:
    outcome, text, detail, usage = OUTCOMES[wire][name]

    reply = ask(entry(wire, servers[wire]), f"[{name}]")

    assert (reply.outcome, reply.text, reply.usage) == (outcome, text, usage)
    assert detail in reply.detail
    assert bool(detail) == bool(reply.detail)


@pytest.mark.parametrize(
    ("wire", "name"), [(wire, name) for wire in WIRES for name in FAULTS[wire]]
)
def test_each_fault_is_told_for_what_it_is_and_tried_only_once(
    servers: Mapping[Wire, Server], wire: Wire, name: str
) -> None:
    fate, words, after_s = FAULTS[wire][name]
    begun = servers[wire].count("requests")

    with pytest.raises(FATES[fate], match=words) as caught:
        ask(entry(wire, servers[wire]), f"[{name}]")

    assert caught.type is FATES[fate]
    assert getattr(caught.value, "after_s", None) == after_s
    assert servers[wire].count("requests") == begun + 1
    assert "\n" not in str(caught.value)


def test_every_recorded_reply_is_tested() -> None:
    for wire in WIRES:
        files = {path.stem.replace("-", " ") for path in (REPLIES / wire).iterdir()}

        assert files - set(OUTCOMES[wire]) - set(FAULTS[wire]) == set()
