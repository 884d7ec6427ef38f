import pytest

from threadmed.metrics.panel.families import FAMILIES, Family, family


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai:gpt-4o", "OpenAI"),
        ("openai:gpt-5-mini-2025-08-07", "OpenAI"),
        ("openai:ft:gpt-4o-mini:acme::abc", "OpenAI"),
        ("o3-mini", "OpenAI"),
        ("openrouter:openai/gpt-oss-120b", "OpenAI"),
        ("anthropic:claude-sonnet-4-5", "Anthropic"),
        ("inspect:bedrock/us.anthropic.claude-3-5-sonnet-v2:0", "Anthropic"),
        ("google:gemini-2.5-flash", "Google"),
        ("openai:google/medgemma-27b-it", "Google"),
        ("openrouter/meta-llama/llama-3.3-70b-instruct", "Meta"),
        ("openai:meta-llama/Llama-3.3-70B-Instruct-Turbo", "Meta"),
        ("ollama:llama3:8b", "Meta"),
        ("openai:mistralai/Mixtral-8x7B", "Mistral"),
        ("Qwen/QwQ-32B", "Qwen"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "DeepSeek"),
        ("openai:x-ai/grok-4", "xAI"),
        ("cohere/command-r-plus:free", "Cohere"),
        ("microsoft/Phi-4", "Microsoft"),
        ("embedded:smollm2-135m", "SmolLM"),
        ("EleutherAI/gpt-neo-2.7B", "EleutherAI"),
        ("openrouter/anthropic/something-new", "Anthropic"),
        ("google:something-new", "Google"),
        ("openrouter:deepseek/llama-3-8b", "Meta"),
    ],
)
def test_a_model_is_its_makers_whoever_serves_it(model: str, name: str) -> None:
    assert family(model) == Family(name, is_known=True)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai:our-own-model", "our-own-model"),
        ("inspect:mockllm/model", "model"),
        ("ollama:zephyr", "zephyr"),
        ("philosopher-7b", "philosopher-7b"),
        ("", ""),
    ],
)
def test_an_unknown_model_is_a_family_of_its_own(model: str, name: str) -> None:
    assert family(model) == Family(name, is_known=False)


def test_each_family_has_one_row() -> None:
    names = [name for name, _, _ in FAMILIES]

    assert len(names) == len(set(names))
