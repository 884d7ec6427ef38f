"""study.toml to Study, and where things lie in a study folder."""

from threadmed.study.file import (
    Answering,
    Arm,
    Budget,
    Contestant,
    Control,
    ExpertRatings,
    Identification,
    Intervening,
    ModelUsed,
    Panel,
    Part,
    PromptUsed,
    RunManifest,
    Selection,
    Study,
)
from threadmed.study.folder import Folder, read_study, read_toml, study_folder

__all__ = [
    "Answering",
    "Arm",
    "Budget",
    "Contestant",
    "Control",
    "ExpertRatings",
    "Folder",
    "Identification",
    "Intervening",
    "ModelUsed",
    "Panel",
    "Part",
    "PromptUsed",
    "RunManifest",
    "Selection",
    "Study",
    "read_study",
    "read_toml",
    "study_folder",
]
