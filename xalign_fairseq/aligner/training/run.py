"""The training of an aligner, with checks of its parameters and files before any long work."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from xalign_fairseq.aligner.training.text import DevelopmentSet, text_digest
from xalign_fairseq.core.errors import Command, Parameter, XalignError, check_values
from xalign_fairseq.core.text.corpus import require_files
from xalign_fairseq.data.prepare.sources import PairSource, PrepareOptions
from xalign_fairseq.links.gold import GoldText, read_gold_text

Options = Mapping[str, Any]


class FamilyTraining(NamedTuple):
    """Options of a run: for all runs, for runs that learn from the model's own links without a head, and for others."""

    any: Options
    self_labelled: Options
    other: Options


# By development gold: Hansards' trial, INESC's en-fr, WPT05's en-hi trial, and XL-WA's en-es, en-ru and en-hu for pairs
# without text of their own. Speed decides on trimming: only objectives that predict pieces pay for the vocabulary.
FAMILIES: Mapping[str, FamilyTraining] = MappingProxyType(
    {
        "e5-small": FamilyTraining(
            any={"layer": 7, "freeze_layers": 0, "pointer_start": "identity"},
            self_labelled={
                "objectives": ("self_training",),
                "method": "grow",
                "updates": 200,
                "batch_size": 32,
                "lr": 2e-5,
                "warmup": 50,
                "validate_every": 50,
            },
            other={"trim_vocabulary": True},
        )
    }
)


def family_options(family: str | None, self_labelled: bool) -> dict[str, Any]:
    """The options of a training that a known family of encoders has for its own; none for any other model."""
    found = FAMILIES.get(family or "")
    return {} if found is None else {**found.any, **(found.self_labelled if self_labelled else found.other)}


# What can be learned from one bitext, and whether it is learned from prepared links.
OBJECTIVES = {
    "self_training": False,
    "consistency": False,
    "psi": False,
    "dwa": False,
    "tlm": False,
    "sentence_mlm": False,
    "moco": False,
    "ot_align": False,
    "word_contrastive": True,
    "l2_align": True,
    "word_exchange": True,
    "reg_param": False,
    "reg_hidden": False,
}
# The objectives that make a model label links itself.
LABELLERS = ("self_training", "dwa")
REGULARISERS = ("reg_param", "reg_hidden")
# Parameters that are part of a run's identity unchanged.
ALWAYS_OWN = (
    *("updates", "batch_size", "validate_every", "patience", "seed", "method", "warmup", "freeze_layers"),
    *("freeze_encoder_updates", "heads_lr", "pointer_start", "trim_vocabulary"),
)
# awesome-align's names of objectives, with the equal or most similar objective of this package.
ALIASES = {"so": "self_training", "co": "consistency"}
AWESOME_NAMES = {"mlm": "sentence_mlm"}
# Options of fairseq-train that make the run what this command says it is.
OWN_OPTIONS = (
    *("--user-dir", "--task", "--arch", "--init-checkpoint", "--criterion", "--objectives", "--save-dir", "--seed"),
    *("--restore-file", "--max-update", "--total-num-update", "--batch-size", "--lr", "--patience", "--cpu"),
    *("--best-checkpoint-metric", "--validate-interval-updates", "--save-interval-updates", "--log-format"),
    *("--log-file", "--sinkhorn-backend", "--self-training-method", "--self-training-layer", "--dwa-label-layer"),
    "--aer-layer",
)


