"""The definition of a run, its folder, and the command line of its training."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from xalign_fairseq.core.devices import training_device
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.json_files import read_json, require_form
from xalign_fairseq.core.locks import require_identity
from xalign_fairseq.trainer.fairseq_train import encoder_options, flags, named
from xalign_fairseq.transfer.results import FORMAT
from xalign_fairseq.transfer.settings import Settings, optimiser_options

MODEL = "checkpoints/checkpoint_best.pt"
# Fields of a result that do not define its training, or may differ between runs of the same training.
_APART = {
    *("format", "checkpoint", "task", "benchmark", "family", "models", "train_languages"),
    *("seed", "place", "digests"),
}


@dataclass(frozen=True)
class RunSpec:
    """Everything that determines a run's result; ``place`` has the paths of its files on this machine.

    Attributes:
        encoder: its sizes, and its language embeddings and layer norms if they differ from XLM-R's, by fairseq's names.
        models: ``one`` for all training languages, or one for ``each``.
        settings, options: those of :class:`~xalign_fairseq.transfer.settings.Settings`, for training; the family's.
        precision: ``fp32``, ``fp16`` or ``bf16``; on a CPU and in prediction it applies only to products (autocast).
        digests: part (``train``, ``valid``, ``test``) -> language -> digest of the file.
        place: ``checkpoint``, ``data``, ``cpu``, ``files`` (part -> language -> path), ``unlabelled`` languages.
        score: the metrics of the task's score if they differ from the benchmark's.
    """

    checkpoint: str
    checkpoint_digest: str
    encoder: Mapping[str, int | float | str]
    task: str
    benchmark: str
    family: str
    models: str
    train_languages: Sequence[str]
    valid_languages: Sequence[str]
    seed: int
    holdout: float | None
    code_switch: bool
    settings: Mapping[str, Any]
    options: Mapping[str, Any]
    train_examples: int
    updates: int
    warmup_updates: int
    precision: str
    digests: Mapping[str, Mapping[str, str]]
    place: Mapping[str, Any]
    score: Sequence[str] = ()

    @property
    def name(self) -> str:
        """``CHECKPOINT/TASK/LANGUAGES/SEED``, also the run's folder below ``runs``."""
        return f"{self.checkpoint}/{self.task}/{'+'.join(self.train_languages) or 'none'}/{self.seed}"

    def folder(self, out: Path) -> Path:
        return out / "runs" / self.name

    def as_data(self) -> dict[str, Any]:
        """The content of ``spec.json``."""
        return {"format": FORMAT, **json.loads(json.dumps(asdict(self)))}

    def made_by(self) -> dict[str, Any]:
        """The definition of this run's training, the same for all seeds and without paths."""
        data = self.as_data()
        digests = {part: found for part, found in data["digests"].items() if part != "test"}
        return {**{key: value for key, value in data.items() if key not in _APART}, "digests": digests}

    @classmethod
    def read(cls, path: Path) -> "RunSpec":
        """The inverse of :meth:`as_data`, from a file."""
        data = read_json(path)
        require_form(data, cls, path)
        return cls(**{each.name: data[each.name] for each in fields(cls) if each.name in data})


def is_done(spec: RunSpec, out: Path) -> bool:
    """Whether the run is finished; an error if its folder has another run, or one without these test files."""
    folder = spec.folder(out)
    path, finished = folder / "spec.json", (folder / "result.json").is_file()
    made = finished or any(any(folder.glob(name)) for name in ("checkpoints/*.pt", "trained.json"))
    if not made:
        return False
    if not path.is_file():
        remedy = ("choose another", Parameter("out"), "or remove this folder")
        raise XalignError("a run has no definition, so it can't be continued", where=path, remedy=remedy)
    mine, found = spec.as_data(), RunSpec.read(path).as_data()
    wanted, known = mine["digests"].pop("test"), found["digests"].pop("test")
    if finished:  # before that, the test files may change; a finished run may have tested more of them
        if untested := [language for language in wanted if language not in known]:
            problem = f"the finished run was not tested in: {', '.join(untested)}"
            raise XalignError(problem, where=folder, remedy=("choose another", Parameter("out")))
        mine["digests of tests"] = wanted
        found["digests of tests"] = {language: known[language] for language in wanted}
    require_identity(folder, found | {"place": None}, mine | {"place": None})
    return finished


def train_options(spec: RunSpec, save_dir: Path) -> list[str]:
    """The arguments of ``fairseq-train``."""
    settings, place = Settings(**spec.settings), spec.place
    on_cpu = training_device(place["cpu"]).type == "cpu"  # also without a GPU if the option was not given
    task: dict[str, Any] = {
        "--task": f"xalign_{spec.family}",
        "--criterion": "transfer",
        "--benchmark": spec.benchmark,
        "--train-langs": spec.train_languages,
        "--train-files": [f"{language}={path}" for language, path in place["files"]["train"].items()],
        "--code-switch": spec.code_switch,
        "--max-length": settings.max_length,
        "--overlap": settings.overlap,
        "--pair-separators": settings.pair_separators,
        "--score-metric": spec.score[0] if spec.score else None,
        "--freeze-layers": settings.freeze_layers,
        "--feature-based": settings.feature_based,
        "--extra-layers": settings.extra_layers if settings.feature_based else None,
        **named(spec.options),
    }
    if spec.holdout is not None:
        task["--holdout"] = spec.holdout
    else:
        task["--valid-langs"] = spec.valid_languages
        task["--valid-files"] = [f"{language}={path}" for language, path in place["files"]["valid"].items()]
    model: dict[str, Any] = {
        **encoder_options(spec.encoder, place["checkpoint"]),
        "--dropout": settings.dropout,
        "--attention-dropout": settings.attention_dropout,
        "--autocast": "yes" if spec.precision == "bf16" and on_cpu else None,
    }
    rest: dict[str, Any] = {
        "--seed": spec.seed,
        "--cpu": place["cpu"],
        "--fp16": spec.precision == "fp16",
        "--bf16": spec.precision == "bf16" and not on_cpu,
        "--num-workers": 0,
        "--save-dir": save_dir,
        "--no-epoch-checkpoints": True,
        "--best-checkpoint-metric": "score",
        "--maximize-best-checkpoint-metric": True,
        "--log-format": "json",
        "--log-interval": 50,
    }
    optimiser = optimiser_options(settings, spec.updates, spec.warmup_updates)
    return [str(place["data"]), *flags(task), *flags(model), *optimiser, *flags(rest)]


def shown_command(spec: RunSpec, save_dir: Path) -> str:
    """The training of a run as a shell command; empty for retrieval, which needs no training."""
    return shlex.join(["fairseq-train", *train_options(spec, save_dir)]) if spec.train_languages else ""
