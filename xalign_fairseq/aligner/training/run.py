"""What a run of ``xalign train-aligner`` is, and whether its input is in order, before any long work."""

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from xalign_fairseq.aligner.sentence_pairs import SentencePairs
from xalign_fairseq.aligner.training.defaults import family_options
from xalign_fairseq.core.errors import XalignError, check_values
from xalign_fairseq.core.text.containers import suffix_of, text_sha256
from xalign_fairseq.core.text.corpus import require_files
from xalign_fairseq.data.prepare.sources import PairSource, PrepareOptions
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.links.pharaoh import check_bounds

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
SIMILARITIES = ("hidden", "pointer")
# awesome-align's names of objectives that are here, and of those that are not, with what is nearest to them.
ALIASES = {"so": "self_training", "co": "consistency"}
AWESOME_NAMES = {"mlm": "sentence_mlm"}
# Options of fairseq-train that make the run what this command says it is.
OWN_OPTIONS = (
    "--user-dir", "--task", "--arch", "--init-checkpoint", "--criterion", "--objectives", "--save-dir",
    "--restore-file", "--max-update", "--total-num-update", "--batch-size", "--lr", "--seed", "--patience",
    "--best-checkpoint-metric", "--validate-interval-updates", "--save-interval-updates", "--log-format", "--log-file",
    "--cpu", "--sinkhorn-backend", "--self-training-method",
    "--self-training-layer", "--dwa-label-layer", "--aer-layer",
)  # fmt: skip


