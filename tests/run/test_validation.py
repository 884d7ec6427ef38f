import asyncio
from pathlib import Path

import msgspec
import pytest

from study_factory import STUDY, Scripts, write_study
from threadmed.errors import InputError, StudyError
from threadmed.labels.experts import write_ratings
from threadmed.metrics.agreement.validation import (
    IdentificationValidation,
    ScoringValidation,
    Validation,
)
from threadmed.metrics.estimates import NotEstimable
from threadmed.records import Rating, ThreadId
from threadmed.run import run
from threadmed.run.validation import validate
from threadmed.store import read_json, read_scores, write_text
from threadmed.study import Folder, study_folder


@pytest.fixture(scope="module")
def conducted(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A study that was run: judges a and b go by the answer, c always says 0."""
    folder = write_study(tmp_path_factory.mktemp("study"))
    asyncio.run(
        run(
            folder,
            open_model=Scripts().open,
            clock=lambda: 0.0,
            progress=lambda *_: None,
        )
    )
    return folder


def scoring(folder: Folder, path: Path) -> Path:
    """An expert who agrees with the panel in all."""
    write_ratings(
        path,
        [
            Rating(
                item=f"i{number}",
                rater="md",
                value=str(row.score),
                thread_id=row.thread_id,
                turn=row.turn,
                target=row.target,
                setting=row.setting,
            )
            for number, row in enumerate(read_scores(folder.scores))
        ],
    )
    return path


def identification(path: Path) -> Path:
    text = "thread_id,turn,md\n" + "".join(
        f"THREAD_000{thread},{turn},{'TRUE' if turn < 2 else 'FALSE'}\n"
        for thread in (1, 2, 3)
        for turn in range(3)
    )
    write_text(path, text)
    return path


def test_judges_and_panel_are_held_against_experts(
    conducted: Folder, tmp_path: Path
) -> None:
    found = validate(conducted, scoring=scoring(conducted, tmp_path / "s.csv")).scoring

    assert isinstance(found, ScoringValidation)
    # The answer to a first question stands in every setting, and is one answer.
    rows = read_scores(conducted.scores)
    n = len(
        {(r.target, r.setting if r.turn else "", r.thread_id, r.turn) for r in rows}
    )
    assert n < len(rows)
    assert found.panel.agreement.raw.hits == found.panel.n_scored == n
    assert [judge.judge for judge in found.judges] == ["judge-a", "judge-b", "judge-c"]
    assert [judge.agreement.raw.hits for judge in found.judges] == [n, n, 0]


def test_every_source_of_labels_is_held_against_experts(
    conducted: Folder, tmp_path: Path
) -> None:
    path = identification(tmp_path / "i.csv")
    found = validate(conducted, identification=path).identification

    assert isinstance(found, IdentificationValidation)
    sources = {each.versus.judge: each.versus for each in found.identifiers}
    assert set(sources) == {"judge-a", "reference"}
    # judge-a says yes to turn 1 alone; the expert says yes to turns 0 and 1.
    assert sources["judge-a"].agreement.confusion.counts == ((3, 0), (3, 3))
    assert sources["reference"].n_scored == 9


def test_the_result_is_written_beside_the_study(
    conducted: Folder, tmp_path: Path
) -> None:
    found = validate(conducted, scoring=scoring(conducted, tmp_path / "s.csv"))

    assert read_json(conducted.root / "validation.json", Validation) == found
    assert found.identification == NotEstimable(
        reason="there is no ratings/identification.csv", n=0
    )


def test_ratings_are_found_in_their_folder_and_by_the_study(tmp_path: Path) -> None:
    text = STUDY + '\n[validation]\nscoring = "mine.csv"\n'
    folder = write_study(tmp_path, text=text)
    asyncio.run(
        run(
            folder,
            open_model=Scripts().open,
            clock=lambda: 0.0,
            progress=lambda *_: None,
        )
    )
    identification(folder.ratings / "identification.csv")
    with pytest.raises(InputError, match="mine.csv: no such file"):
        validate(folder)
    scoring(folder, folder.root / "mine.csv")

    found = validate(folder)

    assert isinstance(found.identification, IdentificationValidation)
    assert isinstance(found.scoring, ScoringValidation)


def test_a_study_without_ratings_is_an_error_that_says_where_they_go(
    conducted: Folder,
) -> None:
    with pytest.raises(InputError, match=r"has neither identification.csv nor scoring"):
        validate(conducted)


def test_a_folder_without_a_study_is_an_error(tmp_path: Path) -> None:
    write_text(tmp_path / "study.toml", 'name = "x"\nthreads = "t"\n')

    with pytest.raises(StudyError):
        validate(study_folder(tmp_path))


def rating(item: str, *, thread: str = "THREAD_0001", setting: bool = True) -> Rating:
    return Rating(
        item=item,
        rater="md",
        value="1",
        thread_id=ThreadId(thread),
        turn=0,
        target="good",
        setting="oracle" if setting else None,
    )


@pytest.mark.parametrize(
    ("ratings", "said"),
    [
        ([rating("a", setting=False)], "item a has no setting; needed are thread_id"),
        ([rating("a"), rating("b")], "md rates turn 0 of THREAD_0001 twice"),
        (
            [rating("a", thread="X")],
            "none of the items is in this study, as turn 0 of X",
        ),
    ],
)
def test_ratings_that_are_not_of_the_study_are_an_error(
    conducted: Folder, tmp_path: Path, ratings: list[Rating], said: str
) -> None:
    path = tmp_path / "s.csv"
    write_ratings(path, ratings)

    with pytest.raises(InputError, match=said):
        validate(conducted, scoring=path)


def test_a_lost_verdict_is_missing_and_a_lazy_panel_is_said(
    conducted: Folder, tmp_path: Path
) -> None:
    path = scoring(conducted, tmp_path / "s.csv")
    text = conducted.study.read_text()
    verdicts = conducted.verdicts.read_bytes()
    lines = verdicts.splitlines(keepends=True)
    lost = next(at for at, line in enumerate(lines) if b'"judge":"judge-a"' in line)
    try:
        write_text(conducted.study, text.replace("[panel]", "[panel]\nlazy = true"))
        conducted.verdicts.write_bytes(b"".join(lines[:lost] + lines[lost + 1 :]))
        found = validate(conducted, scoring=path).scoring
    finally:
        write_text(conducted.study, text)
        conducted.verdicts.write_bytes(verdicts)

    assert isinstance(found, ScoringValidation)
    assert found.judges[0].n_unscored == found.judges[0].n_missing == 1
    assert found.warnings[-1].startswith("the panel is lazy")


def test_a_judge_asked_several_times_counts_with_its_middle_score(
    conducted: Folder, tmp_path: Path
) -> None:
    path = scoring(conducted, tmp_path / "s.csv")
    text = conducted.study.read_text()
    try:
        write_text(conducted.study, text.replace("[panel]", "[panel]\nrepeats = 3"))
        found = validate(conducted, scoring=path).scoring
    finally:
        write_text(conducted.study, text)

    # Each was asked once where three times are wanted: no judge has a score yet.
    assert isinstance(found, ScoringValidation)
    assert {judge.n_scored for judge in found.judges} == {0}


def test_what_is_written_is_read_back_the_same(
    conducted: Folder, tmp_path: Path
) -> None:
    found = validate(
        conducted,
        scoring=scoring(conducted, tmp_path / "s.csv"),
        identification=identification(tmp_path / "i.csv"),
    )

    assert msgspec.json.decode(msgspec.json.encode(found), type=Validation) == found
