"""Which models come from the same maker; the table is data.

A judge may favour answers of its own family. What counts is whose model it is, not
through whom it is reached.
"""

import re
from typing import NamedTuple

FAMILIES: tuple[tuple[str, str, str], ...] = (
    ("OpenAI", "openai", r"gpt(?!-(?:j|neo))|chatgpt|o[1-9](?!\d)|codex|davinci"),
    ("Anthropic", "anthropic", r"claude"),
    ("Google", "google", r"gemini|gemma|medgemma|palm|med-palm|text-bison|chat-bison"),
    ("Meta", "meta-llama|meta|facebook", r"llama|codellama|opt-\d"),
    (
        "Mistral",
        "mistralai|mistral",
        r"mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|biomistral",
    ),
    ("Qwen", "qwen|alibaba", r"qwen|qwq|qvq"),
    ("DeepSeek", "deepseek-ai|deepseek", r"deepseek"),
    ("xAI", "x-ai|xai", r"grok"),
    ("Cohere", "cohere|cohereforai|coherelabs", r"command|c4ai|aya"),
    ("Microsoft", "microsoft", r"phi|orca|mai-ds"),
    ("SmolLM", "huggingfacetb", r"smollm|smolvlm"),
    ("Amazon", "amazon", r"nova|titan"),
    ("NVIDIA", "nvidia", r"nemotron"),
    ("Zhipu", "z-ai|zai-org|thudm", r"glm|chatglm"),
    ("Moonshot", "moonshotai", r"kimi|moonshot"),
    ("Allen AI", "allenai", r"olmo|tulu"),
    ("IBM", "ibm|ibm-granite", r"granite"),
    ("TII", "tiiuae", r"falcon"),
    ("AI21", "ai21", r"jamba|jurassic"),
    ("01.AI", "01-ai", r"yi-"),
    ("MiniMax", "minimax|minimaxai", r"minimax"),
    ("EleutherAI", "eleutherai", r"gpt-(?:j|neo)|pythia"),
)
"""Name of the family, its organisations, and how names of its models begin.

Both are regular expressions in small letters; an organisation must match as a whole.
"""

MAKERS = {"anthropic": "Anthropic", "google": "Google"}
"""Providers that serve nobody's models but their own; many speak as `openai` does."""


class Family(NamedTuple):
    """Whose model it is."""

    name: str
    is_known: bool
    """Whether the table has it; if not the model is a family of its own."""


_MODELS = [
    (name, re.compile(rf"(?<![a-z0-9])(?:{models})(?![a-z])"))
    for name, _, models in FAMILIES
]
_ORGANISATIONS = [(name, re.compile(makers)) for name, makers, _ in FAMILIES]


def family(model: str) -> Family:
    """Say which family a model belongs to.

    The name of the model decides first, from the last part of its path backwards; in a
    part the word that comes first, so that a distilled model is its maker's. Then the
    organisation in the path, then a provider that has no models but its own.

    Args:
        model: As in `openai:gpt-4o`, `openrouter/meta-llama/llama-3.3-70b-instruct` or
            a bare name.

    Returns:
        A family of the model's own name where the table does not know it.

    Example:
        >>> family("openai:gpt-4o"), family("openai:meta-llama/Llama-3.3-70B")
        (Family(name='OpenAI', is_known=True), Family(name='Meta', is_known=True))
        >>> family("openai:our-own-model")
        Family(name='our-own-model', is_known=False)
    """
    whole = model.strip().lower()
    parts = [part for part in re.split(r"[:/]", whole) if part]
    path = whole.rpartition(":")[2] if "/" not in whole else whole.partition(":")[2]
    organisations = (path or whole).split("/")[:-1]
    named = [_by_model(part) for part in reversed(parts)]
    named += [_by_organisation(part) for part in reversed(organisations)]
    named.append(MAKERS.get(whole.partition(":")[0]))
    for name in named:
        if name is not None:
            return Family(name, is_known=True)
    return Family(parts[-1] if parts else model, is_known=False)


def _by_model(part: str) -> str | None:
    """Give the family whose name comes first in a part of a path."""
    found = [
        (match.start(), name)
        for name, models in _MODELS
        if (match := models.search(part)) is not None
    ]
    return min(found)[1] if found else None


def _by_organisation(part: str) -> str | None:
    return next(
        (name for name, makers in _ORGANISATIONS if makers.fullmatch(part)), None
    )
