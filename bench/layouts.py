"""Records of every month of a dump as bytes with gaps, so that millions are quick.

The keys of a month and their types are those that the sample dump is made with; those
that only a dump of real size should be slowed down by are added here.
A post that is no advertisement has fewer keys than a schema of its month lists:
the rest of the up to 156 belongs to advertisements, which no forum holds.
"""

import importlib
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Literal

import msgspec

Kind = Literal["submission", "comment"]
Look = Literal["there", "gone", "notice", "image"]
"""gone: the account is; notice: of a moderator's machine, on top; image: no text."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

SINCE_API = "2023-04"
"""From here on an archive kept all keys that the service gives to its readers."""

ADDED: Mapping[Kind, tuple[tuple[str, str, Json], ...]] = {
    "comment": (
        ("2021-02", "author_is_blocked", False),
        *(
            (SINCE_API, key, None)
            for key in (
                "approved_at_utc", "approved_by", "banned_at_utc", "banned_by", "likes",
                "mod_reason_by", "mod_reason_title", "removal_reason", "report_reasons",
            )
        ),
        *((SINCE_API, key, []) for key in ("mod_reports", "user_reports")),
        *((SINCE_API, key, 0) for key in ("downs", "gilded")),
        (SINCE_API, "replies", ""),
        (SINCE_API, "saved", False),
        (SINCE_API, "ups", 1),
    ),
    "submission": (
        ("2021-02", "author_is_blocked", False),
        *(
            (SINCE_API, key, None)
            for key in (
                "approved_at_utc", "approved_by", "banned_by", "likes", "mod_note",
                "mod_reason_by", "mod_reason_title", "report_reasons", "selftext_html",
            )
        ),
        *((SINCE_API, key, []) for key in ("mod_reports", "user_reports")),
        *((SINCE_API, key, 0) for key in ("downs", "gilded")),
        *((SINCE_API, key, False) for key in ("clicked", "saved", "visited")),
        (SINCE_API, "subreddit_name_prefixed", "r/AskDocs"),
        (SINCE_API, "ups", 1),
    ),
}  # fmt: skip

PREVIEW: Json = {
    "enabled": True,
    "images": [
        {
            "id": "<<id>>",
            "resolutions": [
                {
                    "height": width,
                    "url": f"https://preview.example/<<id>>.jpg?w={width}",
                    "width": width,
                }
                for width in (108, 216, 320, 640)
            ],
            "variants": {},
        }
    ],
}

MIXED = {"2015-02": 2, "2017-07": 10}
"""Months in which one record has a key, or a type, and the next has not; and in how
many forms."""


@cache
def eras() -> ModuleType:
    """Load the sample's account of the layouts, which is no installed package."""
    folder = str(Path(__file__).parents[1] / "sample")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module("eras")


@cache
def templates(kind: Kind, month: str, look: Look) -> tuple[bytes, ...]:
    """Give the forms that a record of a month may have.

    Each is to be filled by `template % values`, with values by name as bytes;
    `flair`, `score` and `is_submitter` as JSON, `text` and `title` as they stand
    between quotes.
    """
    make = _comment if kind == "comment" else _submission
    forms = range(MIXED.get(month, 1))
    return tuple(
        with_gaps(eras().in_order(make(month, look, str(form)), month))
        for form in forms
    )


def with_gaps(record: dict[str, Json]) -> bytes:
    """Encode a record; <<name>> becomes a gap, and <<=name>> one without quotes."""
    text = msgspec.json.encode(record).replace(b"%", b"%%")
    text = re.sub(rb'"<<=(\w+)>>"', rb"%(\1)b", text)
    return re.sub(rb"<<(\w+)>>", rb"%(\1)b", text) + b"\n"


def _shared(kind: Kind, month: str, look: Look, form: str) -> dict[str, Json]:
    is_comment = kind == "comment"
    author = "[deleted]" if look == "gone" else "<<author>>"
    keys = eras().author_keys(author, "<<=flair>>", month, is_comment=is_comment)
    if keys.get("author_fullname"):
        keys["author_fullname"] = "t2_zz<<number>>"
    is_text = isinstance(eras().written(0, month, form), str)
    moment = "<<created>>" if is_text else "<<=created>>"
    no_score = is_comment and month in {"2017-10", "2017-11"}
    record = {
        "id": "<<id>>",
        **keys,
        "created_utc": moment,
        "subreddit": "AskDocs",
        "subreddit_id": "t5_zzask",
        "edited": False,
        "score": None if no_score else "<<=score>>",
        **eras().plain_keys(kind, month),
        **{key: value for since, key, value in ADDED[kind] if since <= month},
        **dict.fromkeys(
            eras().retrieved(0, month, is_comment=is_comment), "<<=retrieved>>"
        ),
    }
    if eras().has_name(month, is_comment=is_comment):
        record["name"] = ("t1_" if is_comment else "t3_") + "<<id>>"
    if month >= SINCE_API or (not is_comment and month < "2016-01"):
        record["created"] = "<<=created>>"
    return record


def _comment(month: str, look: Look, form: str) -> dict[str, Json]:
    record = _shared("comment", month, look, form) | {
        "body": "<<text>>",
        "link_id": "t3_<<post>>",
        "parent_id": "<<parent>>",
    }
    if eras().is_submitter("", "", month, form):
        record["is_submitter"] = "<<=is_submitter>>"
    if month >= "2018-04":
        record["subreddit_name_prefixed"] = "r/AskDocs"
    if month >= "2017-12":
        record["permalink"] = "/r/AskDocs/comments/<<post>>/<<slug>>/<<id>>/"
    if look == "notice":
        record |= {"distinguished": "moderator", "stickied": True}
    return record


def _submission(month: str, look: Look, form: str) -> dict[str, Json]:
    path = "/r/AskDocs/comments/<<id>>/<<slug>>/"
    record = _shared("submission", month, look, form) | {
        "title": "<<title>>",
        "selftext": "<<text>>",
        "num_comments": "<<=comments>>",
        "domain": "self.AskDocs",
        "is_self": True,
        "permalink": path,
        "thumbnail": "self",
        "url": f"https://www.reddit.com{path}",
    }
    if month >= "2019-09":
        record["removed_by_category"] = "<<=category>>"
    if look == "image":
        record |= {
            "domain": "i.redd.it",
            "is_self": False,
            "post_hint": "image",
            "preview": PREVIEW,
            "thumbnail": "default",
            "url": "https://i.redd.it/<<id>>.jpg",
        }
    return record
