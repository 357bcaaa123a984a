"""The transfer tasks: fine-tune on a benchmark's training files, ``--task xalign_FAMILY --benchmark NAME``."""

import logging
from dataclasses import dataclass, make_dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Optional

from fairseq.dataclass import FairseqDataclass
from fairseq.tasks import register_task
from omegaconf import II, MISSING

from xalign_fairseq.core.counts import listed
from xalign_fairseq.core.devices import keep_freed_memory, training_device
from xalign_fairseq.core.errors import Command, XalignError
from xalign_fairseq.data.pretraining import option
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import HEAD, LanguageMaps, load_maps
from xalign_fairseq.encoder.pretrained.reading import open_model
from xalign_fairseq.encoder.vocabulary import tokenizer_state
from xalign_fairseq.tasks.base import XalignTask
from xalign_fairseq.tasks.transfer_dataset import TransferDataset
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, SPLITS, find
from xalign_fairseq.transfer.family import TASK_FAMILIES, Limits, TaskFamily, require_languages, require_positions
from xalign_fairseq.transfer.heads.features import Features
from xalign_fairseq.transfer.task_record import TaskRecord

logger = logging.getLogger(__name__)


@dataclass
class TransferConfig(FairseqDataclass):
    """Options of every transfer task; its family adds more."""

    data: str = option(MISSING, "folder with the benchmark's files, under XTREME's names")
    benchmark: str = option(MISSING, "benchmark of the files; each task lists its benchmarks")
    train_langs: str = option("en", "training languages, separated by commas")
    train_files: Optional[str] = option(None, "LANG=FILE,... instead of the files of --train-langs in the folder")
    valid_langs: str = option("en", "languages whose validation score selects the model")
    valid_files: Optional[str] = option(None, "LANG=FILE,... instead of the files of --valid-langs in the folder")
    holdout: float = option(0.0, "validate on this share of the training examples instead of validation files")
    code_switch: bool = option(
        False, "replace each translated training example by its two mixtures with the English example (PPA)"
    )
    freeze_layers: Optional[int] = option(
        None,
        "freeze the embeddings and the first N layers (0: only the embeddings), which keeps other languages' words "
        "aligned with the training language's",
    )
    max_length: int = option(128, "maximum window of tokens, with special tokens")
    overlap: int = option(32, "tokens shared by consecutive windows of a long text")
    pair_separators: Optional[int] = option(
        None,
        "number of </s> between two texts: 1 (this package's bitext) or 2; default: as the encoder's tokenizer joins "
        "pairs (XLM-R 2, BERT 1)",
    )
    score_metric: Optional[str] = option(None, "metric that selects the model (default: the benchmark's first)")
    debug: bool = option(False, "show tracebacks of input errors")
    # fairseq's own options: the seed keys every draw; freed memory is kept on a CPU.
    seed: int = II("common.seed")
    cpu: bool = II("common.cpu")


