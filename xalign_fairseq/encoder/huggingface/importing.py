"""Hugging Face folders of XLM-R models, turned into checkpoints of this package."""

import importlib.util
import json
import logging
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from xalign_fairseq.alignment.vocabulary import tokenizer_state
from xalign_fairseq.data.dictionary import BOS, EOS, MASK, SPECIALS, UNK, Dictionary
from xalign_fairseq.data.tokenizer import load_sentencepiece
from xalign_fairseq.encoder.checkpoint import load_pickled
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder, LMHead, initialise
from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import atomic_write

logger = logging.getLogger(__name__)

SPM = "sentencepiece.bpe.model"
# In the order in which they are looked for.
WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
SUPPORTED = f"config.json of model_type xlm-roberta, one of {', '.join(WEIGHTS)}, and {SPM}"

# Parameters and modules of the encoder -> Hugging Face's, without their prefix "roberta."; # is the layer's number.
NAMES = {
    "sentence_encoder.embed_tokens": "embeddings.word_embeddings",
    "sentence_encoder.embed_positions": "embeddings.position_embeddings",
    "sentence_encoder.layernorm_embedding": "embeddings.LayerNorm",
    "sentence_encoder.layers.#.self_attn.q_proj": "encoder.layer.#.attention.self.query",
    "sentence_encoder.layers.#.self_attn.k_proj": "encoder.layer.#.attention.self.key",
    "sentence_encoder.layers.#.self_attn.v_proj": "encoder.layer.#.attention.self.value",
    "sentence_encoder.layers.#.self_attn.out_proj": "encoder.layer.#.attention.output.dense",
    "sentence_encoder.layers.#.self_attn_layer_norm": "encoder.layer.#.attention.output.LayerNorm",
    "sentence_encoder.layers.#.fc1": "encoder.layer.#.intermediate.dense",
    "sentence_encoder.layers.#.fc2": "encoder.layer.#.output.dense",
    "sentence_encoder.layers.#.final_layer_norm": "encoder.layer.#.output.LayerNorm",
    "lm_head.dense": "lm_head.dense",
    "lm_head.layer_norm": "lm_head.layer_norm",
    "lm_head.weight": "embeddings.word_embeddings.weight",
    "lm_head.bias": "lm_head.bias",
}
# Second names, in some files, of tensors that the model has once.
TIED = {"lm_head.decoder.weight": "embeddings.word_embeddings.weight", "lm_head.decoder.bias": "lm_head.bias"}
TOKEN_TYPES = "embeddings.token_type_embeddings.weight"
BUFFERS = {"embeddings.position_ids", "embeddings.token_type_ids"}  # count up, or are zero

SIZES = {
    "vocab_size": "vocab_size",
    "encoder_layers": "num_hidden_layers",
    "encoder_embed_dim": "hidden_size",
    "encoder_ffn_embed_dim": "intermediate_size",
    "encoder_attention_heads": "num_attention_heads",
    "max_positions": "max_position_embeddings",
}
POSITION_OFFSET = 2  # positions are counted from the one after that of padding
# Settings that this encoder has in one way only; a config.json that lacks one means this value.
FIXED = {
    "bos_token_id": 0,
    "pad_token_id": 1,
    "eos_token_id": 2,
    "hidden_act": "gelu",
    "position_embedding_type": "absolute",
    "is_decoder": False,
}
SEED = 1  # of a language-model head that the folder lacks


def read(folder: str | os.PathLike) -> dict[str, Any]:
    """The XLM-R model of a Hugging Face folder as the content of a checkpoint of this package, in float32.

    Parameters change their names, ids stay as they are, and the vector of token type 0 is added to every position. A
    masked-language-model head that is missing is initialised; heads of other tasks and the pooler are left out. Both
    are logged.

    Args:
        folder: ``config.json`` of model_type xlm-roberta, ``sentencepiece.bpe.model``, and the weights as
            ``model.safetensors`` or ``pytorch_model.bin``, or in shards with their index.

    Raises:
        XalignError: a file is missing or damaged, the model is of another kind, or a parameter or an id is not
            accounted for.

    Example::

        state = read("xlm-roberta-base")
        encoder, _ = checkpoint.load_encoder(state)
        tokenizer = load_tokenizer(state, encoder.config.vocab_size)
    """
    folder = Path(folder)
    config = read_config(folder)
    tokenizer = read_tokenizer(folder, config.vocab_size)
    model = to_fairseq(read_weights(folder), config, folder)
    options = {name: value for name, value in asdict(config).items() if name not in ("vocab_size", "pad")}
    return {"cfg": {"model": options}, "model": model, "task_state": {"tokenizer": tokenizer}}


