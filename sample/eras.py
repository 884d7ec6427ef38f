"""Which keys a record of a dump has, and in which type, by the month it is from.

Reddit and its archives changed the layout many times; `layouts.json` lists the keys
that carry nothing here, and the functions those whose value or type matters.
"""

from pathlib import Path
from typing import Literal

import msgspec
from forum import Comment, Post, draw

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# Ending of an archive's own copy: from here on its keys are in alphabetical order.
SORTED_FROM = "2023-04"


class Key(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key with one value, from a month to a month."""

    key: str
    value: bool | int | float | str | list[str] | dict[str, str] | None
    since: str = msgspec.field(name="from", default="0000-00")
    until: str = "9999-99"


class Layouts(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of both kinds of record."""

    submission: tuple[Key, ...]
    comment: tuple[Key, ...]


LAYOUTS = msgspec.json.decode(
    (Path(__file__).parent / "layouts.json").read_bytes(), type=Layouts
)


def plain_keys(kind: Literal["submission", "comment"], month: str) -> dict[str, Json]:
    """Give the keys that carry nothing in that month."""
    keys = LAYOUTS.submission if kind == "submission" else LAYOUTS.comment
    return {
        key.key: msgspec.to_builtins(key.value)
        for key in keys
        if key.since <= month <= key.until
    }


def in_order(record: dict[str, Json], month: str) -> dict[str, Json]:
    """Order the keys as the archive of that month did."""
    return dict(sorted(record.items())) if month >= SORTED_FROM else record


def written(second: int, month: str, key: str) -> Json:
    """Give created_utc: text until 2015-11, both in 2015-02, a number afterwards."""
    as_text = month < "2015-12" and not (month == "2015-02" and draw(key, 2))
    return str(second) if as_text else second


def edited(item: Post | Comment, second: int, month: str) -> Json:
    """Give `edited`: false or a moment, which is a float in some years."""
    if not item.edited:
        return False
    moment = second + 3_600
    return float(moment) if "2021-02" <= month <= "2023-03" else moment


def retrieved(second: int, month: str, *, is_comment: bool) -> dict[str, Json]:
    """Say when the archive fetched the record, under the name that it used then."""
    moment = second + 90_000
    if is_comment:
        other = "2021-02" <= month <= "2021-06"
        return {"retrieved_utc" if other else "retrieved_on": moment}
    if month < "2020-05" or month > "2022-06":
        return {"retrieved_on": moment}
    if month <= "2021-06":
        return {"retrieved_utc": moment}
    return {"retrieved_on": moment, "retrieved_utc": moment}


def author_keys(
    author: str, flair: str | None, month: str, *, is_comment: bool
) -> dict[str, Json]:
    """Give the author's keys; a deleted author loses some of them."""
    keys: dict[str, Json] = {"author": author, "author_flair_text": flair}
    if not is_comment and month in {"2018-04", "2018-05"}:
        keys["author_flair_text"] = None
    gone = author == "[deleted]"
    if month >= "2018-04" and month != "2018-05" and not gone:
        keys |= {"author_flair_richtext": [], "author_flair_type": "text"}
    if month >= "2018-07" and not gone:
        keys["author_fullname"] = f"t2_zz{draw(author, 10**9)}"
    if gone and "2018-07" <= month <= "2021-01":
        keys["author_fullname"] = None
    return keys


def has_name(month: str, *, is_comment: bool) -> bool:
    """Say whether records of that month repeat their id as `name`."""
    return not is_comment or month <= "2015-07" or month >= "2021-02"


def is_submitter(author: str, patient: str, month: str, key: str) -> dict[str, Json]:
    """Say whether the patient wrote it: from 2017-07, where a tenth lacks the key."""
    if month < "2017-07" or (month == "2017-07" and draw(f"{key}/mixed", 10) == 0):
        return {}
    return {"is_submitter": author == patient and author != "[deleted]"}