class DevelopmentSet(NamedTuple):
    """Text whose gold links choose the best checkpoint."""

    src: str
    tgt: str
    gold: str


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
            ``self_training`` from those of its own that are among them.
        objectives: keys of :data:`OBJECTIVES`; the links are those of the first that labels by the model itself.
        layer: whose hidden states the links are read from; ``None`` is the layer at the depth of XLM-Align's 10 of 12.
        similarity: ``hidden`` or ``pointer``; ``None`` is the pointer where it is trained on given links.
        method: what self_training labels by, and so what the aligner's links are read by then.
        updates, batch_size: pairs in an update, on each device.
        lr: at its highest; ``None`` is awesome-align's, 2e-5, and 1e-4 with links, unless self_training checks its own
            by them.
        warmup: updates until it is reached.
        freeze_layers: the embeddings and so many layers stay as they are; ``None``: nothing does.
        freeze_encoder_updates: updates at first in which heads learn alone.
        heads_lr: the heads' own rate at its highest; ``None``: ``lr``.
        pointer_start: dwa's pointer at first, ``random`` or ``identity``.
        pointer_scale: factor of the scores that an ``identity`` begins with.
        trim_vocabulary: train only the pieces of the run's text, and put them back into the whole vocabulary then.
        validate_every: updates between two checkpoints, each with its AER.
        patience: validations without a lower AER that end the training; 0: never.
        extra: more options of fairseq-train.
        device: ``auto``, ``cpu`` or ``cuda``; like ``sinkhorn_backend``, which computes transport, and ``workers``, the
            processes that prepare the text, it does not make another run.
        chosen: the options that are meant as they are; the others may follow the model, see :meth:`for_family`. None:
            all are meant so.

    Example::

        run = TrainingRun("xlmr.base", "train.de", "train.en", Path("aligner"), ("de", "en"))
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
    pointer_scale: float = 1.0
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
        """The run with the options that are usual for a family of encoders in place of those that nobody chose.

        What is usual of the warm-up and the checkpoints ends with the updates, where these were chosen.
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
        """What links are read by: ``hidden`` or ``pointer``."""
        return self.similarity or ("pointer" if self.links and "dwa" in self.objectives else "hidden")

    @property
    def read_by(self) -> str | None:
        """What makes links before training, if it is to be what labels in training; None: as is usual for the model."""
        return self.method if self.labeller == "self_training" else None

    def sources(self) -> PrepareOptions:
        """What ``xalign prepare`` makes of the text, with the model's own tokenizer."""
        pairs = [PairSource("train", *self.languages, self.src, self.tgt, self.links)]
        if self.dev:
            pairs.append(PairSource("valid", *self.languages, *self.dev))
        return PrepareOptions(self.out / "data-bin", pairs, tokenizer=self.model, workers=self.workers, overwrite=True)

    def check(self) -> None:
        """Raise :class:`XalignError` for options that contradict each other and files that are missing or don't fit.

        What takes a pass over the training text is left to ``xalign prepare``, which does it first; options that may
        follow the model's family to :meth:`check_options`.
        """
        if self._meant("objectives"):
            self._check_objectives()
        self._check_numbers()
        if self._meant("updates", "warmup"):
            self._check_warmup()
        self._check_extra()
        require_files(list(self.files.values()), remedy="check the paths of --src, --tgt, --links and --valid-...")
        self.sources().check()
        if self.dev:
            require_fitting_gold(self.dev)

    def check_options(self) -> None:
        """Raise :class:`XalignError` for options that contradict each other, in a run as it is :meth:`for_family`."""
        self._check_objectives()
        self._check_numbers()
        self._check_warmup()

    def _meant(self, *options: str) -> bool:
        """Whether these options are meant as they are, whatever the model's family is."""
        return self.chosen is None or set(options) <= set(self.chosen)

    def _check_objectives(self) -> None:
        for name in self.objectives:
            if name not in OBJECTIVES:
                meant = AWESOME_NAMES.get(name)
                raise XalignError(
                    "an aligner is not trained by this objective",
                    parameter="objectives",
                    found=name or "nothing",
                    expected=f"some of {', '.join(OBJECTIVES)}",
                    remedy=f"awesome-align's {name} is nearest to {meant}" if meant else None,
                )
        reading = [name for name in self.objectives if OBJECTIVES[name]]
        if reading and not self.links:
            raise XalignError(
                "an objective learns from links, and there are none",
                parameter="objectives",
                found=", ".join(reading),
                remedy=f"xalign links --src {self.src} --tgt {self.tgt} --out train.links, then --links train.links",
            )
        if all(name in REGULARISERS for name in self.objectives):
            raise XalignError("nothing is learned", parameter="objectives", found=", ".join(self.objectives) or "none")
        if self.links and not reading and self.labeller is None:
            raise XalignError(
                "no objective learns from the links",
                parameter=("links", "objectives"),
                found=", ".join(self.objectives),
                expected="self_training, dwa, word_contrastive, l2_align or word_exchange among them",
            )
        if self.similarity == "pointer" and "dwa" not in self.objectives:
            raise XalignError(
                "the pointer is trained by dwa alone", parameter="similarity", found=", ".join(self.objectives)
            )
        if self.chosen is not None and "method" in self.chosen and "self_training" not in self.objectives:
            raise XalignError(
                "no objective labels by this method",
                parameter="method",
                found=", ".join(self.objectives),
                expected="self_training among them",
                remedy="of dwa's labels: -- --dwa-filter argmax",
            )

    def _check_numbers(self) -> None:
        least = {"updates": 1, "batch_size": 1, "validate_every": 1, "patience": 0, "workers": 1, "warmup": 0,
                 "freeze_encoder_updates": 0}  # fmt: skip
        check_values(
            "a parameter is out of range",
            *((name, getattr(self, name), getattr(self, name) >= low, f"{low} or more") for name, low in least.items()),
            ("seed", self.seed, 0 <= self.seed < 2**32, "from 0 to 4,294,967,295"),
            ("lr", self.lr, self.learning_rate > 0, "a number above 0"),
            ("heads_lr", self.heads_lr, self.heads_lr is None or self.heads_lr > 0, "a number above 0"),
        )

    def _check_warmup(self) -> None:
        if self.warmup > self.updates:
            raise XalignError(
                "the rate has not reached its height when the training ends",
                parameter="warmup",
                found=self.warmup,
                expected=f"at most --updates, {self.updates}",
            )

    def _check_extra(self) -> None:
        own = [option for option in (each.split("=")[0] for each in self.extra) if option in OWN_OPTIONS]
        if own:
            raise XalignError(
                "these options of fairseq-train are set by the run itself",
                found=", ".join(own),
                remedy="use this command's own options, or xalign prepare and fairseq-train",
            )

    def identity(self, model_digest: str, layer: int) -> dict[str, Any]:
        """All that decides the run's result; of files the digest of what is in them."""
        return {
            "model": model_digest,
            "files": {part: _digest(path) for part, path in self.files.items()},
            "languages": self.name,
            "objectives": ",".join(self.objectives),
            "layer": layer,
            "similarity": self.measure,
            "updates": self.updates,
            "batch_size": self.batch_size,
            "lr": self.learning_rate,
            "validate_every": self.validate_every,
            "patience": self.patience,
            "seed": self.seed,
            "fairseq-train": list(self.extra),
            **({"method": self.method} if self.method != "argmax" else {}),
            **({"warmup": self.warmup} if self.warmup else {}),
            **({"freeze_layers": self.freeze_layers} if self.freeze_layers is not None else {}),
            **({"freeze_encoder_updates": self.freeze_encoder_updates} if self.freeze_encoder_updates else {}),
            **({"heads_lr": self.heads_lr} if self.heads_lr is not None else {}),
            **({"pointer_start": self.pointer_start} if self.pointer_start != "random" else {}),
            **({"pointer_scale": self.pointer_scale} if self.pointer_scale != 1 else {}),
            **({"trim_vocabulary": True} if self.trim_vocabulary else {}),
        }


