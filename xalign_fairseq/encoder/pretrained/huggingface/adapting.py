"""Convert Hugging Face folders of encoders that transformers runs to checkpoints of this package, and back."""

import logging
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.bodies.body import their_name
from xalign_fairseq.encoder.bodies.families import BODIES, BodyFamily, read_settings
from xalign_fairseq.encoder.building import EMBEDDINGS, shapes
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.masked_lm import HEAD, PARTS, new_head
from xalign_fairseq.encoder.pretrained.huggingface import side_files
from xalign_fairseq.encoder.pretrained.huggingface.pipelines import read_pipeline
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import Vocabulary
from xalign_fairseq.encoder.pretrained.huggingface.weights import (
    SAFETENSORS,
    read_weights,
    require_tensors,
    write_tensors,
)
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer

logger = logging.getLogger(__name__)

OPTIONAL = ("dense.bias", "layer_norm.bias", "bias")  # parts of a head; zero if a model lacks them
BODY = "sentence_encoder."  # prefix of the encoder's own names
# Prefixes of an encoder's parameters in models with a head.
PREFIXES = ("model.", "deberta.", "")

# Files of a folder that training does not change.
KEPT = ("tokenizer*", "special_tokens_map.json", "added_tokens.json", "vocab.*", "merges.txt", "*.model")


def is_body(folder: Path) -> bool:
    """Whether a folder's ``config.json`` describes an encoder that transformers runs."""
    path = folder / "config.json"
    return path.is_file() and str(read_json(path).get("model_type")) in BODIES


