import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.threads.links import SLASH, URL, WWW, without_links, without_urls


@given(st.from_regex(URL))
def test_every_address_holds_a_sign_by_which_it_is_found(text: str) -> None:
    assert WWW.search(text) or SLASH.search(text)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("see HTTP://x.org/a there", "see  there"),
        ("see https:///x there", "see  there"),
        ("Www.x.org is it", " is it"),
        ("r/AskDocs/COMMENTS/abc was mine", " was mine"),
        ("bbc.co.uk/a has it", " has it"),
        ("x.be/a has it", " has it"),
        ("x.info/a has it", " has it"),
        ("it is 120/80 now. a.m./p.m. w/o and/or 24/7", None),
        ("wow. now. r/AskDocs", None),
    ],
)
def test_addresses_go_and_what_only_looks_like_one_stays(
    text: str, bare: str | None
) -> None:
    assert without_urls(text) == (text if bare is None else bare)


def test_a_link_in_a_link_leaves_the_words_of_both() -> None:
    assert without_links("[a [b](/x) c](/y) d") == "a b c d"
    assert without_links("[![x](/i.png) y](/z)") == " y"
