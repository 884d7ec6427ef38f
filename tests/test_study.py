from pathlib import Path

import pytest

from threadmed.errors import InputError, StudyError
from threadmed.study import Study, read_study, read_toml, study_folder

STUDY = """\
name = "s"
threads = "t.jsonl"
targets = ["a"]

[[models]]
name = "a"
model = "openai:a"

[identify]
model = "a"

[panel]
judges = ["a"]
primary = "a"
"""


def write(folder: Path, text: str) -> Path:
    (folder / "study.toml").write_text(text)
    return folder


def test_a_study_is_read_with_its_defaults(tmp_path: Path) -> None:
    study = read_study(study_folder(write(tmp_path, STUDY)))

    assert study.model("a").model == "openai:a"
    assert study.settings == ("multi_turn", "target_turn", "oracle")
    assert study.panel.rule == "majority"


def test_a_folder_that_is_not_there_says_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder; `threadmed init`"):
        read_study(study_folder(tmp_path / "none"))


def test_a_folder_without_a_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"study\.toml: no such file"):
        read_study(study_folder(tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('name = "s"', 'name = "s', "not TOML: .*line 1"),
        (
            'targets = ["a"]',
            'targts = ["a"]',
            r"study\.toml:3: the top of the file has no key 'targts'; it has name, thr",
        ),
        ('primary = "a"', "primary = 3", r"study\.toml:14: Expected `str"),
        (
            'judges = ["a"]',
            'judges = ["a"]\nlazzy = true',
            r"study\.toml:14: \[panel\] has no key 'lazzy'; it has judges, primary, r",
        ),
        (
            'model = "openai:a"',
            'modl = "openai:a"',
            r"study\.toml:[57]: \[\[models\]\] has no key 'modl'; it has name, model",
        ),
        (
            'model = "openai:a"',
            'model = "openai:a"\ncapabilities = { sytem = true }',
            r"\[models\.capabilities\] has no key 'sytem'; it has temperature, reas",
        ),
    ],
)
def test_a_wrong_key_or_value_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    text = STUDY.replace(old, new)
    assert text != STUDY

    with pytest.raises(InputError, match=complaint):
        read_study(study_folder(write(tmp_path, text)))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('targets = ["a"]', 'targets = ["b"]', "targets names 'b', which no"),
        ('targets = ["a"]', 'targets = ["a", "a"]', "names 'a' twice"),
        ('judges = ["a"]', 'judges = ["c"]', r"panel\.judges names 'c'"),
        ('primary = "a"', 'primary = "c"', r"panel\.primary is 'c'"),
        ('primary = "a"', 'rule = "primary"', r"panel\.primary is not given"),
        ('[identify]\nmodel = "a"', "[identify]", "needs a model, or a file"),
        ("[identify]", '[[models]]\nname = "a"\nmodel = "x:y"\n[identify]', "two"),
        ("[panel]", "[answer]\nmax_tokens = 0\n[panel]", "answer.max_tokens is 0"),
        ("[panel]", "[budget]\nusd = -1.0\n[panel]", "budget.usd is -1.0"),
        ("[panel]", "[budget]\nusd = nan\n[panel]", "budget.usd is nan"),
        (
            'model = "openai:a"',
            'model = "openai:a"\nprice = { input = -1.0, output = 1.0 }',
            "price.input of a is -1.0",
        ),
        (
            'model = "openai:a"',
            (
                'model = "openai:a"\n'
                "price = { input = 1.0, output = 1.0, cache_write = -2.0 }"
            ),
            "price.cache_write of a is -2.0",
        ),
        (
            'model = "openai:a"',
            'model = "openai:a"\ncapabilities = { reasoning = -1 }',
            "capabilities.reasoning of a is -1",
        ),
        (
            'model = "openai:a"',
            'model = "openai:a"\ntemperature = inf',
            "temperature of a is inf",
        ),
        ('name = "s"', 'name = ""', "the name '' is empty"),
        ('name = "s"', 'name = "s\\u001b"', "holds what cannot be printed"),
        ('threads = "t', 'settings = []\nthreads = "t', "settings is empty"),
        (
            'threads = "t',
            'settings = ["oracle", "oracle"]\nthreads = "t',
            "one setting",
        ),
    ],
)
def test_what_does_not_fit_together_is_named(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    text = STUDY.replace(old, new)

    with pytest.raises(StudyError, match=complaint):
        read_study(study_folder(write(tmp_path, text)))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff")

    with pytest.raises(InputError, match="cannot read"):
        read_toml(tmp_path / "a.toml", Study)
