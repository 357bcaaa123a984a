"""Open a pretrained model: encoder, heads, tokenizer, and how it makes links."""

from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.encoder.checkpoint import load_encoder, load_link_scorer, load_pointer
from xalign_fairseq.encoder.mappings import LanguageMaps, require_maps
from xalign_fairseq.encoder.pretrained.huggingface.side_files import RECORD
from xalign_fairseq.encoder.pretrained.known import family_of
from xalign_fairseq.encoder.pretrained.packaged import ORIGIN
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.trimming import trimmed_to
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.pointer import Pointer


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
    packaged: bool = False  # without further training

    def scorer(self) -> LinkScorer | None:
        """Its link scorer, if it has one."""
        return load_link_scorer(self.heads, self.where)

    def pointer(self) -> Pointer:
        """Its pointer; :class:`XalignError` if it has none."""
        return load_pointer(self.heads, self.where)

    def maps(self) -> LanguageMaps:
        """Its linear maps; :class:`XalignError` if it has none."""
        return require_maps(self.heads, self.where)


def open_model(
    path: StrPath, *, lookup: bool = False, dictionary: StrPath | None = None, spm: StrPath | None = None
) -> OpenedModel:
    """Open a model with its encoder, heads and tokenizer."""
    state, where = read_pretrained(path, lookup=lookup)
    family, trimmed, packaged = family_of(state), trimmed_to(state), state.get(RECORD) == ORIGIN
    encoder, heads = load_encoder(state, where)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where, dictionary=dictionary, spm=spm)
    labelling = (state.get("task_state") or {}).get("labelling")
    linking = None if labelling is None else Linking.from_state(labelling, where)
    return OpenedModel(where, encoder, heads, tokenizer, linking, family, trimmed, packaged)
