import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.privacy.ages import HUNDREDS, NINETIES
from threadmed.dataset.privacy.scrub import scrub_line


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("92 years old", "90+ years old"),
        ("a 95-year-old woman", "a 90+-year-old woman"),
        ("92 y/o, 93yo, 94 y.o., 95 yr old", "90+ y/o, 90+yo, 90+ y.o., 90+ yr old"),
        ("92yoF, 101 years of age", "90+yoF, 90+ years of age"),
        ("92F here, (95M), 93F", "90+F here, (90+M), 90+F"),
        ("F92, M/91", "F90+, M/90+"),
        ("aged 91, age: 93, age 94", "aged 90+, age: 90+, age 90+"),
        ("aged 92+ and well", "aged 90+ and well"),
        ("I'm 91.", "I'm 90+."),
        ("I am 91 and well", "I am 90+ and well"),
        ("Grandma is 97, she turned 97", "Grandma is 90+, she turned 90+"),
        ("ninety-two years old", "90+ years old"),
    ],
)
def test_an_age_over_89_becomes_90_plus(text: str, scrubbed: str) -> None:
    assert scrub_line(text) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "89 years old, 19F, 190 years old",
        "95 kg, 98.6, O2 sat 95, 95 %, BP 120/95, 110 mg",
        "I'm 95 kg and she was 120 pounds",
        "I'm 100% sure, I'm 98 days in, I'm 95 percent there",
        "temp 99F, a fever of 101F, it hit 102 F",
        "101 F by day, it was 101F, HR 90 F, T 99F at night, LDL 92 M, weight 95 M",
        "95 F (35 C)",
        "98.6F, 100M sperm, count 90M",
        "diagnosis F92, ICD F90, F92.1",
        "aged 100 days, age 95 months, ages 90-95",
        "ninety days, ninety percent",
        "stage 92, page 93, 94 tablets, 1995 and 1,092 years old",
        "90+ years old",
    ],
)
def test_other_numbers_over_89_stay(text: str) -> None:
    assert scrub_line(text) == text


OLD = re.compile(r"(?:9[0-9]|1[0-2][0-9])(?![0-9])")


@given(st.text("0123459 x.", max_size=20))
def test_two_patterns_find_what_one_for_all_numbers_over_89_would(text: str) -> None:
    found = sorted(
        match.span()
        for pattern in (NINETIES, HUNDREDS)
        for match in pattern.finditer(text)
    )

    assert found == [match.span() for match in OLD.finditer(text)]
