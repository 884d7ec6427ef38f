from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.census import without_names
from threadmed.dataset.manifest import RoleCount
from threadmed.dataset.privacy.known import Known
from threadmed.dataset.privacy.scrub import scrub_line

EVERYBODY = Known(
    accounts=frozenset({"Jo_Doe", "x9", "nurse", "-x-", "a1b2c3"}),
    ids=frozenset({"k2j4h1", "654321", "7"}),
    times=frozenset({1558096496, 12, 7}),
)
PIECES = [*EVERYBODY.accounts, *EVERYBODY.ids, *map(str, EVERYBODY.times)]
FLAIRS = st.lists(st.sampled_from([*PIECES, "RN", "JO", " ", "_", "[", "5551234567"]))


def flairs(*those: str, everybody: Known = EVERYBODY) -> list[str]:
    census = [RoleCount(flair=flair, role="lay", comments=1) for flair in those]
    return [row.flair for row in without_names(census, everybody)]


def test_names_that_are_no_words_and_times_are_taken_out() -> None:
    assert flairs("RN jo_doe", "nurse x9", "at 1558096496", "k2j4h1, 654321") == [
        "RN [user]",
        "nurse [user]",
        "at [time]",
        "[id], 654321",
    ]


@given(st.lists(FLAIRS.map("".join), max_size=3))
def test_only_names_that_are_nowhere_are_passed_over(those: list[str]) -> None:
    low = "\n".join(those).lower()
    kept = Known(
        accounts=frozenset(n for n in EVERYBODY.accounts if not n.isalpha()),
        ids=frozenset(n for n in EVERYBODY.ids if not n.isdigit()),
        times=frozenset(time for time in EVERYBODY.times if str(time) in low),
    )

    assert flairs(*those) == [scrub_line(flair, known=kept) for flair in those]
