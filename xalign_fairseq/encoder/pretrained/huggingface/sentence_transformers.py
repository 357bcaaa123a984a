"""Exports for sentence-transformers: pooling, normalisation, and the layers up to a given one."""

import re
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.core.version import __version__
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.sentence_vectors import POOLINGS

MODULES = "modules.json"
POOLING = "1_Pooling"
_LAYER = re.compile(r"encoder\.sentence_encoder\.layers\.(\d+)\.")
_KINDS = ("Transformer", "Pooling", "Normalize")


def cut(state: dict[str, Any], layers: int) -> dict[str, Any]:
    """A checkpoint's content with this number of its encoder's layers, and without heads, which read other layers."""
    model = {
        name: value
        for name, value in state["model"].items()
        if not name.startswith("heads.") and not ((found := _LAYER.match(name)) and int(found[1]) >= layers)
    }
    return {**state, "model": model}


def write(folder: Path, config: EncoderConfig, pooling: str) -> None:
    """Write what ``SentenceTransformer`` reads of a folder: vectors of length 1, pooled as in ``retrieve``."""
    if pooling not in POOLINGS:
        raise XalignError("there is no such pooling", found=pooling, expected=" or ".join(POOLINGS))
    paths = ("", POOLING, "2_Normalize")
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(zip(paths, _KINDS, strict=True))
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
    length = {"max_seq_length": config.max_positions, "do_lower_case": False}
    write_json(folder / MODULES, modules)
    write_json(folder / POOLING / "config.json", pool)
    write_json(folder / "sentence_bert_config.json", length)
    write_json(folder / "config_sentence_transformers.json", about)
