"""The model of a run: what it starts from, how well it aligns, and its vocabulary trimmed to the text."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor, uint8

from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.known import family_of
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import new_model
from xalign_fairseq.encoder.pretrained.trimming import summary, trim, untrim
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.gold import read_gold_text
from xalign_fairseq.transport.linking import Linking

TRIMMED, WHOLE = "trimmed.pt", "model.pt"  # in the run's folder; every command takes the second as the folder's model


@dataclass(frozen=True)
class Start:
    """The model: its encoder's sizes, the layer whose links are wanted, and a digest of its weights and symbols.

    ``run`` is the run with what is usual for the model's family.
    """

    run: TrainingRun
    config: EncoderConfig
    layer: int
    digest: str


def open_model(run: TrainingRun) -> Start:
    """Read the model whole.

    Raises:
        XalignError: it is missing, damaged or no encoder, brings no tokenizer, or lacks the layer or an embedding of
            one of the languages; or options contradict what is usual for its family.
    """
    state, where = read_pretrained(run.model)
    run = run.for_family(family_of(state))
    run.check_options()
    encoder, heads = checkpoint.load_encoder(state, where)
    config = encoder.config
    tokenizer = load_tokenizer(state, config.vocab_size, where=where)
    config.side_rows(run.languages)
    if run.freeze_layers is not None and not 0 <= run.freeze_layers <= config.encoder_layers:
        raise XalignError(
            "the encoder has fewer layers",
            parameter="freeze_layers",
            found=run.freeze_layers,
            expected=f"0 to {config.encoder_layers}",
        )
    layer = config.default_labelling_layer() if run.layer is None else config.resolve_layer(run.layer, "layer")
    # Without its MLM head: a model that comes without one gets another each time it is read.
    weights = {f"encoder.{key}": each for key, each in encoder.sentence_encoder.state_dict().items()} | heads
    return Start(run, config, layer, digest(weights, tokenizer.dictionary.digest))


def digest(weights: Mapping[str, Tensor], symbols: str) -> str:
    """16 hexadecimal digits for weights and symbols, whatever files they are stored in."""
    content = hashlib.sha256(symbols.encode())
    for name in sorted(weights):
        tensor = weights[name].detach().cpu().contiguous()
        content.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        content.update(tensor.flatten().view(uint8).numpy().data)
    return content.hexdigest()[:16]


def aer_of(
    model: str | os.PathLike[str], run: TrainingRun, layer: int, similarity: str, device: str, method: str | None = None
) -> float | None:
    """AER of a model's links on the development set as ``xalign align`` makes them, a fraction; None without the set.

    ``method``: None is the model's own. fairseq-train's own AER, which chooses among the checkpoints, leaves out what a
    long pair has beyond the positions.
    """
    if run.dev is None:
        return None
    linking = Linking(method or "", layers=(layer,), similarity=similarity)
    aligner = load_aligner(model, linking=linking, languages=run.languages, device=device)
    pairs, golds = read_gold_text(*run.dev)
    return score([set(pair.links) for pair in aligner.stream(pairs)], golds).aer


def trim_model(run: TrainingRun) -> str:
    """Write the model of a run, trimmed to its bitext and development set, into its folder; tell its size."""
    text = [run.src, run.tgt, *((run.dev.src, run.dev.tgt) if run.dev else ())]
    state, where = read_pretrained(run.model)
    with new_model(run.out / TRIMMED, overwrite=True) as save:
        small = trim(state, where, text, progress=True)
        save(small, where)
    return summary(small, state)


def put_back(run: TrainingRun, checkpoint: str | os.PathLike[str]) -> Path:
    """Write what a trimmed model has learned, in the whole vocabulary, into the run's folder.

    Text that the run has not seen is then cut by the model's own tokenizer; the vectors of pieces that only such text
    has are those of the model that the run began with.
    """
    with new_model(run.out / WHOLE, overwrite=True) as save:
        state, where = read_pretrained(checkpoint)
        save(untrim(state, where, *read_pretrained(run.model)), where)
    return run.out / WHOLE