class TransferTask(XalignTask):
    """Fine-tune on one benchmark; :func:`_register` makes a subclass per family."""

    cfg: Any
    family_name: ClassVar[str]

    def __init__(self, cfg: Any, from_checkpoint: bool = False):
        super().__init__(cfg, from_checkpoint)
        self.init_checkpoint: str | None = None
        self.encoder_config: EncoderConfig | None = None
        mine = [name for name, each in BENCHMARKS.items() if each.family == self.family_name]
        if cfg.benchmark not in mine:
            where, expected = f"xalign_{self.family_name}", ", ".join(mine)
            raise XalignError("the task has no such benchmark", where=where, parameter="benchmark", expected=expected)
        self.benchmark = BENCHMARKS[cfg.benchmark]
        [self.metric, *_] = self.benchmark.score([cfg.score_metric] if cfg.score_metric else [], "score_metric")
        self.train_groups, self.valid_groups, labels = self.benchmark.read_training(
            self._files("train"),
            {} if cfg.holdout else self._files("valid"),
            code_switch=cfg.code_switch,
            holdout=cfg.holdout,
        )
        separators = Limits.separators if cfg.pair_separators is None else cfg.pair_separators
        self.spec = TaskRecord(
            cfg.benchmark,
            tuple(labels),
            Limits(cfg.max_length, cfg.overlap, separators),
            {name: getattr(cfg, name) for name in TASK_FAMILIES[self.family_name].defaults},
            {name: getattr(cfg, name) for name in Features.defaults},
        )

    @property
    def tokenizer(self) -> Tokenizer:
        """The encoder's tokenizer; :meth:`build_model` gives the encoder's options to the task."""
        return self._initial[0]

    @cached_property
    def _initial(self) -> tuple[Tokenizer, LanguageMaps | None]:
        path = self.init_checkpoint
        if not path:
            raise XalignError("fine-tuning needs a checkpoint or a model folder", parameter="init_checkpoint")
        model = open_model(path)
        return model.tokenizer, load_maps(model.heads)

    @property
    def dictionary(self) -> Dictionary:
        return self.tokenizer.dictionary

    @cached_property
    def family(self) -> TaskFamily[Any]:
        return self.spec.build_family(self.tokenizer)

    def _files(self, part: str) -> dict[str, Path]:
        """Language -> file, of ``train`` or ``valid``."""
        given = getattr(self.cfg, f"{part}_files")
        if not given:
            languages = listed(getattr(self.cfg, f"{part}_langs"))
            return {each: find(self.benchmark, self.cfg.data, SPLITS[part], each) for each in languages}
        named = [each.partition("=")[::2] for each in listed(given)]
        files = dict(named)
        if len(files) < len(named):
            raise XalignError("a language is given twice", parameter=f"{part}_files", found=given)
        missing = {language: path for language, path in files.items() if not Path(path).is_file()}
        if missing or "" in files:
            found = ", ".join(f"{language}={path}" for language, path in (missing or files).items())
            parameter, expected = f"{part}_files", "LANG=FILE,..."
            raise XalignError("a file does not exist", parameter=parameter, found=found, expected=expected)
        return {language: Path(path) for language, path in files.items()}

    def build_model(self, cfg: Any, from_checkpoint: bool = False) -> Any:
        """The encoder with only the task's head."""
        # fairseq-validate has no model options that the task's options could refer to.
        self.init_checkpoint = cfg.init_checkpoint
        if self.cfg.pair_separators is None:
            limits = replace(self.spec.limits, separators=self.tokenizer.pair_separators)
            self.spec = replace(self.spec, limits=limits)
        model = super().build_model(cfg, from_checkpoint)
        # After the model, so that the memory of the weights is freed.
        keep_freed_memory(training_device(self.cfg.cpu))
        self.encoder_config = model.encoder.config
        require_positions(self.encoder_config, self.spec.limits.tokens)
        require_languages(self.encoder_config, self._examples)
        head = self.spec.build_head(self.family, self.encoder_config)
        model.attach_head(self.spec.head_name, head, fresh=True)
        model.freeze_lm_head()
        if self.cfg.freeze_layers is not None:
            model.freeze_layers(self.cfg.freeze_layers)
        if head.features.frozen:
            model.encoder.requires_grad_(False)
            self._attach_maps(model)
        return model

    def _attach_maps(self, model: Any) -> None:
        """Read a frozen encoder through its linear maps, and store the maps in the checkpoint."""
        _, maps = self._initial
        if maps is None:
            return
        if self.cfg.code_switch:
            parameters = ("code_switch", "feature_based")
            raise XalignError("one linear map cannot fit a text in two languages", parameter=parameters)
        maps.warn_of_unmapped([each.language for each in self._examples])
        model.attach_head(HEAD, maps)
        logger.info("features are read through linear maps of %s", ", ".join(maps.languages))

    @property
    def _examples(self) -> list[Any]:
        return [each for group in (*self.train_groups, *self.valid_groups) for each in group]

    def load_dataset(self, split: str, combine: bool = False, **kwargs: object) -> None:
        """``train``, or ``valid``: test files are read by ``xalign predict`` and ``xalign transfer``."""
        if split not in ("train", "valid"):
            remedy = (Command("predict"), "scores test files")
            raise XalignError("a transfer task has the splits train and valid", found=split, remedy=remedy)
        training = split == "train"
        groups = self.train_groups if training else self.valid_groups
        assert self.encoder_config is not None  # set by build_model()
        self.datasets[split] = TransferDataset(groups, self.family, self.encoder_config, self.cfg.seed, training)
        logger.info("%s: %d examples, labels %s", split, sum(map(len, groups)), " ".join(self.spec.labels) or "none")

    def state_dict(self) -> dict[str, Any]:
        """A checkpoint's state besides weights: tokenizer, labels, options, family and trimming of the encoder."""
        return {
            **self.lasting,
            "tokenizer": tokenizer_state(self.dictionary, self.tokenizer.model),
            "transfer": self.spec.to_state(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Refuse a checkpoint whose head has other labels or another shape."""
        self.lasting |= checkpoint.lasting(state_dict)
        stored = state_dict.get("transfer")
        mine = self.spec.to_state()
        if stored is None or stored["benchmark"] != mine["benchmark"]:
            return  # pre-trained, or fine-tuned on another task: ignore its head
        for part in ("labels", "options", "features"):
            if stored[part] != mine[part]:
                problem, where = f"the checkpoint was fine-tuned with other {part}", f"xalign_{self.family_name}"
                raise XalignError(problem, where=where, found=mine[part], expected=stored[part])


def _register(name: str) -> None:
    family = TASK_FAMILIES[name]
    # Options without a default, such as unset limits, are numbers.
    options = [
        (key, Optional[int] if default is None else type(default), option(default, owner.help[key]))
        for owner in (family, Features)
        for key, default in owner.defaults.items()
    ]
    config = make_dataclass(f"{name.capitalize()}Config", options, bases=(TransferConfig,))
    config.__module__ = __name__
    known = ", ".join(each for each, benchmark in BENCHMARKS.items() if benchmark.family == name)
    doc = f"Fine-tuning of the family {name}: {known}."
    task = type(
        f"{name.capitalize()}Task", (TransferTask,), {"__module__": __name__, "__doc__": doc, "family_name": name}
    )
    register_task(f"xalign_{name}", dataclass=config)(task)


for _name in TASK_FAMILIES:
    _register(_name)
