import pytest

from threadmed.dataset.flair import Role, normalised, role_of

ROLES: dict[Role, tuple[str, ...]] = {
    "physician": (
        "Physician | Moderator | Top Contributor",
        "Physician/Moderator",
        "Moderator | Physician",
        "MD - Peds GI",
        "Resident Physician PGY1",
        "Physician | Women's Health",
        "Otolaryngologist (ENT)",
        "MD, PhD",
        "Physician (PhD)",
        "Doctor of Medicine",
        "GP (UK)",
        "Paediatrician",
        "Physician and former nurse",
    ),
    "clinician": (
        "Registered Nurse | Moderator",
        "Physician's assistant",
        "Nurse Anesthetist",
        "Doctor of Nursing Practice",
        "Medical Laboratory Scientist",
        "Psychologist (PsyD)",
        "PA - Family Med",
        "Podiatric Surgeon",
        "Clinical Pharmacologist",
    ),
    "student": (
        "medical_student",
        "Medical Studen",
        "Medical Student`",
        "Student nurse",
        "PA Student",
        "Premed",
        "Med School",
    ),
    "lay": (
        "Aspiring doctor",
        "Physician Recruiter",
        "Naturopathic doctor",
        "Doctor's wife",
        "Former physician",
        "PhD, Pharmacology Researcher",
        "Web Developer",
        "Veterinary surgeon",
        "  ",
    ),
}


@pytest.mark.parametrize(
    ("flair", "role"), [(flair, role) for role, all_ in ROLES.items() for flair in all_]
)
def test_a_flair_has_the_role_that_its_holder_has(flair: str, role: Role) -> None:
    assert role_of(flair) == role


def test_an_exact_override_comes_before_every_rule() -> None:
    overrides: dict[str, Role] = {"Dentist": "physician", "Physician": "lay"}

    assert role_of("Dentist", overrides=overrides) == "physician"
    assert role_of("Physician", overrides=overrides) == "lay"
    assert role_of("Dentist ", overrides=overrides) == "clinician"


def test_one_switch_turns_on_one_kind_of_flair() -> None:
    assert role_of("Podiatrist", physicians_also=("dentist",)) == "clinician"
    assert role_of("Podiatrist", physicians_also=("podiatrist",)) == "physician"


def test_a_students_other_profession_counts_where_it_is_asked_for() -> None:
    assert role_of("EMT/Medical Student", dual_role="clinician") == "clinician"
    assert (
        role_of("Registered Nurse - PA student", dual_role="clinician") == "clinician"
    )
    # What somebody studies is no profession yet.
    assert role_of("Nursing Student", dual_role="clinician") == "student"
    assert role_of("PA Student", dual_role="clinician") == "student"


def test_no_role_hangs_on_the_word_verified() -> None:
    assert role_of("Verified Physician") == "physician"
    assert role_of("verified") == "lay"


def test_writing_does_not_matter() -> None:
    assert normalised("\uff30hysician\u3000|  X") == "physician"
    assert role_of("PHYSICIAN") == "physician"
