"""Export checkpoints of this package and of fairseq's XLM-R to Hugging Face folders."""

import logging
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath, atomic_folder, require_outside
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.core.locks import require_no_loss
from xalign_fairseq.core.version import BIBTEX, __version__
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained import papers
from xalign_fairseq.encoder.pretrained.huggingface import side_files
from xalign_fairseq.encoder.pretrained.huggingface.adapting import put_back
from xalign_fairseq.encoder.pretrained.huggingface.families import (
    BERT,
    POSITIONS,
    SHARED,
    SIZES,
    TOKEN_TYPES,
    WORDS,
    XLM_R,
    Family,
)
from xalign_fairseq.encoder.pretrained.huggingface.importing import ROWS, SECOND_TEXT
from xalign_fairseq.encoder.pretrained.huggingface.side_files import training_record
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_files import tokenizer_files
from xalign_fairseq.encoder.pretrained.huggingface.weights import SAFETENSORS, write_tensors
from xalign_fairseq.encoder.pretrained.reading import find_pretrained, read_pretrained
from xalign_fairseq.encoder.sentence_vectors import require_pooling
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer

logger = logging.getLogger(__name__)

POOLING = "1_Pooling"
# The weights of a model's folder, and its other files.
OWN = (r"model\.(safetensors|pt)", r"((\d_\w+/)?[\w.]+\.(json|model|safetensors)|README\.md|(dict|vocab|merges)\.txt)")
_LAYER = re.compile(r"encoder\.sentence_encoder\.layers\.(\d+)\.")
_ONE_TYPE = (
    "All tokens are of one type: `token_type_ids` change nothing, as this encoder was trained without a vector for the "
    "second text of a pair."
)
# Base models by the last part of their names.
ORIGINS = {"e5-small": papers.E5, "multilingual-e5-small": papers.E5}
ARCHITECTURES = {XLM_R.model_type: papers.XLM_R, BERT.model_type: papers.BERT}


def model_card(
    name: str, family: Family, config: EncoderConfig, heads: Collection[str], record: Mapping[str, Any]
) -> str:
    """``README.md`` of an exported model."""
    parts = [
        _front_matter(record),
        f"# {name}",
        f"A multilingual encoder of {family.title}'s architecture: {config.encoder_layers} layers of hidden size "
        f"{config.encoder_embed_dim}, {config.encoder_attention_heads} attention heads, a vocabulary of "
        f"{config.vocab_size:,}, and texts of up to {config.max_positions} tokens, special ones included. Exported by "
        f"xalign_fairseq {__version__}.",
        "## Use",
        f"""```python
from transformers import AutoModelForMaskedLM, AutoTokenizer

model = AutoModelForMaskedLM.from_pretrained("{name}")
tokenizer = AutoTokenizer.from_pretrained("{name}")
```""",
        "The model has no pooler: `AutoModel` makes a new, untrained one, so use `last_hidden_state`.",
        *([_ONE_TYPE] if family.token_types > config.token_types else []),
        "As a word aligner:",
        f"""```python
from xalign_fairseq import load_aligner

[pair] = load_aligner("{name}").align(["the red house"], ["la maison rouge"])
print(pair.links)
```""",
        "## Training",
        _training(record),
    ]
    if heads:
        kinds = sorted({key.split(".")[1] for key in heads})
        parts += [
            "## Heads",
            f"`xalign_heads.safetensors` holds parameters that transformers has no place for ({', '.join(kinds)}); "
            "xalign_fairseq reads them with the model.",
        ]
    introduced = [papers.PAPERS[name] for name in record.get("objectives", {}) if name in papers.PAPERS]
    origin = ORIGINS.get(str(record.get("started from")).rpartition("/")[2])
    cited = dict.fromkeys([*introduced, *([origin] if origin else []), ARCHITECTURES[family.model_type]])
    lines = [f"- {paper.authors}: [{paper.title}]({paper.url})" for paper in cited]
    parts += ["## Citation", "\n".join([*lines, "- xalign_fairseq:", "", "```bibtex", BIBTEX, "```"])]
    return "\n\n".join(parts) + "\n"


