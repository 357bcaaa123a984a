"""Tokenizers of the encoders that transformers runs, and their ids for fairseq's special symbols."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.data.tokenizers.dictionary import MASK, SPECIALS, Dictionary
from xalign_fairseq.data.tokenizers.pipeline import TokenizerPipeline
from xalign_fairseq.data.tokenizers.tokenizer import load_sentencepiece, pieces_of
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_json import TOKENIZER, TokenizerFile
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import TOKENIZER_CONFIG, Vocabulary, require_rows
from xalign_fairseq.encoder.vocabulary import tokenizer_state

SENTENCEPIECE = "spm.model"  # DeBERTa's
PADDING = 1024  # maximum number of embedding rows beyond the tokenizer's tokens; mDeBERTa has 898
# Our special symbols -> their settings, in order of preference; the last ones are other symbols' settings.
ROLES = {
    "<s>": ("cls_token", "bos_token", "sep_token", "eos_token"),
    "<pad>": ("pad_token", "eos_token", "sep_token"),
    "</s>": ("sep_token", "eos_token", "cls_token", "bos_token"),
    "<unk>": ("unk_token", "pad_token", "eos_token"),
    "<mask>": ("mask_token",),
}
# Their names in sentencepiece models, for folders that have only the model.
NAMES = {
    "pad_token": ("[PAD]", "<pad>"),
    "cls_token": ("[CLS]",),
    "sep_token": ("[SEP]",),
    "eos_token": ("</s>",),
    "bos_token": ("<s>",),
    "unk_token": ("[UNK]", "<unk>"),
    "mask_token": ("[MASK]", "<mask>"),
}


def read_pipeline(folder: Path, vocab_size: int) -> Vocabulary:
    """The tokenizer of a folder: its ``tokenizer.json``, or the sentencepiece model alone.

    The symbols around a text are those that the tokenizer adds. Rows beyond the tokenizer's are left out, which is
    logged.
    """
    if (folder / TOKENIZER).is_file():
        return _read_json_file(folder, vocab_size)
    if (folder / SENTENCEPIECE).is_file():
        return _read_sentencepiece(folder / SENTENCEPIECE, vocab_size)
    raise XalignError("the folder has no tokenizer", where=folder, expected=f"{TOKENIZER} or {SENTENCEPIECE}")


def _read_json_file(folder: Path, vocab_size: int) -> Vocabulary:
    path = folder / TOKENIZER
    read_json(path, TokenizerFile)  # raises if it is damaged or too large
    content = path.read_text(encoding="utf-8")
    opened = TokenizerPipeline(content, (0, 0, 0, 0, 0), 1).open(path)
    ids: dict[str, int] = opened.get_vocab(with_added_tokens=True)
    size = 1 + max(ids.values(), default=-1)
    require_rows(size, vocab_size, path, f"{size} ids", padding=PADDING)
    config = folder / TOKENIZER_CONFIG
    named = _named(read_json(config) if config.is_file() else {})
    given = {**_usual(ids), **{role: name for role, name in named.items() if name in ids}}
    around = _around(opened)
    special = _special_ids({role: ids[name] for role, name in given.items()}, path)
    special = (around[0] or special[0], special[1], around[1] or special[2], *special[3:])
    pipeline = TokenizerPipeline(content, special, size)
    return Vocabulary(tokenizer_state(pipeline.dictionary(path), pipeline), pipeline.order, 1)


def _named(config: Mapping[str, Any]) -> dict[str, str]:
    """The names of special symbols by their settings, which are names or objects with the name as ``content``."""
    found = {}
    for role in NAMES:
        value = config.get(role)
        name = value.get("content") if isinstance(value, dict) else value
        if isinstance(name, str):
            found[role] = name
    return found


def _usual(ids: Mapping[str, int]) -> dict[str, str]:
    return {role: name for role, names in NAMES.items() for name in names[::-1] if name in ids}


def _around(tokenizer: Any) -> tuple[int | None, int | None]:
    """The ids that a tokenizer puts before and after a text, if any."""
    bare = tokenizer.encode("a", add_special_tokens=False).ids
    whole = tokenizer.encode("a").ids
    for place in range(len(whole) - len(bare) + 1):
        if whole[place : place + len(bare)] == bare:
            behind = whole[place + len(bare) :]
            return (whole[0] if place else None), (behind[0] if behind else None)
    return None, None


def _special_ids(roles: Mapping[str, int], where: object) -> tuple[Any, ...]:
    found = []
    for symbol, settings in ROLES.items():
        role = next((role for role in settings if role in roles), None)
        if role is None:
            problem, expected = "the tokenizer lacks a special symbol", f"one of {', '.join(settings)}"
            raise XalignError(problem, where=where, found=f"none for {symbol}", expected=expected)
        found.append(roles[role])
    return tuple(found)


def _read_sentencepiece(path: Path, vocab_size: int) -> Vocabulary:
    """The pieces by their own ids, as DeBERTa has them; [MASK] follows them."""
    pieces = pieces_of(load_sentencepiece(path), path)
    require_rows(len(pieces), vocab_size, path, f"{len(pieces)} ids", padding=PADDING)
    ids = {piece: i for i, piece in enumerate(pieces)}
    if "[CLS]" in ids and "[MASK]" not in ids and len(pieces) < vocab_size:
        ids["[MASK]"] = len(pieces)
    special = _special_ids({role: ids[name] for role, name in _usual(ids).items()}, path)
    twice = (*SPECIALS, MASK)
    rest = [i for i in range(len(pieces)) if i not in special and pieces[i] not in twice]
    dictionary = Dictionary(pieces[i] for i in rest)
    order = [*special[:-1], *rest, special[-1]]
    return Vocabulary(tokenizer_state(dictionary, path.read_bytes()), order, 1)
