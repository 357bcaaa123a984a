"""Find, read and open a pretrained model: a file or folder of fairseq, or a Hugging Face folder or name."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import LEARN, LanguageMaps, load_maps
from xalign_fairseq.encoder.pretrained import low_rank, packaged
from xalign_fairseq.encoder.pretrained.four_bit import is_four_bit
from xalign_fairseq.encoder.pretrained.huggingface import adapting, importing, locate
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD
from xalign_fairseq.encoder.pretrained.huggingface.weights import WEIGHTS
from xalign_fairseq.encoder.pretrained.known import family_of, recognise_checkpoint, with_family
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.pointer import Pointer
from xalign_fairseq.transport.scored import scorer_of_state

logger = logging.getLogger(__name__)

# In fairseq's folders: the first is in XLM-R's archive, the others are from a training run, which has no best
# checkpoint without validation.
CHECKPOINTS = ("model.pt", "checkpoint_best.pt", "checkpoint_last.pt")
TRIMMED = "trimmed"  # in a checkpoint's task state


def read_pretrained(path: StrPath, *, lookup: bool = False) -> tuple[dict[str, Any], Path]:
    """Read a model's weights, options and tokenizer as a checkpoint's content; also return their path.

    Args:
        path: one of

            - ``e5-small``, the packaged encoder, unless there is a file or folder of that name here;
              ``e5-small-gold``, a change of it, or a file of such a change (``.npz``);
            - a checkpoint of fairseq's or of this package (``.pt``);
            - a folder with ``model.pt``, such as XLM-R's archive, or with ``checkpoint_best.pt`` or, without it,
              ``checkpoint_last.pt``, which training writes;
            - a Hugging Face folder of XLM-R's or BERT's kind, or of an encoder that transformers runs, also
              ``models--ORGANISATION--NAME`` of the hub's cache;
            - a name on the hub, such as ``FacebookAI/xlm-roberta-base``, if there is no such file or folder.
        lookup: keep four-bit embeddings in four bits, for an encoder that is not trained.

    Returns:
        the content as from :func:`xalign_fairseq.encoder.checkpoint.read`, with the known family in its task state; and
        the file or folder, for messages and :func:`xalign_fairseq.encoder.vocabulary.load_tokenizer`.
    """
    where = find_pretrained(path)
    if low_rank.is_low_rank(where):
        return low_rank.read_low_rank(where, lambda model: read_pretrained(model, lookup=lookup))
    if where.is_dir():
        state = (adapting if adapting.is_body(where) else importing).read(where)
        return checkpoint.require_options(state, where), where
    if is_four_bit(where):
        return packaged.read(where, lookup), where
    state = checkpoint.read(where)
    return with_family(state, recognise_checkpoint(state, where)), where


def read_tokenizer(path: StrPath) -> Tokenizer:
    """The tokenizer of a model that :func:`read_pretrained` reads; no encoder is built."""
    state, where = read_pretrained(path, lookup=True)
    return load_tokenizer(state, checkpoint.vocab_size(state, where), where=where)


def comes_with_scorer(path: StrPath, state: dict[str, Any] | None = None) -> bool:
    """Whether a link scorer belongs to the model: to e5-small, also under another name, and to small model files.

    ``state``: the model's content, if it has been read.
    """
    where = find_pretrained(path)
    if low_rank.is_low_rank(where):
        return True
    found = read_pretrained(where, lookup=True)[0] if state is None else state
    return bool(found.get(RECORD) == packaged.ORIGIN)


def find_packaged(path: StrPath) -> Path | None:
    """The file of a packaged model, unless a file or folder of that name exists."""
    if os.fspath(path) not in (packaged.NAME, low_rank.NAME) or Path(path).exists():
        return None
    return packaged.find() if os.fspath(path) == packaged.NAME else low_rank.PACKAGED


def find_pretrained(path: StrPath) -> Path:
    """The checkpoint or the Hugging Face folder that :func:`read_pretrained` reads."""
    if file := find_packaged(path):
        return file
    if os.fspath(path) in (packaged.NAME, low_rank.NAME):
        logger.warning("%s is read from the current folder, not from the package", path)
        path = Path(path).absolute()
    if not Path(path).exists() and locate.is_hub_name(path):
        return locate.find_on_hub(os.fspath(path))
    folder = locate.snapshot(Path(path))
    if folder.name in WEIGHTS and folder.is_file():
        raise XalignError("a Hugging Face model is given by its folder", where=folder, remedy=f"give {folder.parent}")
    if not folder.is_dir():
        return folder
    for name in CHECKPOINTS:
        if (folder / name).is_file():
            return folder / name
    if (folder / "config.json").is_file():
        return folder
    if (folder / "statistical.json").is_file():
        raise XalignError("the folder has statistics of bitext, without an encoder", where=folder)
    found = ", ".join(sorted(each.name for each in folder.iterdir())[:8]) or "nothing"
    expected = f"{' or '.join(CHECKPOINTS)} of fairseq's, or a Hugging Face folder with its config.json"
    raise XalignError("the folder has no checkpoint", where=folder, found=found, expected=expected)


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A model and its origin."""

    where: Path
    encoder: Encoder  # on the CPU, in evaluation mode
    heads: dict[str, Tensor]
    tokenizer: Tokenizer
    linking: Linking | None  # its labelling method in training, if any
    family: str | None
    trimmed: tuple[str, ...]  # names of the files that its vocabulary was trimmed to
    packaged: bool  # e5-small without further training
    with_scorer: bool  # see comes_with_scorer

    def scorer(self) -> LinkScorer | None:
        """Its link scorer in evaluation mode, if it has one."""
        mine = self._tensors("heads.link_scorer.")
        try:
            return scorer_of_state(mine) if mine else None
        except (KeyError, RuntimeError) as error:
            raise XalignError("the checkpoint's link scorer is damaged", where=self.where, found=error) from None

    def pointer(self) -> Pointer:
        """Its frozen pointer of denoising word alignment; :class:`XalignError` if it has none."""
        mine = self._tensors("heads.dwa.pointer.")
        if not mine:
            remedy = ("set", Parameter("similarity", "hidden"))
            raise XalignError("the checkpoint has no pointer", where=self.where, remedy=remedy)
        query = mine.get("query.weight", torch.empty(0, 0))
        try:
            pointer = Pointer(query.shape[-1] if query.dim() else 0)
            pointer.load_state_dict(mine)
        except RuntimeError as error:
            raise XalignError("the checkpoint's pointer is damaged", where=self.where, found=error) from None
        return pointer.eval().requires_grad_(False)

    def maps(self) -> LanguageMaps:
        """Its frozen linear maps; :class:`XalignError` if it has none."""
        maps = load_maps(self.heads)
        if maps is None:
            raise XalignError("the checkpoint has no linear maps", where=self.where, remedy=LEARN)
        return maps

    def _tensors(self, prefix: str) -> dict[str, Tensor]:
        return {name.removeprefix(prefix): value for name, value in self.heads.items() if name.startswith(prefix)}


def open_model(path: StrPath, *, lookup: bool = False) -> OpenedModel:
    """Open a model with its encoder, heads and tokenizer."""
    path = find_pretrained(path)
    state, where = read_pretrained(path, lookup=lookup)
    unchanged = state.get(RECORD) == packaged.ORIGIN
    scored = comes_with_scorer(path, state)
    encoder, heads = checkpoint.load_encoder(state, where)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where)
    task_state = state.get("task_state") or {}
    labelling, about = task_state.get("labelling"), task_state.get(TRIMMED)
    linking = None if labelling is None else Linking.from_state(labelling, where)
    trimmed = tuple(map(str, about["to"])) if isinstance(about, dict) and isinstance(about.get("to"), list) else ()
    return OpenedModel(where, encoder, heads, tokenizer, linking, family_of(state), trimmed, unchanged, scored)