def require_fitting_gold(dev: DevelopmentSet) -> None:
    """Raise :class:`XalignError` unless the three files of a development set belong together and hold gold links."""
    lengths = [(len(src), len(tgt)) for src, tgt in SentencePairs(dev.src, dev.tgt)]
    golds = read_gold(dev.gold, pairs=len(lengths))
    check_bounds([gold.possible for gold in golds], lengths, where=dev.gold)
    if not any(gold.possible for gold in golds):
        raise XalignError(
            "the gold file has no link", where=dev.gold, expected="i-j (sure) and ipj (possible), 0-based"
        )


def objectives_of(names: str) -> tuple[str, ...]:
    """Objectives by their names here or awesome-align's, separated by commas.

    Example::

        objectives_of("so,tlm")  # ("self_training", "tlm")
    """
    return tuple(ALIASES.get(name, name) for name in names.split(","))


def languages_of(src: str | os.PathLike[str], tgt: str | os.PathLike[str]) -> tuple[str, str]:
    """The languages that two files are named by, as in ``train.de`` and ``train.en``.

    Raises:
        XalignError: their names end alike, or in no language.
    """
    first, second = (suffix_of(path)[1:] for path in (src, tgt))
    if not first or not second or first == second:
        raise XalignError(
            "the files do not say which languages they are in",
            where=f"{src}, {tgt}",
            expected="names that end in two languages, as train.de and train.en",
            remedy="--languages SRC-TGT",
        )
    return first, second


def development_set(src: str | None, tgt: str | None, gold: str | None) -> DevelopmentSet | None:
    """The three files, or None; :class:`XalignError` for some of them alone."""
    parts: Sequence[str | None] = (src, tgt, gold)
    if src is not None and tgt is not None and gold is not None:
        return DevelopmentSet(src, tgt, gold)
    if any(part is not None for part in parts):
        names = ("--valid-src", "--valid-tgt", "--valid-gold")
        raise XalignError(
            "the development set is not complete",
            found=", ".join(name for name, part in zip(names, parts, strict=True) if part is not None),
            expected=", ".join(names),
            remedy="give all three, or none: then the last checkpoint is the result",
        )
    return None


def _digest(path: str) -> str:
    digest, hash_sign, part = text_sha256(path).partition("#")
    return digest[:16] + hash_sign + part