@dataclass(frozen=True)
class TrainingRun:
    """All options of a run.

    Args:
        model: what :func:`xalign_fairseq.encoder.pretrained.reading.read_pretrained` reads.
        src, tgt: the bitext, one sentence a line.
        out: the run's folder.
        languages: of the sides.
        dev: without it there is neither validation nor early stopping, and the last checkpoint is the result.
        links: Pharaoh links of the bitext. ``dwa`` then learns from them, and not from the model's own labels;
            ``self_training`` keeps only those of its own links that are among them.
        objectives: keys of :data:`OBJECTIVES`; the links are those of the first that labels by the model itself.
        layer: whose hidden states the links are read from; ``None`` is the layer at the depth of XLM-Align's 10 of 12.
        similarity: ``hidden`` or ``pointer``; ``None`` is the pointer where it is trained on given links.
        method: what self_training labels by, and so what the aligner's links are read by then.
        updates, batch_size: pairs in an update, on each device.
        lr: at its highest; ``None`` is awesome-align's, 2e-5, and 1e-4 with links, unless self_training checks its own
            by them.
        warmup: updates until it is reached.
        freeze_layers: the embeddings and this number of layers are not trained; ``None``: all are trained.
        freeze_encoder_updates: first updates, which train only heads.
        heads_lr: the heads' own rate at its highest; ``None``: ``lr``.
        pointer_start: dwa's pointer at first, ``random`` or ``identity``.
        trim_vocabulary: train only the pieces of the run's text, and put them back into the whole vocabulary then.
        validate_every: updates between two checkpoints, each with its AER.
        patience: validations without a lower AER that end the training; 0: never.
        extra: more options of fairseq-train.
        device: ``auto``, ``cpu`` or ``cuda``; like ``sinkhorn_backend``, which computes transport, and ``workers``, the
            processes that prepare the text, it does not make another run.
        chosen: the options that were chosen; the others may follow the model, see :meth:`for_family`. None: all.
    """

    model: str
    src: str
    tgt: str
    out: Path
    languages: tuple[str, str]
    dev: DevelopmentSet | None = None
    links: str | None = None
    objectives: tuple[str, ...] = ("dwa", "tlm")
    layer: int | None = None
    similarity: str | None = None
    method: str = "argmax"
    updates: int = 20000
    batch_size: int = 8
    lr: float | None = None
    warmup: int = 0
    freeze_layers: int | None = None
    freeze_encoder_updates: int = 0
    heads_lr: float | None = None
    pointer_start: str = "random"
    trim_vocabulary: bool = False
    validate_every: int = 1000
    patience: int = 5
    seed: int = 1
    extra: tuple[str, ...] = ()
    device: str = "auto"
    sinkhorn_backend: str = "auto"
    workers: int = 1
    chosen: Collection[str] | None = None

    def for_family(self, family: str | None) -> "TrainingRun":
        """The run with the defaults of a family of encoders for options that were not chosen.

        If the number of updates was given, the defaults of warm-up and checkpoints are at most that number.
        """
        if self.chosen is None:
            return self
        without_head = self.objectives[:1] == ("self_training",) if "objectives" in self.chosen else not self.links
        usual = family_options(family, self_labelled=without_head and self.similarity != "pointer")
        if "updates" in self.chosen:
            usual |= {name: min(usual[name], self.updates) for name in ("warmup", "validate_every") if name in usual}
        return replace(self, **{name: value for name, value in usual.items() if name not in self.chosen})

    @property
    def name(self) -> str:
        """The language pair, as in ``de-en``."""
        return "-".join(self.languages)

    @property
    def files(self) -> dict[str, str]:
        """Every text and link file, by its part in the run."""
        dev = {f"dev {part}": path for part, path in self.dev._asdict().items()} if self.dev else {}
        return {"src": self.src, "tgt": self.tgt, **({"links": self.links} if self.links else {}), **dev}

    @property
    def learning_rate(self) -> float:
        """The option's value or default."""
        return self.lr if self.lr is not None else 1e-4 if self.links and self.labeller != "self_training" else 2e-5

    @property
    def labeller(self) -> str | None:
        """The first objective that makes the model label links itself."""
        return next((each for each in self.objectives if each in LABELLERS), None)

    @property
    def measure(self) -> str:
        """The similarity that links are read by: ``hidden`` or ``pointer``."""
        return self.similarity or ("pointer" if self.links and "dwa" in self.objectives else "hidden")

    @property
    def read_by(self) -> str | None:
        """The linking before training, if it is the one that labels in training; None: the model's default."""
        return self.method if self.labeller == "self_training" else None

    def sources(self) -> PrepareOptions:
        """The options of ``xalign prepare`` for the text, with the model's own tokenizer."""
        pairs = [PairSource("train", *self.languages, self.src, self.tgt, self.links)]
        if self.dev:
            pairs.append(PairSource("valid", *self.languages, *self.dev))
        return PrepareOptions(self.out / "data-bin", pairs, tokenizer=self.model, workers=self.workers, overwrite=True)

    def check(self) -> GoldText | None:
        """The development set, if there is one; errors come before any long work.

        :meth:`check_options` checks parameters that may depend on the model's family; ``prepare`` checks the training
        text.
        """
        if self._meant("objectives"):
            self._check_objectives()
        self._check_numbers(warmup=self._meant("updates", "warmup"))
        if own := [option for option in (each.split("=")[0] for each in self.extra) if option in OWN_OPTIONS]:
            raise XalignError(
                "these options of fairseq-train are set by the run itself",
                found=", ".join(own),
                remedy=("use this command's own options, or", Command("prepare"), "and", Command("train")),
            )
        require_files(list(self.files.values()), remedy="check the paths of the texts, the links and the gold links")
        self.sources().check()
        return read_gold_text(*self.dev) if self.dev else None

    def check_options(self) -> None:
        """Raise :class:`XalignError` for parameters that contradict each other, in one :meth:`for_family`."""
        self._check_objectives()
        self._check_numbers(warmup=True)

    def _meant(self, *options: str) -> bool:
        """Whether these parameters were chosen, so that the model's family does not change them."""
        return self.chosen is None or set(options) <= set(self.chosen)

    def _check_objectives(self) -> None:
        found, reading = ", ".join(self.objectives), [name for name in self.objectives if OBJECTIVES.get(name)]
        unknown = next((name for name in self.objectives if name not in OBJECTIVES), None)
        if unknown is not None:
            meant = AWESOME_NAMES.get(unknown)
            raise XalignError(
                "an aligner cannot be trained with this objective",
                parameter="objectives",
                found=unknown or "nothing",
                expected=f"some of {', '.join(OBJECTIVES)}",
                remedy=f"awesome-align's {unknown} is nearest to {meant}" if meant else None,
            )
        if reading and not self.links:
            links = Command("links", Parameter("src", self.src), Parameter("tgt", self.tgt), Parameter("out", "FILE"))
            raise XalignError(
                "an objective learns from links, and there are none",
                parameter="objectives",
                found=", ".join(reading),
                remedy=(links, "makes some; then set", Parameter("links", "FILE")),
            )
        if all(name in REGULARISERS for name in self.objectives):
            raise XalignError("nothing is learned", parameter="objectives", found=found or "none")
        if self.links and not reading and self.labeller is None:
            expected = "self_training, dwa, word_contrastive, l2_align or word_exchange among them"
            problem = "no objective learns from the links"
            raise XalignError(problem, parameter=("links", "objectives"), found=found, expected=expected)
        if self.similarity == "pointer" and "dwa" not in self.objectives:
            raise XalignError("only dwa trains the pointer", parameter="similarity", found=found)
        if self.chosen is not None and "method" in self.chosen and "self_training" not in self.objectives:
            raise XalignError(
                "no objective uses this labelling method",
                parameter="method",
                found=found,
                expected="self_training among them",
                remedy=("dwa's labels have an option of fairseq-train,", Parameter("dwa_filter")),
            )

    def _check_numbers(self, warmup: bool) -> None:
        least = {"updates": 1, "batch_size": 1, "validate_every": 1, "patience": 0, "workers": 1, "warmup": 0}
        least["freeze_encoder_updates"] = 0
        check_values(
            "a parameter is out of range",
            *((name, getattr(self, name), getattr(self, name) >= low, f"{low} or more") for name, low in least.items()),
            ("seed", self.seed, 0 <= self.seed < 2**32, "from 0 to 4,294,967,295"),
            ("lr", self.lr, self.learning_rate > 0, "a number above 0"),
            ("heads_lr", self.heads_lr, self.heads_lr is None or self.heads_lr > 0, "a number above 0"),
        )
        if warmup:
            fits = self.warmup <= self.updates
            check_values("warmup exceeds updates", ("warmup", self.warmup, fits, f"at most {self.updates}"))

    def identity(self, model_digest: str, layer: int) -> dict[str, Any]:
        """Everything that determines the result; for files, the digest of their content."""
        return {
            "model": model_digest,
            "files": {part: text_digest(path) for part, path in self.files.items()},
            "languages": self.name,
            "objectives": ",".join(self.objectives),
            "layer": layer,
            "similarity": self.measure,
            "lr": self.learning_rate,
            "fairseq-train": list(self.extra),
            **{name: getattr(self, name) for name in ALWAYS_OWN},
        }


def objectives_of(names: str) -> tuple[str, ...]:
    """Objectives by their names here or awesome-align's, separated by commas."""
    return tuple(ALIASES.get(name, name) for name in names.split(","))