def convert(folder: str | os.PathLike, target: str | os.PathLike) -> None:
    """Write what :func:`read` gives as a checkpoint; ``target`` appears whole or not at all."""
    with atomic_write(target, "wb") as stream:
        torch.save(read(folder), stream)


def read_config(folder: Path) -> EncoderConfig:
    """The sizes and dropout rates in ``config.json``, if it is an XLM-R of the kind that this encoder is."""
    path = folder / "config.json"
    found = _read_json(path)
    if found.get("model_type") != "xlm-roberta":
        raise XalignError(
            "the folder holds a model of another kind", where=path, found=f"model_type {found.get('model_type')}",
            expected=SUPPORTED,
        )  # fmt: skip
    wrong = [name for name in SIZES.values() if not isinstance(found.get(name), int)]
    if wrong:
        raise XalignError(
            "the model's sizes are not in its configuration", where=path, found=f"no whole number as {', '.join(wrong)}"
        )
    for name, value in FIXED.items():
        if found.get(name, value) != value:
            raise XalignError(
                "the model differs from XLM-R", where=path, found=f"{name} {found[name]}", expected=f"{name} {value}"
            )
    epsilon, ours = found.get("layer_norm_eps"), nn.LayerNorm(1).eps
    if epsilon != ours:
        logger.warning("%s: layer_norm_eps is %s, here %s as in XLM-R: outputs differ a little", path, epsilon, ours)
    sizes = {ours: found[theirs] for ours, theirs in SIZES.items()}
    sizes["max_positions"] -= POSITION_OFFSET
    return EncoderConfig(
        **sizes,
        dropout=found.get("hidden_dropout_prob", 0.1),
        attention_dropout=found.get("attention_probs_dropout_prob", 0.1),
    )


def read_tokenizer(folder: Path, vocab_size: int) -> dict[str, Any]:
    """The tokenizer as a checkpoint carries it: the symbols in the order of their ids, and the sentencepiece model.

    XLM-R's ids are <s>, <pad>, </s>, <unk>, the model's pieces but for its own three specials, and last <mask>, which
    tasks append.
    """
    path = folder / SPM
    if not path.is_file():
        raise XalignError(
            "the folder has no sentencepiece model",
            where=path,
            found="tokenizer.json, which is not read" if (folder / "tokenizer.json").is_file() else None,
            expected=SUPPORTED,
            next=f"copy the {SPM} that the model was trained with into the folder",
        )
    processor = load_sentencepiece(path)
    pieces = [processor.id_to_piece(i) for i in range(processor.get_piece_size())]
    specials, rest = pieces[:3], pieces[3:]
    twice = {*SPECIALS, MASK} & set(rest)
    if specials != [UNK, BOS, EOS] or twice:
        raise XalignError(
            "the sentencepiece model's special symbols are not XLM-R's",
            where=path,
            found=f"{' '.join(specials)} first" + (f", and {' '.join(sorted(twice))} later" if twice else ""),
            expected=f"{UNK} {BOS} {EOS} first and no others later",
        )
    dictionary = Dictionary(rest)
    if dictionary.embedding_size != vocab_size:
        raise XalignError(
            "the vocabulary does not fit the model",
            where=folder,
            found=f"{dictionary.embedding_size} ids: {len(rest)} pieces of {SPM}, {' '.join(SPECIALS)} and {MASK}",
            expected=f"{vocab_size} ids, as config.json has",
            next="tokens added later and padded vocabularies are not supported: take the model from before them",
        )
    return tokenizer_state(dictionary, path.read_bytes())


def read_weights(folder: Path) -> dict[str, Tensor]:
    """All tensors of the folder by their names there, from one file or from all shards that its index names."""
    path = next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)
    if path is None:
        raise XalignError(
            "the folder has no weights", where=folder, found=sorted(each.name for each in folder.iterdir()),
            expected=SUPPORTED,
        )  # fmt: skip
    if path.suffix != ".json":
        return _load(path)
    parts = [folder / name for name in sorted(set(_read_json(path).get("weight_map", {}).values()))]
    absent = [part.name for part in parts if not part.is_file()]
    if absent or not parts:
        raise XalignError(
            "the model's shards are not complete", where=path, found=f"{', '.join(absent) or 'all'} missing"
        )
    return {name: value for part in parts for name, value in _load(part).items()}


