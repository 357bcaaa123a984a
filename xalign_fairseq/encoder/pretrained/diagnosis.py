"""Check checkpoints, alone and with data-bins."""

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import torch

from xalign_fairseq.core.errors import Finding, XalignError
from xalign_fairseq.core.files import nearly
from xalign_fairseq.data.databin import DataBin, has_dictionary
from xalign_fairseq.data.diagnosis import databin, lexicon, tokenizer
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.encoder.checkpoint import load_encoder
from xalign_fairseq.encoder.pretrained.reading import CHECKPOINTS, read_pretrained, trimmed_to
from xalign_fairseq.encoder.vocabulary import data_folders, stored_model


def look_at(paths: Sequence[str]) -> list[Finding]:
    """Check data-bins, and check models against the data-bins in ``paths``; a model is a file or a folder."""
    found: list[Finding] = []
    dictionaries: dict[str, Dictionary] = {}
    for path in sorted(paths, key=_is_model):
        try:
            if not os.path.exists(path):
                raise XalignError("there is no such data-bin or checkpoint", found=nearly(path))
            if not _is_model(path):
                data = DataBin(path)
                dictionaries[path] = data.dictionary
                found += databin(data)
            else:
                found += checkpoint(path, dictionaries)
        except XalignError as error:
            found.append(Finding("WRONG", path, error))
    return found


def _is_model(path: str) -> bool:
    folder = Path(path)
    if any(folder.glob("*.idx")):  # a data-bin, which may also have the model of xalign prepare --trim-vocabulary
        return False
    return not folder.is_dir() or any((folder / name).is_file() for name in (*CHECKPOINTS, "config.json"))


def checkpoint(path: str, dictionaries: dict[str, Dictionary]) -> list[Finding]:
    """Check a checkpoint against its tokenizer and the given dictionaries, or that of its folder or data-bin."""
    state, _ = read_pretrained(path)
    encoder, heads = load_encoder(state, path)
    sizes = encoder.config
    layers = f"{sizes.encoder_layers} layers of {sizes.encoder_embed_dim}, {sizes.encoder_attention_heads} heads"
    text = f"{layers}, {sizes.vocab_size:,} embeddings, {sizes.max_positions} positions"
    if sizes.languages:
        text += f", language embeddings {', '.join(sizes.languages)}"
    if trimmed := trimmed_to(state):
        text += f", vocabulary trimmed to {', '.join(trimmed)}"
    own = sorted({".".join(key.split(".")[:2]) for key in heads})
    found = [Finding("ok", path, f"{text}" + (f"; next to the encoder: {', '.join(own)}" if own else ""))]
    broken = [name for name, weight in encoder.named_parameters() if not torch.isfinite(weight).all()]
    if broken:
        found.append(Finding("WRONG", path, f"weights that are not finite: {', '.join(broken[:3])}"))
    candidates = dict(dictionaries)
    stored = (state.get("task_state") or {}).get("tokenizer") or {}
    mine = Dictionary(stored["symbols"][4:]) if "symbols" in stored else None
    if mine is not None:
        candidates["the checkpoint itself"] = mine
        found.append(tokenizer(f"{path} tokenizer", stored_model(stored, path), mine))
    stored_lexicons = (state.get("task_state") or {}).get("lexicons") or []
    found += [lexicon(path, Lexicon.from_state(each)) for each in stored_lexicons]
    if not candidates:
        folders = (folder for folder in data_folders(state, path) if folder.is_dir() and has_dictionary(folder))
        candidates = {str(folder): DataBin(folder).dictionary for folder in islice(folders, 1)}
    if not candidates:
        text = "no dictionary to compare it with\nnext: name its data-bin too: xalign doctor DATA-BIN CHECKPOINT"
        found.append(Finding("note", path, text))
    return [*found, *(_fits(path, sizes.vocab_size, mine, *candidate) for candidate in candidates.items())]


def _fits(path: str, embeddings: int, mine: Dictionary | None, where: str, dictionary: Dictionary) -> Finding:
    rows = dictionary.embedding_size
    if rows != embeddings:
        text = f"does not fit the dictionary of {where}\nfound: {embeddings} embeddings\nexpected: {rows}"
    elif mine is not None and mine.digest != dictionary.digest:
        text = f"the dictionary of {where} has as many symbols as the checkpoint's own, but other ones"
    else:
        return Finding("ok", path, f"fits the dictionary of {where}")
    return Finding("WRONG", path, f"{text}\nnext: use the dictionary that it was trained with")
