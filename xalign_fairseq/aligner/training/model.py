"""The model of a run: the initial model, its AER, and trimming its vocabulary to the text."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from torch import Tensor, uint8

from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.core.errors import check_values
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.locks import require_identity, require_own_folder
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.reading import open_model, read_pretrained
from xalign_fairseq.encoder.pretrained.saving import write_checkpoint
from xalign_fairseq.encoder.pretrained.trimming import summary, trim, untrim
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.gold import GoldText
from xalign_fairseq.trainer.checkpoint_repair import BEST, LAST

TRIMMED, WHOLE = "trimmed.pt", "model.pt"  # every command can load WHOLE


class RunStart(TypedDict):
    """The content of ``run.json``: the run's definition, and with a development set the AER before training."""

    identity: dict[str, Any]
    before: float | None


class RunFolder:
    """The folder of a run: ``data-bin``, ``run.json`` (the definition), ``train.log``, two checkpoints (of a trimmed
    model also :data:`TRIMMED` and :data:`WHOLE`), finally ``result.json``.
    """

    def __init__(self, path: Path):
        self.path = path
        self.run, self.result = path / "run.json", path / "result.json"
        self.best, self.last = path / BEST, path / LAST

    def require_own(self) -> None:
        """Raise :class:`XalignError` if the folder has other files than a run's."""
        require_own_folder(self.path, self.run.name, "a run of train-aligner", ("data-bin", TRIMMED))

    def started(self, identity: dict[str, Any]) -> RunStart | None:
        """The content of ``run.json``; None if the run has not started, :class:`XalignError` for another run."""
        if not self.run.is_file():
            return None
        found = read_json(self.run, RunStart)
        note = "" if self.last.is_file() else "in which nothing is trained yet"
        require_identity(self.path, found["identity"], identity, note)
        return found

    def tidy(self) -> Path:
        """Remove all checkpoints except the best and the last; returns the best if there is one, otherwise the last."""
        for path in self.path.glob("checkpoint_*"):
            if path not in (self.best, self.last):
                path.unlink()
        return self.best if self.best.is_file() else self.last


@dataclass(frozen=True)
class Start:
    """The start of a run: ``run`` has the defaults of its model's family and is checked, ``gold`` is its development
    set, and ``digest`` identifies the model's weights and symbols.
    """

    run: TrainingRun
    gold: GoldText | None
    config: EncoderConfig
    layer: int
    digest: str


def open_start(run: TrainingRun) -> Start:
    """Open the model of a run, and check the run; :class:`XalignError` before any long work."""
    model = open_model(run.model)
    run = run.for_family(model.family)
    gold = run.check()
    # Without the MLM head: a model without one gets a new head each time it is loaded.
    body = {f"encoder.{key}": each for key, each in model.encoder.sentence_encoder.state_dict().items()}
    made = digest(body | model.heads, model.tokenizer.dictionary.digest)
    config = model.encoder.config
    config.side_rows(run.languages)
    if (frozen := run.freeze_layers) is not None:
        most = config.encoder_layers
        check_values("invalid number of layers", ("freeze_layers", frozen, 0 <= frozen <= most, f"0 to {most}"))
    layer = config.default_labelling_layer() if run.layer is None else config.resolve_layer(run.layer, "layer")
    return Start(run, gold, config, layer, made)


def digest(weights: Mapping[str, Tensor], symbols: str) -> str:
    """16 hexadecimal digits for weights and symbols, independent of the files."""
    content = hashlib.sha256(symbols.encode())
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        content.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        content.update(tensor.flatten().view(uint8).numpy().data)
    return content.hexdigest()[:16]


def aer_of(model: str | os.PathLike[str], gold: GoldText | None, options: AlignerOptions) -> float | None:
    """AER, a fraction, of an encoder's links on a development set, as from ``xalign align``; None without the set.

    fairseq-train selects the checkpoint by an AER that ignores parts of long pairs beyond the positions.
    """
    if gold is None:
        return None
    with load_aligner(model, options) as aligner:
        return score([pair.links for pair in aligner.stream(gold.pairs)], gold.golds).aer


def trim_model(run: TrainingRun) -> str:
    """Write a run's model, trimmed to the bitext and development set, into its folder; returns a line on its size."""
    text = [run.src, run.tgt, *((run.dev.src, run.dev.tgt) if run.dev else ())]
    state, where = read_pretrained(run.model)
    small = trim(state, where, text)
    write_checkpoint(run.out / TRIMMED, small)
    return summary(small, state)


def put_back(run: TrainingRun, checkpoint: str | os.PathLike[str]) -> Path:
    """Write the trained model with its whole vocabulary into the run's folder.

    The original tokenizer then cuts new text. Pieces absent from the training text have their original vectors.
    """
    state, where = read_pretrained(checkpoint)
    write_checkpoint(run.out / WHOLE, untrim(state, where, *read_pretrained(run.model)))
    return run.out / WHOLE
