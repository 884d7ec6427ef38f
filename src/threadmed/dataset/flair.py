"""From the flair beside a user's name to what that person is; pure.

Flair is free text that moderators and users typed over many years.
The rules below are data and are tried in their order: what makes a flair *not* a
physician's comes first, since "Physician Assistant", "MD/PhD student" and "Not a
doctor" all hold a physician's words.
No rule tests for "verified": nearly every layperson's flair holds that word.
"""

import html
import re
import unicodedata
from collections.abc import Mapping
from typing import Literal

Role = Literal["physician", "clinician", "student", "lay"]
"""clinician: a health professional who is no physician; lay: everybody else,
including flairs that say nothing about health."""

Switch = Literal["dentist", "podiatrist", "bare_specialty", "intern", "altdoc"]
"""Flairs about which one may argue: dentists and oral surgeons; podiatrists; a
specialty and no title ("ENT", "Peds Crit Care", "Medical Specialist"); "Medical
Intern", a physician in some countries and a student in others; "verified-altdoc",
the mark of a verified person's second account."""

DualRole = Literal["student", "clinician"]
"""What a student is who already is something else, as "EMT/Medical Student"."""

NOISE = frozenset({"moderator", "top contributor", "mod", "x", ""})
"""Parts of a flair, between bars, that say nothing about the profession."""

FORMER = re.compile(r"\b(?:former(?:ly)?|ex)[ -][a-z ]+")
"""What somebody was does not count ("Physician and former athletic trainer")."""

STUDENT = re.compile(r"\bst+ud|\bmed(?:ical)? school|\bpre-?med\b|\bms-?[1-4]\b")

OTHER_CLINICIAN = re.compile(
    r"assistant|associate|\basst\b|\bpa\b|\bpa-?c\b|nurs|midwi"
    r"|\b(?:rn|lpn|lvn|rpn|cna|np|np-c|aprn|arnp|crna|dnp|bsn|bsn-rn|ccrn|slp|ot|otr"
    r"|pt|dpt|lcsw|msw|psyd|mls|rrt)\b"
    r"|pharm(?!acolog)|techni|technolog|\btech\b|paramedic|\ba?emt\b|\bmedic\b"
    r"|responder|therap|physio(?!log)|chiropract|optomet|optician|audiolog|speech"
    r"|psycholog|dieti[ct]i|nutrition|social work|counsel|mental health|phlebot"
    r"|radiographer|sonograph|mammograph|perfusion|prosthetist|orthotist|trainer"
    r"|acupunct|\blab\b|laborator|scribe|healthcare (?:special|work|prof)"
)

