import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.llm.model import Reply
from threadmed.llm.providers import anthropic, google, openai
from threadmed.llm.providers.wire import clean, wait_s

NOW = "Wed, 21 Oct 2026 07:28:00 GMT"
LATER = "Wed, 21 Oct 2026 07:29:30 GMT"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "type", "text", "candidates", "parts"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5", "date": NOW}, 0.5),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": LATER, "date": NOW}, 90.0),
        ({"retry-after": NOW, "date": LATER}, 0.0),
        ({"retry-after": LATER}, None),
        ({"retry-after": "Wed, 21 Oct 2026 07:29:30 -0000", "date": NOW}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon", "date": NOW}, None),
        ({}, None),
    ],
)
def test_the_time_to_wait_is_read_or_left_open(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert wait_s(headers) == seconds


def test_a_message_is_one_short_line_without_the_key() -> None:
    text = clean("no\n\n  key sk-1 " + "x" * 1000, "sk-1")

    assert text.startswith("no key *** xxx")
    assert len(text) == 300


@given(JSON)
def test_no_body_brings_more_than_a_value_error(body: object) -> None:
    import json

    raw = json.dumps(body).encode()
    for read in (openai.read, anthropic.read, google.read):
        try:
            assert isinstance(read(raw), Reply)
        except ValueError:
            continue
