"""Invented text of patients and physicians, as much of it as a dump holds.

Phrases are drawn one by one, so that the text packs about as well as what people
write, and no long stretch of it comes a second time.
"""

from collections.abc import Iterator, Sequence

import numpy as np

WHO = ("my", "his", "her", "the", "your", "our", "this", "that", "their", "one")
PARTS = (
    "knee", "ankle", "shoulder", "stomach", "chest", "throat", "jaw", "hip", "wrist",
    "elbow", "eyelid", "ear", "scalp", "neck", "lower back", "ribs", "calf", "heel",
    "thumb", "gum", "tongue", "bladder", "skin", "forearm", "temple", "groin", "toe",
)  # fmt: skip
COMPLAINTS = (
    "ache", "burning", "itch", "swelling", "rash", "cramp", "lump", "numbness",
    "bruise", "cough", "fever", "dizziness", "nausea", "spasm", "stiffness", "tremor",
    "bleeding", "discharge", "palpitations", "headache", "fatigue", "blister", "pain",
)  # fmt: skip
QUALITIES = (
    "dull", "sharp", "mild", "constant", "sudden", "odd", "worse", "red", "tender",
    "warm", "dry", "faint", "heavy", "stubborn", "throbbing", "strange", "bad", "new",
)  # fmt: skip
THINGS = (
    "antibiotic", "tablet", "blood test", "scan", "cream", "inhaler", "appointment",
    "pharmacist", "emergency room", "nurse", "dose", "allergy", "result", "infection",
    "vaccine", "diet", "injury", "operation", "urine sample", "insurance", "vitamin",
    "sleep", "exercise", "referral", "specialist", "history", "symptom", "treatment",
)  # fmt: skip
DOINGS = (
    "started", "noticed", "took", "stopped", "asked about", "worried about", "tried",
    "felt", "had", "was told", "would see", "should check", "cannot explain", "needs",
    "went away", "came back", "got", "said", "thinks", "does not help", "may be",
)  # fmt: skip
LINKS = (
    "and", "but", "so", "then", "because", "when", "if", "since", "with", "without",
    "after", "before", "for", "to", "at night", "in the morning", "again", "still",
    "not", "also", "maybe", "is it", "could it be", "is there", "of", "in", "on", "a",
    "I", "it", "he", "she", "we", "they", "you", "don\\u2019t", "it\\u2019s", "really",
)  # fmt: skip
ENDINGS = (".", ".", ".", "?", ",", ",", "...", "!", ".\\n\\n", ":", " &amp;")
SPANS = ("days", "weeks", "months", "years", "hours", "mg", "times", "percent")


def _pool() -> tuple[bytes, ...]:
    """Make a few thousand phrases; what is short comes more often than once."""
    made = [f"{who} {part}" for who in WHO for part in PARTS]
    made += [f"{kind} {what}" for kind in QUALITIES for what in COMPLAINTS]
    made += [f"{does} {thing}" for does in DOINGS for thing in THINGS]
    made += [f"{number} {span}" for number in range(1, 60) for span in SPANS]
    made += [f"{word}{end}" for word in PARTS + COMPLAINTS + THINGS for end in ENDINGS]
    single = PARTS + COMPLAINTS + QUALITIES + THINGS + DOINGS
    made += [word for word in single for _ in range(12)]
    made += [word for word in LINKS for _ in range(90)]
    return tuple(phrase.encode() for phrase in made)


POOL = np.array(_pool(), dtype=object)
MEAN_BYTES = float(np.mean([len(phrase) + 1 for phrase in POOL]))


def texts(rng: np.random.Generator, sizes: Sequence[int]) -> Iterator[bytes]:
    """Give one text for every size, each of about so many bytes, as inside of JSON."""
    counts = np.maximum(1, np.rint(np.asarray(sizes) / MEAN_BYTES)).astype(np.int64)
    drawn = POOL[rng.integers(len(POOL), size=int(counts.sum()))].tolist()
    end = 0
    for count in counts.tolist():
        start, end = end, end + count
        yield b" ".join(drawn[start:end])


def sizes(rng: np.random.Generator, count: int, *, mean: float) -> list[int]:
    """Draw lengths in bytes: most are short and a few very long."""
    spread = 0.8
    drawn = rng.lognormal(np.log(mean) - spread**2 / 2, spread, size=count)
    return np.minimum(drawn, 38_000).astype(np.int64).tolist()