RULES: tuple[tuple[re.Pattern[str], Role | Switch], ...] = (
    (
        re.compile(
            r"\bnot\b|\bun-?verified|\bnon-?verified|layperson|\btest flair\b|\bpatient$"
            r"|aspiring|wannabe|\bfuture\b|recruit|'s (?:wife|husband|spouse|son|daughter)"
            r"|\bfan\b|\bbot\b|naturopath|homeopath"
        ),
        "lay",
    ),
    (STUDENT, "student"),
    (re.compile(r"altdoc"), "altdoc"),
    (
        re.compile(
            r"\bdentist|\bdental\b(?! ass)|\boral (?:and|surg)|\bd\.?d\.?s\b|\bd\.?m\.?d\b"
        ),
        "dentist",
    ),
    (re.compile(r"podiatr|\bd\.?p\.?m\b"), "podiatrist"),
    (OTHER_CLINICIAN, "clinician"),
    (
        # A doctorate of something else is no physician's; an MD beside it is.
        re.compile(
            r"^(?!.*\b(?:m\.?d|physician)\b).*(?:\bph\.? ?d\b|doctorate)"
            r"|\bd(?:octo)?r\.? of (?!medicine|osteo)"
            r"|veterin|\bvet\b|\bd\.?v\.?m\b|developer|engineer"
        ),
        "lay",
    ),
    (
        re.compile(
            r"physician|\bdoctors?\b|\bm\.?d\b|\bd\.?o\b|\bmbbs\b|\bmb ?bch|\bmbchb\b"
            r"|surgeon|\bresident\b|registrar|general practi[ct]ioner|\bg\.?p\b"
            r"|\bfy?[12]\b|\bpgy|\bsho\b|hospitalist|intensivist|internist|allergist|iatrist\b"
            r"|p(?:a?e)diatrician|geriatrician|obstetrician|an(?:a?e)sthesiologist"
            r"|an(?:a?e)sthetist"
            r"|(?:derm|cardi|neur|ur|nephr|hepat|pulmon|path|radi|onc|rheumat|immun"
            r"|neonat|haemat|hemat|ophthalm|laryng|gyn(?:a?e)c|enter|endocrin"
            r"|allerg|venere|phleb|vir)(?:at)?ologist\b"
        ),
        "physician",
    ),
    (re.compile(r"^(?:medical )?intern$"), "intern"),
    (
        re.compile(
            r"\b(?:ent|crit(?:ical)? care|internal medicine|family med(?:icine)?"
            r"|emergency medicine|surgery|p(?:a?e)ds|p(?:a?e)diatrics|ob/?gyn|psychiatry"
            r"|an(?:a?e)sthesi(?:a|ology)|medical specialist)\b"
            r"|\b(?:derm|cardi|neur|ur|nephr|pulmon|path|radi|onc|rheumat|hemat|ophthalm"
            r"|enter|endocrin)(?:at)?ology$"
        ),
        "bare_specialty",
    ),
    (
        re.compile(
            r"\bhealth\b|medical|clinical|\bchemist\b|biochemist|microbiologist"
            r"|epidemiologist|research fellow"
        ),
        "clinician",
    ),
)
"""Tried in order; a Switch is a clinician unless it is turned on."""


def role_of(
    flair: str | None,
    *,
    physicians_also: tuple[Switch, ...] = (),
    dual_role: DualRole = "student",
    overrides: Mapping[str, Role] | None = None,
) -> Role:
    """Say what a person with this flair is.

    Args:
        flair: As it stands in the dump; None and "" are laypersons.
        physicians_also: Debatable flairs to take for physicians'.
        dual_role: What a student is who is another clinician too.
        overrides: Role by exact flair, before every rule.

    Example:
        >>> [role_of(flair) for flair in ("Physician | Moderator", "MD/PhD student")]
        ['physician', 'student']
        >>> role_of("This user has not yet been verified.")
        'lay'
        >>> role_of("Dentist"), role_of("Dentist", physicians_also=("dentist",))
        ('clinician', 'physician')
    """
    if flair is None:
        return "lay"
    if overrides and flair in overrides:
        return overrides[flair]
    plain = normalised(flair)
    found = next((role for rule, role in RULES if rule.search(plain)), "lay")
    match found:
        case "student":
            is_dual = OTHER_CLINICIAN.search(STUDIES.sub("", plain)) is not None
            return dual_role if is_dual else "student"
        case "physician" | "clinician" | "lay":
            return found
        case _:
            return "physician" if found in physicians_also else "clinician"


STUDIES = re.compile(
    r"\b(?:nursing|pharmacy|pharm\.?d\.?|physician (?:assistant|associate)|paramedic"
    r"|pa|rn|np|ot|dpt|bsn|midwifery|(?:physical|resp(?:iratory)?) therapy)"
    r" ?(?:\(pa\) ?)?st+ud\w*|\bst+ud\w* (?:nurse|paramedic|radiographer|midwife)"
)
"""What is studied is not what the student already is."""


def normalised(flair: str) -> str:
    """Bring a flair to the form that the rules are written for.

    Example:
        >>> normalised(" Physician - ENT/Head &amp; Neck  | Top Contributor")
        'physician - ent/head & neck'
    """
    plain = unicodedata.normalize("NFKC", html.unescape(flair)).casefold()
    plain = plain.replace("_", " ").replace("\u2019", "'")
    parts = (" ".join(part.split()) for part in plain.split("|"))
    return FORMER.sub("", " ".join(part for part in parts if part not in NOISE))
