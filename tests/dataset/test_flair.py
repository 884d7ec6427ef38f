import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadmed.dataset.flair import Role, normalised, role_of


@pytest.mark.parametrize(
    ("role", "flairs"),
    [
        (
            "physician",
            [
                "Physician", "PHYSICIAN", "  physician - Peds GI ", "M.D.", "MD - Peds GI",
                "D.O., Neurology Resident", "FY1 Doctor", "Resident Physician PGY1",
                "Dermatologist", "Urologist", "Anaesthetist", "Emergency Physician, X",
                "Physician | Top Contributor", "Physician/Moderator", "Psychiatrist",
                "MD, PhD", "General Surgeon", "Orthopaedic Surgeon | X", "Hospitalist",
                "Physician \u2014 Oncology", "\uff30hysician", "Paediatrician", "GP",
            ],
        ),
        (
            "clinician",
            [
                "Registered Nurse", "RN", "Nurse | Moderator | Top Contributor", "EMT",
                "Paramedic", "Pharmacist", "Physician Assistant - Emergency", "PA-C",
                "Physical Therapist", "Medical Laboratory Scientist", "Midwife", "CRNA",
                "Dietician", "Radiology Technologist", "Dental Assistant", "Psychologist",
            ],
        ),
        (
            "student",
            [
                "Medical Student", "Medical Studen", "Medical Sttudent", "M3 Student",
                "MS4", "Pre-med", "Nursing Student", "Student Nurse", "MD/PhD student",
                "Physician Assistant Student",
            ],
        ),
        (
            "lay",
            [
                "", "  ", "Layperson/not verified as healthcare professional.",
                "This user has not yet been verified.", "Not a doctor",
                "Physician (unverified)", "Web Developer", "Moderator", "Top Contributor",
                "Veterinarian", "Test Flair - Physician", "PhD", "Doctor's wife",
                "Doctor of Philosophy", "Founder", "Patient",
            ],
        ),
    ],
)  # fmt: skip
def test_a_flair_has_its_role(role: Role, flairs: list[str]) -> None:
    assert {flair: role_of(flair) for flair in flairs} == dict.fromkeys(flairs, role)


def test_no_flair_is_a_laypersons() -> None:
    assert role_of(None) == "lay"


def test_an_override_goes_before_every_rule_and_by_exact_text() -> None:
    overrides: dict[str, Role] = {"Physician": "lay", "Founder": "physician"}

    assert role_of("Physician", overrides=overrides) == "lay"
    assert role_of("Founder", overrides=overrides) == "physician"
    assert role_of("Physician ", overrides=overrides) == "physician"


@pytest.mark.parametrize(
    ("flair", "otherwise"),
    [
        ("EMT/Medical Student", "clinician"),
        ("PharmD / Med Student", "clinician"),
        ("Medical Student", "student"),
        ("Nursing Student", "student"),
        ("Physician Assistant Student", "student"),
    ],
)
def test_a_student_who_is_something_already_is_a_student_unless_asked(
    flair: str, otherwise: Role
) -> None:
    assert role_of(flair) == "student"
    assert role_of(flair, dual_role="clinician") == otherwise


def test_a_switch_turns_on_its_own_kind_alone() -> None:
    assert role_of("Dentist", physicians_also=("podiatrist",)) == "clinician"
    assert role_of("ENT", physicians_also=("bare_specialty",)) == "physician"
    assert role_of("Dental Hygienist", physicians_also=("podiatrist",)) == "clinician"


@given(st.text())
def test_every_text_has_a_role(flair: str) -> None:
    assert role_of(flair) in {"physician", "clinician", "student", "lay"}


@given(st.sampled_from(["Physician", "Registered Nurse", "Medical Student", "X"]))
def test_what_moderators_add_changes_no_role(flair: str) -> None:
    role = role_of(flair)

    for added in (" | Moderator", " | Top Contributor", "  ", " | Mod | X"):
        assert role_of(flair + added) == role
        assert normalised(flair + added) == normalised(flair)
