import pytest

from threadmed.dataset.privacy.known import Known
from threadmed.dataset.privacy.scrub import scrub_line

KNOWN = Known(times=frozenset({1558096496}))
"""2019-05-17 12:34:56 UTC."""


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("call 555-234-5678", "call [phone]"),
        ("call 212-555-0187 now", "call [phone] now"),
        # Not given out by the telephone companies, and yet written as a number is.
        ("it is 555-123-4567, or 155-234-5678", "it is [phone], or [phone 2]"),
        ("call (212) 555-0187", "call [phone]"),
        ("call +44 20 7946 0958", "call [phone]"),
        ("call 020 7946 0958", "call [phone]"),
        ("2125550187 or 212 555 0187", "[phone] or [phone]"),
        ("my phone number is 555-0187", "my phone number is [phone]"),
        ("SSN 123-45-6789", "SSN [number]"),
        ("card 4111 1111 1111 1111", "card [number]"),
        ("amex 3782-822463-10005", "amex [number]"),
        ("chart 12345678, 1234567890123", "chart [number], [number 2]"),
        ("MRN 4711, MRN: 12-345-678", "MRN [number], MRN: [number 2]"),
        ("Policy number is AB4711", "Policy number is [number]"),
        ("account #12345, case # 4711", "account #[number], case # [number 2]"),
        ("1558096497", "[number]"),
        ("192.168.0.1 and 1.2.3.4", "[ip] and [ip 2]"),
        ("2001:db8::ff00:42:8329", "[ip]"),
        ("fe80:0:0:0:1:2:3:4,", "[ip],"),
    ],
)
def test_a_number_that_is_somebody_s_is_replaced(text: str, scrubbed: str) -> None:
    assert scrub_line(text) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "BP 120/80, pulse 72, TSH 0.4-4.0",
        "WBC 4500-11000, platelets 150,000-400,000",
        "RBC 4,500,000 or 4500000, platelets 250000",
        "viral load 1234567 copies/ml, 1500001 IU",
        "on 2021-05-17 and 05/17/2021, at 12:34:56",
        "ICD 10: M54.5; NPI none",
        "PMID 12345678, PMID: 7654321, NCT01234567",
        "3.14159265 and 0.0000001",
        "doses 10 20 30 40 50 60 70, kcal 1800 1900 2000 2100",
        "glasses +1.25 -0.50 180, +2.25 175 2020",
        "took 300-1000 mg, T cells 200-1000",
        "300.1.2.3, v1.2.3, 1.2.3.4.5",
        "ratio 1:2:3, 10:20:30:40, a::b::c, ::1",
        "card 4111 1111 1111 1112",
    ],
)
def test_numbers_of_medicine_stay(text: str) -> None:
    assert scrub_line(text, known=KNOWN) == text


@pytest.mark.parametrize(
    "text",
    [
        "1558096496",
        "1558096496000",
        "2019-05-17T12:34:56Z",
        "2019-05-17 12:34:56",
        "2019-05-17, 12:34:56 UTC",
        "2019-05-17_12:34:56",
        "2019-05-17t12:34:56+02:00",
        "2019-05-17T14:34:56.250+02:00",
    ],
)
def test_a_time_of_the_thread_s_records_is_replaced(text: str) -> None:
    assert scrub_line(f"at {text}, I", known=KNOWN) == "at [time], I"


@pytest.mark.parametrize(
    "text", ["2019-05-17 12:34:57", "2019-19-39 12:34:56", "2019-05-17T14:34:57+02:00"]
)
def test_other_moments_stay(text: str) -> None:
    assert scrub_line(text, known=KNOWN) == text
