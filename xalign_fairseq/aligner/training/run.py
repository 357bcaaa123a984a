"""The definition of an aligner's training; parameters and files are checked before long work."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from xalign_fairseq.aligner.training.text import DevelopmentSet
from xalign_fairseq.core.counts import listed
from xalign_fairseq.core.errors import Command, Parameter, XalignError, check_values
from xalign_fairseq.core.text.containers import text_sha256
from xalign_fairseq.core.text.corpus import require_files
from xalign_fairseq.core.text.pairs import require_texts
from xalign_fairseq.data.prepare.sources import PairSource, PrepareOptions
from xalign_fairseq.links.gold import GoldText, read_gold_text

# e5-small's options, and more of them if self-training makes the links.
# Chosen on development gold: Hansards' trial, INESC's en-fr, WPT05's en-hi trial, and XL-WA's en-es, en-ru and en-hu
# for pairs without their own text. Trimming saves memory, and time where an objective predicts pieces; the result is
# the same.
E5_SMALL = {"layer": 7, "freeze_layers": 0, "pointer_start": "identity", "trim_vocabulary": True}
E5_SMALL_BY_ITSELF = {
    "objectives": ("self_training",),
    "method": "grow",
    "updates": 200,
    "batch_size": 32,
    "lr": 2e-5,
    "warmup": 50,
    "validate_every": 50,
}
LINK_READERS = ("word_contrastive", "l2_align", "word_exchange")  # need prepared links
REGULARISERS = ("reg_param", "reg_hidden")
# Objectives that can learn from one bitext.
OBJECTIVES = (
    *("self_training", "consistency", "psi", "dwa", "tlm", "sentence_mlm", "moco", "ot_align"),
    *LINK_READERS,
    *REGULARISERS,
)
# The objectives that train a model to label links.
LABELLERS = ("self_training", "dwa")
# Parameters that belong to a run's identity.
IDENTITY_FIELDS = (
    *("updates", "batch_size", "validate_every", "patience", "seed", "method", "warmup", "freeze_layers"),
    *("pointer_start", "trim_vocabulary"),
)
# awesome-align's names of objectives -> the equal or most similar objective here.
ALIASES = {"so": "self_training", "co": "consistency"}
AWESOME_NAMES = {"mlm": "sentence_mlm"}
# Options of fairseq-train that users may not set after --.
NOT_TO_OVERRIDE = (
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
        model: as in :func:`xalign_fairseq.encoder.pretrained.reading.read_pretrained`.
        src, tgt: the bitext, one sentence per line.
        out: the run's folder.
        languages: the languages of both sides.
        dev: the development set. Without one there is no validation and no early stopping; the last checkpoint is the
            result.
        links: Pharaoh links of the bitext. ``dwa`` then learns from these links instead of the model's labels;
            ``self_training`` keeps only its own links that are also among these.
        objectives: some of :data:`OBJECTIVES`; the first one that labels links decides how links are made.
        layer: layer for links; ``None``: the depth of XLM-Align's layer 10 of 12.
        similarity: ``hidden`` or ``pointer``; ``None``: the pointer if it is trained on given links.
        method: labelling method of self_training, then also the aligner's method.
        updates, batch_size: number of updates; pairs per update on each device.
        lr: peak learning rate. ``None``: awesome-align's 2e-5; with links 1e-4, unless self_training uses the links as
            a filter.
        warmup: updates until the peak.
        freeze_layers: the embeddings and this number of layers are not trained; ``None``: all are trained.
        pointer_start: initial values of dwa's pointer, ``random`` or ``identity``.
        trim_vocabulary: train only the pieces of the run's text, then put them back into the whole vocabulary.
        validate_every: updates between checkpoints, each with its AER.
        patience: end the training after this number of validations without a lower AER; 0: never.
        extra: further options of fairseq-train.
        device: ``auto``, ``cpu`` or ``cuda``. ``device``, ``sinkhorn_backend`` (for transport) and ``workers``
            (processes that prepare the text) are not part of the run's identity.
        chosen: options set by the user; others may follow the model, see :meth:`for_family`. None: all.
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
        """The run with a family's defaults (of e5-small only) for options that were not chosen.

        If the number of updates was given, the defaults of warm-up and checkpoints are at most that number.
        """
        if self.chosen is None or family != "e5-small":
            return self
        without_head = self.objectives[:1] == ("self_training",) if "objectives" in self.chosen else not self.links
        usual: dict[str, Any] = E5_SMALL | (E5_SMALL_BY_ITSELF if without_head and self.similarity != "pointer" else {})
        if "updates" in self.chosen:
            usual |= {name: min(usual[name], self.updates) for name in ("warmup", "validate_every") if name in usual}
        return replace(self, **{name: value for name, value in usual.items() if name not in self.chosen})

    @property
    def name(self) -> str:
        """The language pair, as in ``de-en``."""
        return "-".join(self.languages)

    @property
    def files(self) -> dict[str, str]:
        """Every text and link file, by its role in the run."""
        dev = {f"dev {part}": path for part, path in self.dev._asdict().items()} if self.dev else {}
        return {"src": self.src, "tgt": self.tgt, **({"links": self.links} if self.links else {}), **dev}

    @property
    def learning_rate(self) -> float:
        """The option's value or default."""
        return self.lr if self.lr is not None else 1e-4 if self.links and self.labeller != "self_training" else 2e-5

    @property
    def labeller(self) -> str | None:
        """The first objective that trains the model to label links."""
        return next((each for each in self.objectives if each in LABELLERS), None)

    @property
    def link_similarity(self) -> str:
        """The similarity for links: ``hidden`` or ``pointer``."""
        return self.similarity or ("pointer" if self.links and "dwa" in self.objectives else "hidden")

    @property
    def method_before(self) -> str | None:
        """The method of the AER before training; None: the model's own."""
        return self.method if self.labeller == "self_training" else None

    def sources(self) -> PrepareOptions:
        """The options of ``xalign prepare`` for the text, with the model's own tokenizer."""
        pairs = [PairSource("train", *self.languages, self.src, self.tgt, self.links)]
        if self.dev:
            pairs.append(PairSource("valid", *self.languages, *self.dev))
        return PrepareOptions(self.out / "data-bin", pairs, tokenizer=self.model, workers=self.workers, overwrite=True)

    def check(self) -> GoldText | None:
        """The development set, if there is one; :class:`XalignError` for contradicting parameters and missing files.

        The run is one from :meth:`for_family`; ``prepare`` checks the training text.
        """
        self._check_objectives()
        self._check_numbers()
        if own := [option for option in (each.split("=")[0] for each in self.extra) if option in NOT_TO_OVERRIDE]:
            raise XalignError(
                "these options of fairseq-train are set by the run itself",
                found=", ".join(own),
                remedy=("use this command's own options, or", Command("prepare"), "and", Command("train")),
            )
        require_files(list(self.files.values()), remedy="check the paths of the texts, the links and the gold links")
        require_texts(self.src, self.tgt)
        self.sources().check()
        return read_gold_text(*self.dev) if self.dev else None

    def _check_objectives(self) -> None:
        found, reading = ", ".join(self.objectives), [name for name in self.objectives if name in LINK_READERS]
        unknown = next((name for name in self.objectives if name not in OBJECTIVES), None)
        if unknown is not None:
            meant = AWESOME_NAMES.get(unknown)
            raise XalignError(
                "an aligner cannot be trained with this objective",
                parameter="objectives",
                found=unknown or "nothing",
                expected=f"some of {', '.join(OBJECTIVES)}",
                remedy=f"use {meant} for awesome-align's {unknown}" if meant else None,
            )
        if reading and not self.links:
            links = Command("links", Parameter("src", self.src), Parameter("tgt", self.tgt), Parameter("out", "FILE"))
            raise XalignError(
                "an objective needs links, and none are given",
                parameter="objectives",
                found=", ".join(reading),
                remedy=(links, "writes some; then set", Parameter("links", "FILE")),
            )
        if all(name in REGULARISERS for name in self.objectives):
            raise XalignError("all objectives are regularisers", parameter="objectives", found=found or "none")
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
                remedy=("for dwa, give fairseq-train", Parameter("dwa_filter")),
            )

    def _check_numbers(self) -> None:
        least = {"updates": 1, "batch_size": 1, "validate_every": 1, "patience": 0, "workers": 1, "warmup": 0}
        check_values(
            "a parameter is out of range",
            *((name, getattr(self, name), getattr(self, name) >= low, f"{low} or more") for name, low in least.items()),
            ("seed", self.seed, 0 <= self.seed < 2**32, "from 0 to 4,294,967,295"),
            ("lr", self.lr, self.learning_rate > 0, "a number above 0"),
        )
        fits = self.warmup <= self.updates
        check_values("warmup exceeds updates", ("warmup", self.warmup, fits, f"at most {self.updates}"))

    def identity(self, model_digest: str, layer: int) -> dict[str, Any]:
        """Everything that determines the result; for files, the digest of their content."""
        return {
            "model": model_digest,
            "files": {part: text_sha256(path) for part, path in self.files.items()},
            "languages": self.name,
            "objectives": ",".join(self.objectives),
            "layer": layer,
            "similarity": self.link_similarity,
            "lr": self.learning_rate,
            "fairseq-train": list(self.extra),
            **{name: getattr(self, name) for name in IDENTITY_FIELDS},
        }


def objectives_of(names: str) -> tuple[str, ...]:
    """Objectives by names of this package or of awesome-align, separated by commas."""
    return tuple(ALIASES.get(name, name) for name in listed(names))
