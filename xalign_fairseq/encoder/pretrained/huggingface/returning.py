"""Put trained encoders that transformers runs back into their original Hugging Face folder."""

import logging
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.bodies.body import their_name
from xalign_fairseq.encoder.bodies.families import BodyFamily, read_settings
from xalign_fairseq.encoder.building import EMBEDDINGS
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.masked_lm import HEAD
from xalign_fairseq.encoder.pretrained.huggingface import side_files
from xalign_fairseq.encoder.pretrained.huggingface.adapting import BODY, SHARED_EMBEDDINGS, own_head, prefix_of
from xalign_fairseq.encoder.pretrained.huggingface.pipelines import read_pipeline
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import Vocabulary
from xalign_fairseq.encoder.pretrained.huggingface.weights import SAFETENSORS, read_weights, write_tensors
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer

logger = logging.getLogger(__name__)

# Files of a folder that training does not change.
KEPT = ("tokenizer*", "special_tokens_map.json", "added_tokens.json", "vocab.*", "merges.txt", "*.model")


def put_back(state: dict[str, Any], where: StrPath, origin: Path, folder: Path) -> None:
    """Write a copy of the folder that training began with, with the checkpoint's weights, in float32.

    ``AutoModel`` then gives the encoder's states, and ``AutoModelForMaskedLM`` the logits, if the head was the
    model's own. What this package does not train (a decoder, rows of embeddings that no token has) does not change;
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
    before = family.rename(read_weights(origin))  # transformers' own names, which it can also read
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
    kept = [prefix + names[EMBEDDINGS], *SHARED_EMBEDDINGS]
    first = before[next(name for name in kept if name in before)]
    whole = _with_rows(first, order, embeddings)
    made |= {name: whole for name, value in before.items() if value.shape == first.shape and torch.equal(value, first)}
    head = HEAD.removeprefix("encoder.")
    if own_head(before, family, settings, order) is None:
        if not torch.equal(ours[f"{head}dense.weight"], torch.eye(encoder.config.encoder_embed_dim)):
            logger.warning("not exported: the trained masked-language-model head, which the model has no place for")
        return made  # if the dense map is the identity, the import made the head and no training changed it
    for part, name in family.head.items():
        value = ours[head + part]
        if name in before:
            made[name] = _with_rows(before[name], order, value) if part == "bias" else value
        elif value.any():
            logger.warning("not exported: %s, which the model has no place for", HEAD + part)
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
    if same:
        theirs = family.check(found, origin)
        same = all(theirs.get(name) == value for name, value in settings.items())
    if not same:
        raise XalignError(
            "the checkpoint belongs to another model than the target of the export",
            where=origin / "config.json",
            found=f"model_type {found.get('model_type')}",
            expected=f"the configuration that {where} has: {settings}",
            remedy="name the model it began with",
        )


def _require_same_tokenizer(
    state: dict[str, Any], config: EncoderConfig, vocabulary: Vocabulary, origin: Path, where: StrPath
) -> None:
    ours = load_tokenizer(state, config.vocab_size, where=where).dictionary.symbols
    theirs = load_tokenizer({"task_state": {"tokenizer": vocabulary.state}}, len(vocabulary.order), where=origin)
    if ours != theirs.dictionary.symbols:
        problem = "the checkpoint has another vocabulary than the target of the export"
        expected = f"the {len(theirs.dictionary.symbols):,} of {origin}"
        remedy = ("if its vocabulary was trimmed, undo that by", Command("untrim"))
        raise XalignError(problem, where=where, found=f"{len(ours):,} tokens", expected=expected, remedy=remedy)
