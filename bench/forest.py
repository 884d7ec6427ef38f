"""Who wrote what under which post and when, as arrays, without any text.

The shares follow counts of the real forum: two posts in three stay without a comment,
about 28 in a hundred are removed or deleted, and three or four comments in a hundred
are a physician's.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

FIRST = 1_420_070_400
"""2015-01-01."""
LAST = 1_688_169_600
"""2023-07-01."""

THERE, REMOVED, DELETED = 0, 1, 2
LAY, PATIENT, PHYSICIAN, CLINICIAN, MACHINE = 0, 1, 2, 3, 4

COMMENTED = 0.33
EXCHANGES = 0.0095
"""Share of posts under which a physician and the patient go on talking.

It makes 1.2 complete threads of 100 posts: the paper's Table 2 has 9,741, and others
counted 833,299 posts of that forum and those years.
"""
SHORTEST_EXCHANGE, LONGEST_EXCHANGE = 4, 7
MACHINE_SINCE = 1_551_398_400
"""2019-03-01: from then on every post is welcomed by a machine."""


class Posts(NamedTuple):
    """Posts in the order of time, shape (posts,) each."""

    time: Numbers
    state: Numbers
    is_image: NDArray[np.bool_]
    comments: Numbers
    exchange: Numbers
    """Messages of the exchange with a physician under it; 0 for most."""


class Comments(NamedTuple):
    """Comments in the order of their posts, shape (comments,) each."""

    post: Numbers
    parent: Numbers
    """Place of the comment that it replies to; -1 for a reply to the post."""
    time: Numbers
    speaker: Numbers
    state: Numbers


def grow(
    rng: np.random.Generator, *, submissions: int, comments: int
) -> tuple[Posts, Comments]:
    """Draw the posts and the trees under them.

    With 200,000 posts to 1.35 million comments there are more comments to a post
    than in the real forum, where it is 1.6; what reading costs depends on neither.

    Raises:
        ValueError: If there are too few comments for the exchanges.
    """
    # There are more of the later years than of the earlier ones.
    share = np.sort(rng.random(submissions)) ** 0.6
    time = (FIRST + share * (LAST - FIRST)).astype(np.int64)
    is_commented = rng.random(submissions) < COMMENTED
    is_exchange = is_commented & (rng.random(submissions) < EXCHANGES / COMMENTED)
    length = rng.integers(SHORTEST_EXCHANGE, LONGEST_EXCHANGE + 1, size=submissions)
    exchange = np.where(is_exchange, length, 0)
    posts = Posts(
        time=time,
        state=_states(rng, is_commented, is_exchange),
        is_image=(rng.random(submissions) < 0.03) & ~is_exchange,
        comments=_shares(rng, np.maximum(exchange, is_commented), comments),
        exchange=exchange,
    )
    return posts, _under(rng, posts)


def _states(
    rng: np.random.Generator,
    is_commented: NDArray[np.bool_],
    is_exchange: NDArray[np.bool_],
) -> Numbers:
    lost = np.where(is_commented, 0.18, 0.33) * ~is_exchange
    drawn = rng.random(len(lost))
    return np.where(drawn < lost * 0.6, REMOVED, np.where(drawn < lost, DELETED, THERE))


def _shares(rng: np.random.Generator, least: Numbers, comments: int) -> Numbers:
    """Share the comments out: some posts get many and most get few."""
    rest = comments - int(least.sum())
    if rest < 0:
        raise ValueError("there are too few comments for so many posts")
    weights = np.where(least > 0, rng.gamma(0.9, size=len(least)), 0.0)
    return least + rng.multinomial(rest, weights / weights.sum())


def _under(rng: np.random.Generator, posts: Posts) -> Comments:
    post = np.repeat(np.arange(len(posts.time)), posts.comments)
    total = len(post)
    first = np.repeat(np.cumsum(posts.comments) - posts.comments, posts.comments)
    place = np.arange(total) - first
    exchange = posts.exchange[post]
    is_reply = rng.random(total) < 0.45
    picked = first + (rng.random(total) * place).astype(np.int64)
    # Nobody speaks between the physician and the patient.
    is_reply &= picked - first >= exchange
    parent = np.where(is_reply & (place > 0), picked, -1)
    parent = np.where(place < exchange, np.arange(total) - 1, parent)
    parent[place == 0] = -1
    speaker = _speakers(rng, parent)
    _talk(rng, speaker, place=place, exchange=exchange)
    is_welcome = (place == 0) & (exchange == 0) & (posts.time[post] >= MACHINE_SINCE)
    speaker[is_welcome] = MACHINE
    # A reply comes after what it replies to; the machine answers at once.
    waits = np.where(is_welcome, 2.0, 1 + rng.exponential(2_400, size=total))
    passed = np.cumsum(waits)
    before = np.concatenate([[0.0], passed])[first]
    is_lost = (rng.random(total) < 0.07) & (place >= exchange) & ~is_welcome
    lost = rng.choice([REMOVED, DELETED], size=total, p=[0.4, 0.6])
    return Comments(
        post=post,
        parent=parent,
        time=posts.time[post] + (passed - before).astype(np.int64),
        speaker=speaker,
        state=np.where(is_lost, lost, THERE),
    )


def _speakers(rng: np.random.Generator, parent: Numbers) -> Numbers:
    """Draw who speaks; patients mostly reply to somebody."""
    drawn = rng.random(len(parent))
    patients = np.where(parent >= 0, 0.30, 0.03)
    return np.select(
        [drawn < 0.016, drawn < 0.036, drawn < 0.036 + patients],
        [PHYSICIAN, CLINICIAN, PATIENT],
        default=LAY,
    )


def _talk(
    rng: np.random.Generator, speaker: Numbers, *, place: Numbers, exchange: Numbers
) -> None:
    """Let physician and patient speak, in turns mostly, where they do."""
    for turn in range(LONGEST_EXCHANGE):
        now = np.flatnonzero((place == turn) & (turn < exchange))
        if turn == 0:
            speaker[now] = PHYSICIAN
            continue
        follows = speaker[now - 1] == PHYSICIAN
        is_patient = rng.random(len(now)) < np.where(follows, 0.92, 0.35)
        speaker[now] = np.where(is_patient, PATIENT, PHYSICIAN)