def their_name(ours: str) -> str:
    """Hugging Face's name of an encoder's parameter, by :data:`NAMES`.

    Example::

        their_name("sentence_encoder.layers.3.fc1.bias")  # encoder.layer.3.intermediate.dense.bias
    """
    layer = re.search(r"\.layers\.(\d+)\.", ours)
    name = ours.replace(layer[0], ".layers.#.") if layer else ours
    module, _, kind = name.rpartition(".")
    theirs = NAMES.get(name) or f"{NAMES[module]}.{kind}"
    return theirs.replace("#", layer[1]) if layer else theirs


def to_fairseq(weights: Mapping[str, Tensor], config: EncoderConfig, where: str | os.PathLike) -> dict[str, Tensor]:
    """A checkpoint's ``model`` from Hugging Face's tensors, each of which is used, logged as not used, or an error."""
    theirs = {name.removeprefix("roberta."): value for name, value in weights.items()}
    for second, first in TIED.items():
        value = theirs.pop(second, None)
        if value is not None and not torch.equal(theirs.setdefault(first, value), value):
            raise XalignError(
                "the model's language-model head is not tied", where=where, found=f"{second} unlike {first}"
            )
    with torch.device("meta"):
        shapes = {name: tuple(value.shape) for name, value in Encoder(config).state_dict().items()}
    if not any(name.startswith("lm_head.") for name in theirs):
        shapes = {name: shape for name, shape in shapes.items() if not name.startswith("lm_head.")}
    names = {ours: their_name(ours) for ours in shapes}
    _require_all(theirs, {*names.values(), TOKEN_TYPES}, where)
    model: dict[str, Tensor] = {}
    for ours, name in names.items():
        if tuple(theirs[name].shape) != shapes[ours]:
            raise XalignError(
                "a parameter is not of the size that config.json has",
                where=f"{where}, {name}", found=tuple(theirs[name].shape), expected=shapes[ours],
            )  # fmt: skip
        model[f"encoder.{ours}"] = theirs[name].float()
    _add_token_types(model, theirs[TOKEN_TYPES])
    if "lm_head.bias" not in shapes:
        logger.warning("%s has no masked-language-model head: a new one is initialised", where)
        model.update(_new_head(config, model["encoder.sentence_encoder.embed_tokens.weight"]))
    return model


def _require_all(theirs: Mapping[str, Tensor], wanted: set[str], where: str | os.PathLike) -> None:
    missing = sorted(wanted - theirs.keys())
    rest = sorted(theirs.keys() - wanted - BUFFERS)
    unknown = [name for name in rest if name.startswith(("embeddings.", "encoder.", "lm_head."))]
    if missing or unknown:
        raise XalignError(
            "the folder's parameters are not those of an XLM-R of its config.json",
            where=where,
            found=f"{len(missing)} missing {missing[:3]}, {len(unknown)} unknown {unknown[:3]}",
        )
    if rest:
        counts = Counter(name.split(".")[0] for name in rest)
        logger.warning("not used from %s: %s", where, ", ".join(f"{name} ({n} tensors)" for name, n in counts.items()))


def _add_token_types(model: dict[str, Tensor], types: Tensor) -> None:
    """Every token of XLM-R is of type 0, whose vector Hugging Face's model adds as it adds positions."""
    if len(types) > 1:
        logger.warning("of %d token types the first is used, as XLM-R's tokenizer gives no other", len(types))
    name = "encoder.sentence_encoder.embed_positions.weight"
    model[name] = model[name] + types[0].float()


def _new_head(config: EncoderConfig, embeddings: Tensor) -> dict[str, Tensor]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        head = LMHead(config, nn.Embedding.from_pretrained(embeddings)).apply(initialise)
    return {f"encoder.lm_head.{name}": value for name, value in head.state_dict().items()}


def _load(path: Path) -> dict[str, Tensor]:
    if path.suffix != ".safetensors":
        found = load_pickled(path)
        if not isinstance(found, dict) or not all(isinstance(value, Tensor) for value in found.values()):
            raise XalignError("the file is not a state dict", where=path, expected="tensors by their names")
        return dict(found)
    if importlib.util.find_spec("safetensors") is None:
        raise XalignError("this file needs safetensors", where=path, next='pip install "xalign_fairseq[huggingface]"')
    import safetensors.torch

    try:
        return safetensors.torch.load_file(path)
    except safetensors.SafetensorError as error:
        raise XalignError("the file is not a safetensors file, or it is damaged", where=path, found=error) from None


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise XalignError("the file does not exist", where=path, expected=SUPPORTED) from None
    except ValueError as error:
        raise XalignError("the file is not JSON, or it is damaged", where=path, found=error) from None
    if not isinstance(found, dict):
        raise XalignError("the file is not JSON of the expected form", where=path, expected="an object")
    return found
