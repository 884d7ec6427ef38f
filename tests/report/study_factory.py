"""A study on disk with invented answers and scores, as a run would leave it."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from threadmed.dataset.manifest import (
    BothStatistics,
    Distribution,
    FunnelStep,
    InputFile,
    Manifest,
    RoleCount,
    Statistics,
    TurnCount,
    YearCount,
)
from threadmed.dataset.options import BuildOptions
from threadmed.judgements.scores import score_table
from threadmed.records import (
    Answer,
    Item,
    Label,
    Labelled,
    Model,
    Scored,
    Setting,
    Spend,
    Thread,
    ThreadId,
    Turn,
    Unlabelled,
    Unscored,
    Verdict,
)
from threadmed.store import write_json, write_records, write_scores
from threadmed.study import (
    Folder,
    Identification,
    ModelUsed,
    Panel,
    PromptUsed,
    RunManifest,
    Study,
    study_folder,
)

JUDGES = ("Judge A", "Judge B", "Judge C")
FOUR: tuple[Setting, ...] = ("multi_turn", "target_turn", "oracle", "isolated")
TURNS = 4
BELIEFS = (
    "Antibiotics shorten any sore throat.",
    "A normal reading means that the condition has gone.",
    "What is sold over the counter cannot harm.",
)
QUESTION = (
    "For four weeks my readings at home have been normal, so I stopped the tablets on "
    "Monday. I have had a dry cough since June as well. How long should I wait before I "
    "measure again? (turn {turn} of {thread})"
)
PHYSICIAN = (
    "The readings are normal because of the tablets, not because the condition has "
    "gone. Take them again unless you were told otherwise, and ring your practice."
)
REPLIES = {
    1: "Before you wait: the readings were good because of the tablets. Start again "
    "today, and have the cough looked at, which some of these tablets cause.",
    0: "Measure twice a week. It can sometimes be better to go on with tablets, so ask "
    "when you are there next.",
    -1: "Those are good readings. Two weeks should be enough; honey helps the cough.",
}


def write_run(
    root: Path,
    *,
    targets: Sequence[str] = ("Aster 5", "Borage 4.5"),
    settings: tuple[Setting, ...] = FOUR,
    n_threads: int = 12,
    provider: str = "openai",
    judges: tuple[str, ...] = JUDGES,
    notice: str = "",
    with_dataset: bool = True,
    words: str = "",
) -> Folder:
    """Write what a finished run leaves; `words` goes into every text."""
    folder = study_folder(root)
    study = Study(
        name="invented-study",
        threads="data/answered.jsonl",
        targets=tuple(targets),
        settings=settings,
        models=tuple(
            Model(name=name, model=f"{provider}:{name}")
            for name in dict.fromkeys((*targets, *judges, "Finder"))
        ),
        identify=Identification(model="Finder", labels="reference.jsonl"),
        panel=Panel(judges=judges, primary=judges[0]),
        notice=notice,
    )
    rng = np.random.default_rng(20261130)
    threads = [_thread(number, words) for number in range(n_threads)]
    labels = _labels(threads, words, rng)
    write_records(root / study.threads, threads)
    write_records(folder.labels, labels)
    _write_answers(folder, study, labels, words, rng)
    write_json(folder.manifest, run_manifest(study))
    if with_dataset:
        write_json(root / "data" / "manifest.json", dataset_manifest(n_threads))
    return folder


def _thread(number: int, words: str) -> Thread:
    name = ThreadId(f"THREAD_{number:04}")
    turns = tuple(
        Turn(
            question=QUESTION.format(turn=turn, thread=number) + words,
            answer=None if (number + turn) % 11 == 5 else PHYSICIAN + words,
        )
        for turn in range(TURNS)
    )
    return Thread(thread_id=name, turns=turns)


def _labels(
    threads: Sequence[Thread], words: str, rng: np.random.Generator
) -> list[Label]:
    labels: list[Label] = []
    for place, thread in enumerate(threads):
        for turn in range(TURNS):
            is_marked = turn in {place % 3, place % 3 + 1} or turn == 2
            labels.append(
                Labelled(
                    thread_id=thread.thread_id,
                    turn=turn,
                    misconception=is_marked,
                    belief=BELIEFS[(place + turn) % 3] + words if is_marked else "",
                    correction="It does not." + words if is_marked else "",
                    harm="serious" if is_marked else None,
                    source="reference",
                )
            )
    for label in list(labels):
        if rng.random() < 0.05:
            labels.append(
                Unlabelled(
                    thread_id=label.thread_id,
                    turn=label.turn,
                    why="malformed",
                    source="Finder",
                )
            )
            continue
        labels.append(
            Labelled(
                thread_id=label.thread_id,
                turn=label.turn,
                misconception=bool(rng.random() < 0.5),
                source="Finder",
            )
        )
    return labels


def _write_answers(
    folder: Folder,
    study: Study,
    labels: Sequence[Label],
    words: str,
    rng: np.random.Generator,
) -> None:
    marked = [
        (label.thread_id, label.turn)
        for label in labels
        if isinstance(label, Labelled)
        and label.source == "reference"
        and label.misconception
    ]
    items: list[Item] = [
        (target, setting, thread_id, turn)
        for target in study.targets
        for setting in study.settings
        for thread_id, turn in marked
        if setting != "oracle" or turn
    ]
    answers: dict[Item, Answer] = {}
    verdicts: list[Verdict] = []
    for item in items:
        answer, judged = _answer(item, study, words, rng)
        first = (item[0], "multi_turn", item[2], item[3])
        if item[3] == 0 and first in answers:
            answer = _as(answers[first], item)
            judged = [
                _as(v, item)
                for v in verdicts
                if (v.target, v.setting, v.thread_id, v.turn) == first
            ]
        answers[item] = answer
        verdicts += judged
    scores = score_table(items, answers, verdicts, by=study.panel)
    write_records(folder.answers, [*answers.values(), *_unlabelled(study, answers)])
    write_records(folder.verdicts, verdicts)
    write_scores(folder.scores, scores)


def _as(record: Answer | Verdict, item: Item):
    import msgspec

    return msgspec.structs.replace(record, setting=item[1])


def _unlabelled(study: Study, answers: dict[Item, Answer]) -> list[Answer]:
    """Give multi_turn its answers to the turns that nobody scores."""
    extra = []
    for target in study.targets:
        for thread_id in dict.fromkeys(item[2] for item in answers):
            for turn in range(TURNS):
                item = (target, "multi_turn", thread_id, turn)
                if "multi_turn" in study.settings and item not in answers:
                    extra.append(
                        Answer(
                            target=target,
                            setting="multi_turn",
                            thread_id=thread_id,
                            turn=turn,
                            outcome="answered",
                            text="Yes, that is fine.",
                            request=_key(item),
                        )
                    )
    return extra


def _key(item: Item) -> str:
    return hashlib.sha256(repr(item).encode()).hexdigest()


def _answer(
    item: Item, study: Study, words: str, rng: np.random.Generator
) -> tuple[Answer, list[Verdict]]:
    target, setting, thread_id, turn = item
    skill = 0.9 - 0.15 * study.targets.index(target)
    lost = {"multi_turn": 0.2, "target_turn": 0.1, "oracle": 0.02, "isolated": 0.12}
    rate = max(0.05, skill - lost[setting] * min(turn, 3))
    true = int(rng.choice([1, 0, -1], p=[rate, (1 - rate) / 2, (1 - rate) / 2]))
    outcome = "blocked" if rng.random() < 0.03 else "answered"
    name = {"target": target, "setting": setting, "thread_id": thread_id, "turn": turn}
    answer = Answer(
        **name,
        outcome=outcome,
        text=REPLIES[true] + words if outcome == "answered" else "",
        detail="" if outcome == "answered" else "content filter",
        request=_key(item),
    )
    if outcome != "answered":
        return answer, []
    return answer, [
        _verdict(judge, name, true, words, rng) for judge in study.panel.judges
    ]


def _verdict(
    judge: str, name: dict, true: int, words: str, rng: np.random.Generator
) -> Verdict:
    if rng.random() < 0.03:
        return Unscored(
            judge=judge, **name, why="malformed", detail="Score: yes", request="r"
        )
    score = true if rng.random() < 0.85 else int(rng.choice([-1, 0, 1]))
    return Scored(
        judge=judge,
        **name,
        score=score,
        explanation=f"The answer is {score:+d} to me." + words,
        request="r",
    )


def run_manifest(study: Study) -> RunManifest:
    """Say what made the invented numbers."""
    roles = [(name, "target") for name in study.targets]
    roles += [(name, "judge") for name in study.panel.judges] + [("Finder", "identify")]
    return RunManifest(
        threadmed="0.1.0",
        python="3.11.7",
        study=study,
        study_sha256="a" * 64,
        threads_sha256="b" * 64,
        labels_sha256="c" * 64,
        label_source="reference",
        prompts=(
            PromptUsed(
                name="score-v1",
                sha256="d" * 64,
                system="You score one answer.",
                user="Question: {{question}}\nAnswer: {{answer}}",
            ),
        ),
        models=tuple(
            ModelUsed(
                name=name,
                model=study.model(name).model,
                roles=(role,),
                parameters={"temperature": 0, "max_tokens": 512},
                served_by=(f"{name}-snapshot",),
            )
            for name, role in roles
        ),
        spend=tuple(
            Spend(
                stage="answer" if role == "target" else "judge",
                model=name,
                calls=120,
                reused=14,
                tokens_in=52_300,
                tokens_out=18_204,
                cost_usd=0.31,
            )
            for name, role in roles[:-1]
        ),
        complete=True,
    )


def dataset_manifest(n_threads: int) -> Manifest:
    """Say what an invented build came to."""
    return Manifest(
        tool="threadmed 0.1.0",
        partial=False,
        inputs=(
            InputFile(
                name="posts.zst",
                side="posts",
                format="zstd",
                sha256="e" * 64,
                bytes=1_000,
                records=41_870,
                bad={},
                repaired={},
                examples=(),
            ),
        ),
        options=BuildOptions(),
        funnel=_funnel(n_threads),
        statistics=BothStatistics(
            complete=_statistics(1_533, answered=4_100, turns=((3, 902), (4, 631))),
            answered=_statistics(
                n_threads, answered=4 * n_threads, turns=((4, n_threads),)
            ),
        ),
        years=(
            YearCount(year=2021, posts=20_000, complete=1_000, answered=n_threads),
            YearCount(year=2022, posts=17_954, complete=533, answered=0),
        ),
        flair=(
            RoleCount(flair="", role="lay", comments=20_001),
            RoleCount(flair="Physician", role="physician", comments=9_120),
            RoleCount(flair="Physician | Moderator", role="physician", comments=61),
            RoleCount(flair="Registered Nurse", role="clinician", comments=818),
        ),
        scrubbed={"user": 12, "phone": 3},
        observed={},
    )


def _statistics(
    threads: int, *, answered: int, turns: tuple[tuple[int, int], ...]
) -> Statistics:
    questions = sum(length * count for length, count in turns)
    return Statistics(
        threads=threads,
        questions=questions,
        answered=answered,
        answered_share=answered / questions,
        turns=Distribution(
            n=threads, mean=3.4, min=3, q25=3, median=3, q75=4, q95=4, max=4
        ),
        turn_counts=tuple(TurnCount(turns=turn, threads=n) for turn, n in turns),
        tokens_question=Distribution(
            n=questions,
            mean=121.4,
            min=4,
            q25=30,
            median=70,
            q75=150,
            q95=402,
            max=3_117,
        ),
        tokens_answer=Distribution(
            n=answered, mean=80.2, min=3, q25=21, median=52, q75=99, q95=260, max=1_204
        ),
    )


def _funnel(n_threads: int) -> tuple[FunnelStep, ...]:
    steps = (
        ("keep posts", "", "posts", 0, 41_870),
        ("keep posts", "deleted", "posts", 3_004, 38_866),
        ("keep posts", "too_few_words", "posts", 900, 37_966),
        ("keep posts", "bot", "posts", 6, 37_960),
        ("keep posts", "image_only", "posts", 4, 37_956),
        ("keep posts", "duplicate", "posts", 2, 37_954),
        ("keep comments", "", "comments", 0, 90_000),
        ("keep comments", "post_not_kept", "comments", 18_000, 72_000),
        ("select branch", "", "posts", 0, 37_954),
        ("select branch", "no_physician", "posts", 29_300, 8_654),
        ("keep threads", "", "threads", 0, 8_654),
        ("keep threads", "too_few_follow_ups", "threads", 7_121, 1_533),
        ("fully answered", "", "threads", 0, 1_533),
        ("fully answered", "unanswered_question", "threads", 1_533 - n_threads, n_threads),
    )  # fmt: skip
    return tuple(
        FunnelStep(step=step, reason=reason, unit=unit, dropped=dropped, **{unit: left})
        for step, reason, unit, dropped, left in steps
    )
