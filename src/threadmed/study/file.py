"""What study.toml and manifest.json of a study hold."""

from threadmed.records import (
    Act,
    Model,
    PanelRule,
    Policy,
    Record,
    Setting,
    Spend,
    ThreadId,
)


class Part(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of study.toml; a key that is not known is an error."""


class Selection(Part, frozen=True, kw_only=True):
    """Which threads of the file are used; empty means all."""

    thread_ids: tuple[ThreadId, ...] = ()
    """Just these."""
    threads: int | None = None
    """At most so many of those with a misconception, drawn by the seed."""


class Identification(Part, frozen=True, kw_only=True):
    """How questions with a misconception are found (paper, 4.1)."""

    model: str | None = None
    """Name of the model that labels; None where labels come from a file alone."""
    labels: str | None = None
    """File of labels that came with the data, relative to the study folder."""
    source: str | None = None
    """Whose labels decide what is answered: `reference` or a model's name. None is
    the file's, or the model's where there is no file."""
    prior_questions: bool = False
    """Whether the identifier also sees the patient's earlier questions."""
    prompt: str | None = None
    """`harm`, which asks for the harm class as well, or a file of the user's own; None
    is the one that is built in."""
    max_tokens: int = 512


class Answering(Part, frozen=True, kw_only=True):
    """What goes with every request to a target (paper, 4.3: nothing)."""

    system: str | None = None
    max_tokens: int = 1024
    merge_questions: bool = False
    """Whether target_turn sends the questions as one message."""


class Intervening(Part, frozen=True, kw_only=True):
    """Which earlier answers of a target are changed, and how."""

    policy: Policy
    act: Act = "replace"
    turns: tuple[int, ...] = ()
    """For the policy `turns`: whose answers, from 0."""
    k: int = 1
    """For the policy `random`: how many, drawn by the seed."""
    screen: str | None = None
    """For the policies that look for failures: the model that looks in the place of
    the panel."""

    @property
    def is_adaptive(self) -> bool:
        """Whether the policy needs to know of each answer whether it failed."""
        return self.policy in {"first_failing", "every_failing"}


class Arm(Part, frozen=True, kw_only=True):
    """Another way of asking targets, compared with asking them plainly.

    Its answers are those of a target of its own, called as `target+arm`.
    """

    name: str
    of: tuple[str, ...] = ()
    """The targets; empty is all."""
    prompt: str | None = None
    """`warn`, `identify_first`, `recap`, or a file of the user's own."""
    intervention: Intervening | None = None
    settings: tuple[Setting, ...] = ()
    """For a prompt: where it is tried; empty is in all of the study's."""


class Control(Part, frozen=True, kw_only=True):
    """How over-correction is looked for: what is corrected that was not wrong."""

    n: int = 0
    """Questions without a misconception that are asked all the same, drawn by the
    seed, stratified by turn; 0 is none."""


class Panel(Part, frozen=True, kw_only=True):
    """Who judges, and how scores become one (paper, 4.4 and B.2)."""

    judges: tuple[str, ...] = ()
    primary: str | None = None
    """Decides where there is no majority."""
    rule: PanelRule = "majority"
    repeats: int = 1
    """Times that each judge is asked the same, since they vary also at temperature 0;
    its score is the middle one. An odd number leaves no doubt what that is."""
    lazy: bool = False
    """Whether a judge is asked only where the verdicts before it leave the panel's
    score open: the same scores for fewer calls."""
    show_prior_questions: bool = False
    show_misconception: bool = False
    prompt: str | None = None
    max_tokens: int = 512


class Budget(Part, frozen=True, kw_only=True):
    """What the whole study may cost; None is no limit."""

    usd: float | None = None
    tokens: int | None = None
    """In and out together."""


class ExpertRatings(Part, frozen=True, kw_only=True):
    """Where experts' ratings lie, relative to the study folder.

    None is the file of that name in `ratings/`, where there is one.
    """

    identification: str | None = None
    """Whether questions carry a misconception, by experts."""
    scoring: str | None = None
    """Experts' scores of answers."""


class Study(Part, frozen=True, kw_only=True):
    """Everything that decides a number."""

    name: str
    threads: str
    """File of threads, relative to the study folder."""
    seed: int = 20261130
    targets: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ("multi_turn", "target_turn", "oracle")
    """The paper's three by default; `isolated` is the fourth."""
    models: tuple[Model, ...] = ()
    select: Selection = Selection()
    identify: Identification = Identification()
    answer: Answering = Answering()
    arms: tuple[Arm, ...] = ()
    control: Control = Control()
    panel: Panel = Panel()
    budget: Budget = Budget()
    validation: ExpertRatings = ExpertRatings()
    notice: str = ""
    """A sentence that every page of the report shows at its top."""

    def model(self, name: str) -> Model:
        """Give the model of that name; it exists in a study that was read."""
        return next(model for model in self.models if model.name == name)

    def contestants(self) -> tuple["Contestant", ...]:
        """Give the targets, and behind them each once more for every arm of its.

        Example:
            >>> warn = Arm(name="warn", prompt="warn")
            >>> study = Study(name="s", threads="t", targets=("a", "b"), arms=(warn,))
            >>> [each.name for each in study.contestants()]
            ['a', 'b', 'a+warn', 'b+warn']
        """
        plain = [
            Contestant(name=name, target=name, settings=self.settings)
            for name in self.targets
        ]
        others = [
            Contestant(
                name=f"{name}+{arm.name}",
                target=name,
                settings=("intervention",)
                if arm.intervention
                else arm.settings or self.settings,
                arm=arm,
            )
            for arm in self.arms
            for name in arm.of or self.targets
        ]
        return (*plain, *others)

    def screens(self) -> tuple[str, ...]:
        """Name the models that look for failures in the panel's place, each once."""
        named = [by.screen for by in self._adaptive() if by.screen is not None]
        return tuple(dict.fromkeys(named))

    def lookers(self) -> tuple[str, ...]:
        """Name the models that judge while targets answer, for what is said next."""
        is_panel = any(by.screen is None for by in self._adaptive())
        named = (*self.screens(), *(self.panel.judges if is_panel else ()))
        return tuple(dict.fromkeys(named))

    def _adaptive(self) -> list[Intervening]:
        given = [arm.intervention for arm in self.arms if arm.intervention is not None]
        return [by for by in given if by.is_adaptive]


class Contestant(Record, frozen=True, kw_only=True):
    """A target as it is asked: plainly, or in an arm."""

    name: str
    """As in its answers and scores."""
    target: str
    """The model that is asked."""
    settings: tuple[Setting, ...]
    arm: Arm | None = None

    @property
    def intervention(self) -> Intervening | None:
        """How its answers are changed; None where they are left as they are."""
        return self.arm.intervention if self.arm is not None else None

    def baseline(self, setting: Setting) -> tuple[str, Setting]:
        """Name the target and setting that one of its settings is compared with."""
        return (self.target, "multi_turn" if setting == "intervention" else setting)


class PromptUsed(Record, frozen=True, kw_only=True):
    """A prompt in full, as it was used."""

    name: str
    sha256: str
    system: str
    user: str


class ModelUsed(Record, frozen=True, kw_only=True):
    """A model as it was really called."""

    name: str
    model: str
    roles: tuple[str, ...]
    """Of `identify`, `target`, `judge`, `primary judge`, `screen`."""
    parameters: dict[str, object]
    """As sent, under the provider's own names."""
    served_by: tuple[str, ...]
    """Snapshots that the provider says it used."""


class RunManifest(Record, frozen=True, kw_only=True):
    """manifest.json of a study: what made its numbers."""

    threadmed: str
    python: str
    study: Study
    study_sha256: str
    threads_sha256: str
    labels_sha256: str | None
    label_source: str
    """Whose labels decided what was answered."""
    prompts: tuple[PromptUsed, ...]
    models: tuple[ModelUsed, ...]
    spend: tuple[Spend, ...]
    complete: bool
    """False where an item is not yet answered, or not yet judged by all."""
