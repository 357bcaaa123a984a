"""Convert Hugging Face folders of encoders that transformers runs to checkpoints of this package."""

import logging
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.encoder.bodies.body import their_name
from xalign_fairseq.encoder.bodies.families import BODIES, BodyFamily
from xalign_fairseq.encoder.building import EMBEDDINGS, shapes
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.masked_lm import HEAD, PARTS, new_head
from xalign_fairseq.encoder.pretrained.huggingface import side_files
from xalign_fairseq.encoder.pretrained.huggingface.pipelines import read_pipeline
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import Vocabulary
from xalign_fairseq.encoder.pretrained.huggingface.weights import read_weights, require_parameters, require_shapes

logger = logging.getLogger(__name__)

OPTIONAL = ("dense.bias", "layer_norm.bias", "bias")  # parts of a head; zero if a model lacks them
BODY = "sentence_encoder."  # prefix of the encoder's own names
# Prefixes of an encoder's parameters in models with a head or a decoder; the longest match is removed.
PREFIXES = (
    "model.encoder.",
    "transformer.encoder.",
    "model.",
    "transformer.",
    "deberta.",
    "gte.",
    "new.",
    "encoder.",
    "",
)
# Other names of token embeddings, in encoders that share them with a decoder.
SHARED_EMBEDDINGS = ("shared.weight", "model.shared.weight", "transformer.shared.weight")


def is_body(folder: Path) -> bool:
    """Whether a folder's ``config.json`` describes an encoder that transformers runs."""
    path = folder / "config.json"
    return path.is_file() and read_json(path).get("model_type") in BODIES


def read(folder: Path) -> dict[str, Any]:
    """The encoder of a Hugging Face folder as the content of a checkpoint of this package, in float32.

    Ids get fairseq's order: special symbols first, ``<mask>`` last. The masked-language-model head is the model's own
    if it has our form (:func:`own_head`), otherwise one is made from the embeddings. A decoder, other heads and
    rows beyond the tokenizer's are left out (logged). Options and heads from an export of this package are read too.
    """
    path = folder / "config.json"
    found = read_json(path)
    family = BODIES[found["model_type"]]
    settings = family.check(found, path)
    rows = found.get("vocab_size")
    if type(rows) is not int or rows < 1:
        raise XalignError("the model's sizes are not in its configuration", where=path, found=f"vocab_size {rows}")
    vocabulary = read_pipeline(folder, rows)
    config = family.encoder_config(settings, len(vocabulary.order), path)
    weights = family.rename(read_weights(folder))
    head = own_head(weights, family, found, torch.tensor(vocabulary.order))
    if head is not None:
        used = {*family.head.values(), f"{family.output}.weight", f"{family.output}.bias"}
        weights = {name: value for name, value in weights.items() if name not in used}
    model = to_ours(weights, family, config, vocabulary, rows, folder)
    embeddings = model[f"encoder.{EMBEDDINGS}"]
    if head is None:
        logger.warning("%s: a masked-language-model head is made from the embeddings", folder)
        model.update({HEAD + name: value for name, value in new_head(embeddings).items()})
    else:
        model.update({**head, HEAD + "weight": embeddings})
    state = {"cfg": {"model": config.stored()}, "model": model, "task_state": {"tokenizer": vocabulary.state}}
    return side_files.take_back(state, folder)


def own_head(
    weights: Mapping[str, Tensor], family: BodyFamily, settings: Mapping[str, Any], order: Tensor
) -> dict[str, Tensor] | None:
    """The head's tensors by our names, without embeddings; None unless logits = E LN(gelu(W h)) + b."""
    embeddings = next((weights[name] for name in weights if name.endswith(f"{family.embeddings}.weight")), None)
    if not family.head or embeddings is None or settings.get(family.head_activation, "gelu") != "gelu":
        return None
    output = weights.get(f"{family.output}.weight")
    if output is not None and not torch.equal(output, embeddings):
        return None
    rows, dim = embeddings.shape
    shapes = {"dense.weight": (dim, dim), "bias": (rows,)}
    made = {}
    for part in PARTS:
        shape = shapes.get(part, (dim,))
        value = weights.get(family.head[part], torch.zeros(shape) if part in OPTIONAL else None)
        if value is None or tuple(value.shape) != shape:
            return None
        made[HEAD + part] = (value[order] if part == "bias" else value).float()
    return made


def to_ours(
    weights: Mapping[str, Tensor],
    family: BodyFamily,
    config: EncoderConfig,
    vocabulary: Vocabulary,
    rows: int,
    where: object,
) -> dict[str, Tensor]:
    """A checkpoint's ``model``, without a head, from Hugging Face's tensors."""
    expected = {name: shape for name, shape in shapes(config).items() if name.startswith(BODY)}
    names = {ours: their_name(family, ours.removeprefix(BODY), config.encoder_layers) for ours in expected}
    theirs = _without_prefix(weights, set(names.values()), names[EMBEDDINGS])
    missing = sorted(set(names.values()) - theirs.keys())
    own = re.compile(rf"{re.escape(family.layers)}\.\d+\.")
    unknown = sorted(name for name in theirs.keys() - set(names.values()) if own.match(name))
    require_parameters(missing, unknown, family.title, where)
    rest = theirs.keys() - set(names.values())
    if rest:
        kinds = sorted({name.split(".")[0] for name in rest})
        logger.warning("not used from %s: %d tensors (%s)", where, len(rest), ", ".join(kinds))
    wanted = {**expected, EMBEDDINGS: (rows, *expected[EMBEDDINGS][1:])}
    require_shapes(theirs, {name: wanted[ours] for ours, name in names.items()}, where)
    made = {f"encoder.{ours}": theirs[name].float() for ours, name in names.items()}
    embeddings = f"encoder.{EMBEDDINGS}"
    made[embeddings] = made[embeddings][torch.tensor(vocabulary.order)]
    return made


def prefix_of(weights: Iterable[str], wanted: set[str]) -> str:
    """The prefix of the encoder's own names in a model's files: the most frequent of :data:`PREFIXES`."""

    def hits(prefix: str) -> int:
        return sum(name.startswith(prefix) and name.removeprefix(prefix) in wanted for name in weights)

    return max(PREFIXES, key=hits)


def _without_prefix(weights: Mapping[str, Tensor], wanted: set[str], embeddings: str) -> dict[str, Tensor]:
    """All tensors, the encoder's by its own names."""
    prefix = prefix_of(weights, wanted)
    found = {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}
    shared = next((weights[name] for name in SHARED_EMBEDDINGS if name in weights), None)
    if embeddings not in found and shared is not None:
        found[embeddings] = shared
    others = {name: value for name, value in weights.items() if not name.startswith(prefix)}
    return {**others, **found}