def read(folder: Path) -> dict[str, Any]:
    """The encoder of a Hugging Face folder as the content of a checkpoint of this package, in float32.

    Ids get fairseq's order: special symbols first, ``<mask>`` last. The masked-language-model head is the model's own
    if it has our form (:func:`own_head`), otherwise one is made from the embeddings. Other heads and rows beyond the
    tokenizer's are left out (logged). Options and heads from an export of this package are read too.
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
    weights = read_weights(folder)
    head = own_head(weights, family, found, torch.tensor(vocabulary.order))
    if head is not None:
        used = {*family.head.values(), f"{family.output}.weight", f"{family.output}.bias"}
        weights = {name: value for name, value in weights.items() if name not in used}
    model = to_ours(weights, family, config, vocabulary, rows, folder)
    embeddings = model[f"encoder.{EMBEDDINGS}"]
    if head is None:
        logger.warning("%s: a masked-language-model head is made from the embeddings", folder)
        head = new_head(embeddings)
    model |= {**head, HEAD + "weight": embeddings}
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
    prefix = prefix_of(weights, set(names.values()))
    theirs = {name: value for name, value in weights.items() if not name.startswith(prefix)}
    theirs |= {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}
    expected[EMBEDDINGS] = rows, config.encoder_embed_dim
    wanted = {name: expected[ours] for ours, name in names.items()}
    require_tensors(theirs, wanted, rf"{re.escape(family.layers)}\.\d+\.", family.title, where)
    made = {f"encoder.{ours}": theirs[name].float() for ours, name in names.items()}
    embeddings = f"encoder.{EMBEDDINGS}"
    made[embeddings] = made[embeddings][torch.tensor(vocabulary.order)]
    return made


def prefix_of(weights: Iterable[str], wanted: set[str]) -> str:
    """The prefix of the encoder's own names in a model's files: the most frequent of :data:`PREFIXES`."""

    def hits(prefix: str) -> int:
        return sum(name.startswith(prefix) and name.removeprefix(prefix) in wanted for name in weights)

    return max(PREFIXES, key=hits)


def put_back(state: dict[str, Any], where: StrPath, origin: Path, folder: Path) -> None:
    """Write a copy of the folder that training began with, with the checkpoint's weights, in float32.

    ``AutoModel`` then gives the encoder's states, and ``AutoModelForMaskedLM`` the logits, if the head was the
    model's own. What this package does not train (rows of embeddings that no token has) does not change;
    tensors tied to the embeddings change with them. Heads of objectives and options are next to the model, as
    :func:`~xalign_fairseq.encoder.pretrained.exporting.export` writes them.
    """
    encoder, others = checkpoint.load_encoder(state, where)
    config = encoder.config
    if not config.transformers_config:
        problem = "this encoder is exported without its original model"
        raise XalignError(problem, where=where, remedy=("leave out", Parameter("onto")))
    family, settings = read_settings(config.transformers_config, where)
    found = read_json(origin / "config.json")
    _require_same_model(family, settings, found, origin, where)
    vocabulary = read_pipeline(origin, found["vocab_size"])
    _require_same_tokenizer(state, config, vocabulary, origin, where)
    before = read_weights(origin)
    write_tensors(folder / SAFETENSORS, {**before, **_trained(encoder, family, found, before, vocabulary)})
    write_json(folder / "config.json", {**found, "dtype": "float32"})
    for pattern in KEPT:
        for path in origin.glob(pattern):
            if path.is_file():
                shutil.copyfile(path, folder / path.name)
    heads = {name: value for name, value in others.items() if name.startswith("heads.")}
    side_files.write(state, heads, folder)


def _trained(
    encoder: Encoder,
    family: BodyFamily,
    settings: Mapping[str, Any],
    before: Mapping[str, Tensor],
    vocabulary: Vocabulary,
) -> dict[str, Tensor]:
    """The tensors that training has changed, by their names in the model's files."""
    ours = {name: value.detach().float() for name, value in encoder.state_dict().items()}
    layers = encoder.config.encoder_layers
    names = {name: their_name(family, name.removeprefix(BODY), layers) for name in ours if name.startswith(BODY)}
    prefix = prefix_of(before, set(names.values()))
    made = {prefix + name: ours[mine] for mine, name in names.items()}
    order = torch.tensor(vocabulary.order)
    embeddings = made.pop(prefix + names[EMBEDDINGS])
    first = before[prefix + names[EMBEDDINGS]]
    whole = _with_rows(first, order, embeddings)
    made |= {name: whole for name, value in before.items() if value.shape == first.shape and torch.equal(value, first)}
    head = HEAD.removeprefix("encoder.")
    if own_head(before, family, settings, order) is None:
        if not torch.equal(ours[f"{head}dense.weight"], torch.eye(encoder.config.encoder_embed_dim)):
            logger.warning("not exported: the trained masked-language-model head, because the model has none")
        return made  # an identity dense map: the import made the head and training did not change it
    for part, name in family.head.items():
        value = ours[head + part]
        if name in before:
            made[name] = _with_rows(before[name], order, value) if part == "bias" else value
        elif value.any():
            logger.warning("not exported: %s, because the model has no such parameter", HEAD + part)
    return made


def _with_rows(before: Tensor, order: Tensor, rows: Tensor) -> Tensor:
    """The original tensor in float32, with the rows of our ids replaced."""
    whole = before.detach().float().clone()
    whole[order] = rows
    return whole


def _require_same_model(
    family: BodyFamily, settings: Mapping[str, Any], found: Mapping[str, Any], origin: Path, where: object
) -> None:
    same = found.get("model_type") == family.model_type
    if not same or not settings.items() <= family.check(found, origin).items():
        problem = "the checkpoint does not belong to the target model of the export"
        raise XalignError(problem, where=origin / "config.json", expected=f"that of {where}: {settings}")


def _require_same_tokenizer(
    state: dict[str, Any], config: EncoderConfig, vocabulary: Vocabulary, origin: Path, where: StrPath
) -> None:
    ours = load_tokenizer(state, config.vocab_size, where=where).dictionary.symbols
    theirs = load_tokenizer({"task_state": {"tokenizer": vocabulary.state}}, len(vocabulary.order), where=origin)
    if ours != theirs.dictionary.symbols:
        problem = "the checkpoint has another vocabulary than the target of the export"
        remedy = ("if its vocabulary was trimmed, undo that with", Command("untrim"))
        raise XalignError(problem, where=f"{where}, {origin}", remedy=remedy)
