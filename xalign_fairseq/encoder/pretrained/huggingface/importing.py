"""Import Hugging Face folders of XLM-R and BERT models as checkpoints of this package."""

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.encoder.building import shapes as encoder_shapes
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.masked_lm import EMBEDDINGS, has_head, is_same, new_head
from xalign_fairseq.encoder.pretrained.huggingface import side_files
from xalign_fairseq.encoder.pretrained.huggingface.families import (
    POSITIONS,
    RATES,
    SHARED,
    SIZES,
    TOKEN_TYPES,
    WORDS,
    Family,
    find_family,
)
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import Vocabulary, read_vocabulary
from xalign_fairseq.encoder.pretrained.huggingface.weights import read_weights, require_tensors
from xalign_fairseq.encoder.pretrained.known import recognise, with_family

logger = logging.getLogger(__name__)

BUFFERS = {"embeddings.position_ids", "embeddings.token_type_ids"}  # constant: counting up, or zero
SECOND_TEXT = "encoder.sentence_encoder.second_text"
ROWS = 2  # number of our position rows before the first token's
OLD_NAMES = ((r"LayerNorm\.gamma$", "LayerNorm.weight"), (r"LayerNorm\.beta$", "LayerNorm.bias"))  # TensorFlow's names


def read(folder: Path) -> dict[str, Any]:
    """The model of a Hugging Face folder as the content of a checkpoint of this package, in float32.

    Parameters change their names, and the vector of token type 0 is added to every position. BERT's type 1, of a pair's
    second text, becomes a parameter that holds its difference from type 0. XLM-R's ids do not change; BERT's are put
    into fairseq's order, special tokens first and ``<mask>`` last, unless it has XLM-R's tokenizer. A
    masked-language-model head that is missing or not tied is replaced by one made from the embeddings; heads of other
    tasks, the pooler, added tokens and padding rows are left out. All of this is logged. Options and heads from an
    export of this package are read too.
    """
    family, config = read_config(folder)
    vocabulary = read_vocabulary(folder, family, config.vocab_size)
    model = to_fairseq(read_weights(folder), family, config, vocabulary, folder)
    config = replace(config, token_types=1 + (SECOND_TEXT in model))
    known = recognise(model, [str(read_json(folder / "config.json").get("_name_or_path") or ""), folder])
    if not has_head(model):
        logger.warning("%s has no masked-language-model head: one is made from its embeddings", folder)
        model |= new_head(model[EMBEDDINGS], vocabulary.scores)
    state = {"cfg": {"model": config.stored()}, "model": model, "task_state": {"tokenizer": vocabulary.state}}
    return with_family(side_files.take_back(state, folder), known)


def read_config(folder: Path) -> tuple[Family, EncoderConfig]:
    """The family, sizes and dropout rates in ``config.json``; :class:`XalignError` for an unsupported model."""
    path = folder / "config.json"
    found = read_json(path)
    family = find_family(found.get("model_type"), path)
    wrong = [name for name in SIZES.values() if type(found.get(name)) is not int or found[name] < 1]
    if wrong:
        problem = "the model's sizes are not in its configuration"
        raise XalignError(problem, where=path, found=f"no whole number above 0 as {', '.join(wrong)}")
    rates = {ours: found.get(theirs, usual) for ours, (theirs, usual) in RATES.items()}
    wrong = [f"{RATES[name][0]} {value!r}" for name, value in rates.items() if not isinstance(value, int | float)]
    if wrong:
        raise XalignError("the model's configuration has no number where one is expected", where=path, found=wrong)
    given = {name: value for name, value in found.items() if name not in SHARED or value is not None}
    for name, value in {**SHARED, **family.fixed}.items():
        if given.get(name, value) != value:
            problem = f"the model differs from {family.title}"
            raise XalignError(problem, where=path, found=f"{name} {found[name]}", expected=f"{name} {value}")
    sizes = {ours: found[theirs] for ours, theirs in SIZES.items()}
    sizes["max_positions"] -= family.position_offset
    return family, EncoderConfig(**sizes, **rates)


def to_fairseq(
    weights: Mapping[str, Tensor], family: Family, config: EncoderConfig, vocabulary: Vocabulary, where: object
) -> dict[str, Tensor]:
    """A checkpoint's ``model`` from Hugging Face's tensors. Each unused tensor is logged or raises an error."""
    today = {}
    for name, value in weights.items():
        for old, new in OLD_NAMES:
            name = re.sub(old, new, name)
        today[name.removeprefix(family.prefix)] = value
    theirs = {name: value for name, value in _untie(today, family, where).items() if name not in BUFFERS}
    shapes = encoder_shapes(config)
    if not any(name.startswith(family.head_prefix) for name in theirs):
        shapes = {name: shape for name, shape in shapes.items() if not name.startswith("lm_head.")}
    names = {ours: family.their_name(ours) for ours in shapes}
    expected: dict[str, tuple[int, ...] | None] = {name: shapes[ours] for ours, name in names.items()}
    positions_shape = config.max_positions + family.position_offset, config.encoder_embed_dim
    expected |= {POSITIONS: positions_shape, TOKEN_TYPES: None}
    own = rf"embeddings\.|encoder\.|{re.escape(family.head_prefix)}"
    require_tensors(theirs, expected, own, f"a model of {family.title}'s kind", where)
    theirs = {name: theirs[name].float() for name in expected}
    types, positions = theirs[TOKEN_TYPES], theirs[POSITIONS]
    before = positions.new_zeros(ROWS - family.position_offset, positions.shape[1])
    theirs[POSITIONS] = torch.cat([before, positions + types[0]])
    order = vocabulary.order
    for name in {WORDS, family.head["lm_head.bias"]} & theirs.keys():
        # A slice is a view, which leaves the tensor in its file.
        whole = theirs[name]
        theirs[name] = whole[: len(order)] if order == range(len(order)) else whole[torch.tensor(order)]
    made = {f"encoder.{ours}": theirs[name] for ours, name in names.items()}
    if vocabulary.token_types > 1 and len(types) > 1 and not torch.equal(types[0], types[1]):
        made[SECOND_TEXT] = types[1] - types[0]
    elif vocabulary.token_types == 1 and len(types) > 1:
        logger.warning("of %d token types only the first is used: the tokenizer gives no other", len(types))
    return made


def _untie(theirs: dict[str, Tensor], family: Family, where: object) -> dict[str, Tensor]:
    """Keep one name for each tied tensor, and drop a head with other output vectors or biases."""
    whole = {name: value for name, value in theirs.items() if name not in family.tied}
    seconds = {second: (theirs[second], first) for second, first in family.tied.items() if second in theirs}
    untied = [
        f"{name} unlike {first}" for name, (value, first) in seconds.items() if not is_same(value, theirs.get(first))
    ]
    if untied:
        logger.warning("%s: the masked-language-model head is left out: it is not tied (%s)", where, "; ".join(untied))
        return {name: value for name, value in whole.items() if not name.startswith(family.head_prefix)}
    return {**{first: value for value, first in seconds.values()}, **whole}