def _front_matter(record: Mapping[str, Any]) -> str:
    lines = ["---", "library_name: transformers", "pipeline_tag: fill-mask", "tags:"]
    lines += ["- word-alignment", "- cross-lingual", "- xalign_fairseq"]
    lines += [f"license: {record['license'].lower()}"] if "license" in record else []
    named = sorted({language for name in record.get("data", {}) for language in name.split("-")})
    # Quoted, because YAML reads the language no as false.
    lines += ["language:", *(f'- "{language}"' for language in named)] if named else []
    return "\n".join([*lines, "---"])


def _training(record: Mapping[str, Any]) -> str:
    if not record:
        return "The checkpoint holds no record of a training by xalign_fairseq."
    rows = [f"| {name} | {_shown(value)} |" for name, value in record.items()]
    return "\n".join(["| | |", "| --- | --- |", *rows])


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_shown(each)}" for name, each in value.items())
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def export(
    path: StrPath,
    folder: StrPath,
    overwrite: bool = False,
    *,
    pooling: str | None = None,
    layer: int = -1,
    onto: StrPath | None = None,
) -> None:
    """Write a checkpoint as a Hugging Face folder, in float32.

    An encoder with a sentencepiece tokenizer becomes an XLM-R, one with a WordPiece tokenizer a BERT with the ids in
    BERT's own order. ``AutoModelForMaskedLM`` gives the same logits, and ``AutoTokenizer`` the same pieces. Heads of
    objectives and the training options are written next to the model; an import restores them. An encoder that
    transformers runs is written into a copy of its original folder, without a model card.

    Args:
        folder: written completely or not at all; ``README.md`` is the model card.
        pooling: ``mean`` or ``cls``: write also the files of sentence-transformers, for vectors of length 1.
        layer: the layer for these vectors, from 1 on; higher layers and heads are left out.
        onto: the original Hugging Face model of an encoder that transformers runs.
    """
    state, where = read_pretrained(path)
    origin = None if onto is None else find_pretrained(onto)
    for each in filter(None, (where, origin)):
        require_outside(each, folder)
    require_no_loss(folder, overwrite, *OWN)
    with atomic_folder(folder, overwrite) as here:
        if origin is not None:
            put_back(state, where, origin, here)
        elif pooling is None:
            fill(state, where, here, Path(folder).name)
        else:
            config = checkpoint.encoder_config(state, where)
            chosen = config.resolve_layer(layer)
            if chosen == 0:
                raise XalignError("an encoder needs at least one layer", parameter="layer", found=layer)
            fill(state if chosen == config.encoder_layers else cut(state, chosen), where, here, Path(folder).name)
            write(here, config, pooling)


def fill(state: dict[str, Any], where: StrPath, folder: Path, name: str) -> None:
    """Write a checkpoint's content into an empty folder, as :func:`export` does."""
    encoder, others = checkpoint.load_encoder(state, where)
    heads = {name: value for name, value in others.items() if name.startswith("heads.")}
    config = encoder.config
    if config.transformers_config:
        problem = "an encoder that transformers runs is exported into its original model"
        remedy = Command("export-hf", Parameter("model", where), Parameter("onto", "MODEL"))
        raise XalignError(problem, where=where, remedy=remedy)
    if config.languages:
        raise XalignError("Hugging Face's models have no language embeddings", where=where)
    tokenizer = load_tokenizer(state, config.vocab_size, where=where)
    files = tokenizer_files(tokenizer, config.max_positions, where)
    if config.token_types > files.family.token_types:
        raise XalignError(f"{files.family.title}'s models have one token type", where=where, found=config.token_types)
    dropped = sorted((state.get("task_state") or {}).keys() - {"tokenizer", *side_files.KEPT})
    dropped += sorted(others.keys() - heads.keys())
    if dropped:
        logger.warning("not exported from %s: %s", where, ", ".join(dropped))
    write_tensors(folder / SAFETENSORS, to_hugging_face(encoder, files.family, files.order))
    write_json(folder / "config.json", hugging_face_config(state, config, files.family, files.special_ids))
    for file, content in files.contents.items():
        (folder / file).write_bytes(content)
    side_files.write(state, heads, folder)
    card = model_card(name, files.family, config, heads, training_record(state))
    (folder / "README.md").write_text(card, encoding="utf-8")


