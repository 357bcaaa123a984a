"""Trim a model to the pieces that a text needs, and restore the whole vocabulary.

Most parameters of a multilingual encoder are embeddings of pieces that a text in two languages never uses (Abdaoui et
al. 2020, "Load What You Need"). Without them, the masked-language-model head and the optimiser's moments shrink too.
Hidden states of that text do not change, because the tokenizer still cuts it into the same pieces.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, require_outside
from xalign_fairseq.core.text.containers import file_of
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.trimming import FLOOR, trim_to_files
from xalign_fairseq.encoder import checkpoint, masked_lm
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD
from xalign_fairseq.encoder.pretrained.reading import TRIMMED, read_pretrained
from xalign_fairseq.encoder.pretrained.saving import new_model, untrained
from xalign_fairseq.encoder.vocabulary import load_tokenizer, tokenizer_state

IN_RECORD = "vocabulary trimmed to"
# Parameters with a row for each id, in the encoder and in copies of it in heads.
_ROWS = re.compile(r"(^|\.)(embed_tokens\.weight|lm_head\.(weight|bias))$")


def trim(
    state: dict[str, Any], where: StrPath, text: Sequence[StrPath], floor: int = FLOOR, quiet: bool = False
) -> dict[str, Any]:
    """A checkpoint's content with only the pieces that a text needs, and the most frequent ones.

    Every line of the text keeps its pieces and its hidden states. Other text in its scripts may be
    split into shorter pieces; characters of other scripts may be unknown. ``task_state``
    records under :data:`TRIMMED` the names of the text files (``to``), the number of ids (``ids``), and that of the
    original (``of``).
    """
    size = checkpoint.vocab_size(state, where)
    made = trim_to_files(load_tokenizer(state, size, where=where), text, floor, quiet)
    rows = torch.from_numpy(made.rows)
    model = _with_rows(state["model"], lambda whole: whole[rows])
    stored = state.get("task_state") or {}
    about = {
        "to": [Path(path).name for path in text],
        "ids": len(rows),
        "of": (stored.get(TRIMMED) or {}).get("of", size),
    }
    return _changed(state, model, tokenizer_state(made.tokenizer.dictionary, made.tokenizer.model), about)


def untrim(state: dict[str, Any], where: StrPath, original: dict[str, Any], original_where: StrPath) -> dict[str, Any]:
    """A trimmed model with the whole vocabulary again: its own rows, and the other rows of the original.

    Text that the trimmed model knows has the same hidden states; other text is cut by the original's tokenizer, and
    trimmed pieces get their original vectors back.
    """
    mine, theirs = state["model"], original["model"]
    tokenizer = load_tokenizer(original, checkpoint.vocab_size(original, original_where), where=original_where)
    small = load_tokenizer(state, checkpoint.vocab_size(state, where), where=where).dictionary
    rows = torch.tensor(_places(small, tokenizer.dictionary, where, original_where))
    embeddings: Tensor = theirs[masked_lm.EMBEDDINGS]
    if embeddings.shape[1] != mine[masked_lm.EMBEDDINGS].shape[1]:
        problem = "the models differ in their hidden size"
        found = f"{mine[masked_lm.EMBEDDINGS].shape[1]} and {embeddings.shape[1]}"
        remedy = "give the model that this one was trimmed from"
        raise XalignError(problem, where=f"{where}, {original_where}", found=found, remedy=remedy)
    bias = theirs.get(f"{masked_lm.HEAD}bias", torch.zeros(len(embeddings)))

    def among_all(part: Tensor) -> Tensor:
        whole = (embeddings if part.dim() == 2 else bias).to(part.dtype, copy=True)
        whole[rows] = part
        return whole

    earlier = (original.get("task_state") or {}).get(TRIMMED)
    vocabulary = tokenizer_state(tokenizer.dictionary, tokenizer.model)
    return _changed(state, _with_rows(mine, among_all), vocabulary, earlier)


def _with_rows(weights: dict[str, Tensor], changed: Callable[[Tensor], Tensor]) -> dict[str, Tensor]:
    """Apply ``changed`` to each tensor that has one row per id; tied weights stay tied."""
    whole = {value.data_ptr(): value for name, value in weights.items() if _ROWS.search(name)}
    made = {place: changed(value) for place, value in whole.items()}
    return {name: made[value.data_ptr()] if _ROWS.search(name) else value for name, value in weights.items()}


def summary(state: dict[str, Any], before: dict[str, Any]) -> str:
    """The sizes of a model and of its original, as text."""
    sizes = []
    for each in (state, before):
        weights = {value.data_ptr(): value for value in each["model"].values()}
        sizes.append((checkpoint.vocab_size(each), sum(value.numel() for value in weights.values())))
    (ids, parameters), (old_ids, old_parameters) = sizes
    return (
        f"{ids:,} ids (before: {old_ids:,}), {parameters / 1e6:.1f} million parameters (before: "
        f"{old_parameters / 1e6:.1f} million)"
    )


def _places(small: Dictionary, whole: Dictionary, where: object, original_where: object) -> list[int]:
    """The whole dictionary's id of each id of the small one, ``<mask>`` included."""
    foreign = [symbol for symbol in small.symbols if symbol not in whole]
    if foreign:
        problem = "the model was not trimmed from this one"
        found = f"{counted(len(foreign), 'piece')} that the original lacks, such as {foreign[0]}"
        remedy = "give the model that this one was trimmed from"
        raise XalignError(problem, where=f"{where}, {original_where}", found=found, remedy=remedy)
    places = [whole.index(symbol) for symbol in small.symbols]
    return places if small.mask_index < len(small) else [*places, whole.mask_index]


def _changed(
    state: dict[str, Any], model: dict[str, Tensor], vocabulary: dict[str, Any], about: dict[str, Any] | None
) -> dict[str, Any]:
    """A checkpoint's content with other weights and another vocabulary, without optimiser state."""
    made = untrained(state, model, vocabulary)
    made["task_state"].pop("lexicons", None)  # of the original's ids
    if about is None:
        made["task_state"].pop(TRIMMED, None)
        made[RECORD].pop(IN_RECORD, None)
    else:
        made["task_state"][TRIMMED] = about
        made[RECORD][IN_RECORD] = ", ".join(about["to"])
    return made


def write_trimmed(
    model: StrPath,
    text: Sequence[str],
    out: StrPath,
    *,
    floor: int = FLOOR,
    overwrite: bool = False,
    quiet: bool = False,
) -> str:
    """Write a model with the pieces that a text needs. Returns its size before and after, as text.

    ``out`` is a checkpoint if it ends in ``.pt``, otherwise a Hugging Face folder; at least ``floor`` pieces are kept.
    """
    for each in text:
        require_outside(file_of(each), out)
    with new_model(out, overwrite) as save:
        state, where = read_pretrained(model)
        require_outside(where, out)
        small = trim(state, where, text, floor, quiet)
        save(small, where)
    return summary(small, state)


def write_untrimmed(model: StrPath, original: StrPath, out: StrPath, *, overwrite: bool = False) -> str:
    """Write a trimmed model with the whole vocabulary of its original. Returns its size before and after, as text."""
    with new_model(out, overwrite) as save:
        (state, where), (whole, whole_where) = (read_pretrained(each) for each in (model, original))
        for read in (where, whole_where):
            require_outside(read, out)
        joined = untrim(state, where, whole, whole_where)
        save(joined, where)
    return summary(joined, state)
