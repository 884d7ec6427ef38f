import pytest

from threadmed.dataset.privacy.scrub import scrub_line


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("mail jo.doe+x@mail.example.org.", "mail [e-mail]."),
        ("jo at gmail dot com", "[e-mail]"),
        ("jo [at] clinic [dot] org", "[e-mail]"),
        ("jo(at)gmail.com or JO AT GMAIL.COM", "[e-mail] or [e-mail 2]"),
        ("ask u/jo_doe or /u/Jo-Doe2, please", "ask [user] or [user 2], please"),
        ("(u/jo_doe)", "([user])"),
        (r"u/jo\_doe and _u/foo1_", "[user] and [user 2]"),
        ("see /user/jodoe, user/jodoe", "see [user], [user]"),
        ("thanks u/l-jones", "thanks [user]"),
        (r"@jo\_doe or @jo.doe.", "[handle] or [handle 2]."),
        ("@jo_doe knows", "[handle] knows"),
        ("my insta is jo.doe99", "my insta is [handle]"),
        ("Username: jodoe7!", "Username: [handle]!"),
        ("add JoDoe#1234", "add [handle]"),
        ("r/AskDocs/comments/abc123/title/d/", "[link]"),
        ("see https://x.org/abc).", "see [link])."),
        (
            "at HTTP://X.ORG/a and www.x.org, imgur.com/a",
            "at [link] and [link 2], [link 3]",
        ),
    ],
)
def test_an_address_is_replaced(text: str, scrubbed: str) -> None:
    assert scrub_line(text) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "20 u/day of insulin, 0.5 u/kg, 10 U/mL",
        "ferritin 12 @ 6 weeks",
        "takes 1/2 tablet w/ food, 3x/day, and/or rest",
        "I looked at drugs.com, at WebMD.com and at Gmail",
        "posted on r/AskDocs and r/medicine",
        "twitter is full of it, discord is down, kik!",
        "lot #1234, room #1234",
        "polka dot rash at night; a dot on my arm",
        "a :// face, :-/",
    ],
)
def test_medicine_holds_signs_that_are_no_address(text: str) -> None:
    assert scrub_line(text) == text