def to_hugging_face(encoder: Encoder, family: Family, order: Sequence[int]) -> dict[str, Tensor]:
    """Hugging Face's tensors of an encoder in float32; the inverse of :func:`.huggingface.importing.to_fairseq`."""
    state = encoder.state_dict()
    second = state.pop(SECOND_TEXT.removeprefix("encoder."), None)
    theirs = {family.their_name(name): value.detach().float() for name, value in state.items()}
    theirs[POSITIONS] = theirs[POSITIONS][ROWS - family.position_offset :]
    theirs[TOKEN_TYPES] = torch.zeros(family.token_types, encoder.config.encoder_embed_dim)
    if second is not None:
        theirs[TOKEN_TYPES][1] = second.float()
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    for name in (WORDS, family.head["lm_head.bias"]):
        theirs[name] = theirs[name][back]
    return {family.full_name(name): value for name, value in theirs.items()}


def hugging_face_config(
    state: dict[str, Any], config: EncoderConfig, family: Family, special_ids: dict[str, int]
) -> dict[str, Any]:
    """``config.json`` of an encoder."""
    options = checkpoint.options(state)
    sizes = {theirs: getattr(config, ours) for ours, theirs in SIZES.items()}
    sizes["max_position_embeddings"] += family.position_offset
    return {
        "architectures": [family.architecture],
        "model_type": family.model_type,
        **sizes,
        "type_vocab_size": family.token_types,
        "layer_norm_eps": config.layer_norm_eps,
        "hidden_dropout_prob": options.get("dropout", 0.1),
        "attention_probs_dropout_prob": options.get("attention_dropout", 0.1),
        "initializer_range": 0.02,
        "tie_word_embeddings": True,
        "dtype": "float32",
        **SHARED,
        **special_ids,
    }


def cut(state: dict[str, Any], layers: int) -> dict[str, Any]:
    """A checkpoint's content with only the first ``layers`` encoder layers, without heads, which read other layers."""
    model = {
        name: value
        for name, value in state["model"].items()
        if not name.startswith("heads.") and not ((found := _LAYER.match(name)) and int(found[1]) >= layers)
    }
    others = ("family", "labelling", "transfer")  # name layers of the whole encoder, or a head
    kept = {name: value for name, value in (state.get("task_state") or {}).items() if name not in others}
    return {**state, "model": model, "task_state": kept}


def write(folder: Path, config: EncoderConfig, pooling: str) -> None:
    """Write the files for ``SentenceTransformer``: vectors of length 1, pooled as in ``retrieve``."""
    require_pooling(pooling)
    kinds = {"": "Transformer", POOLING: "Pooling", "2_Normalize": "Normalize"}
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(kinds.items())
    ]
    pool = {
        "word_embedding_dimension": config.encoder_embed_dim,
        "pooling_mode_cls_token": pooling == "cls",
        "pooling_mode_mean_tokens": pooling == "mean",
        "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False,
    }
    about = {
        "__version__": {"xalign_fairseq": __version__},
        "prompts": {},
        "default_prompt_name": None,
        "similarity_fn_name": "cosine",
    }
    write_json(folder / "modules.json", modules)
    write_json(folder / POOLING / "config.json", pool)
    length = {"max_seq_length": config.max_positions, "do_lower_case": False}
    write_json(folder / "sentence_bert_config.json", length)
    write_json(folder / "config_sentence_transformers.json", about)
