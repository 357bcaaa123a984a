"""The word aligner: sentence pairs in, word links with probabilities out, from a checkpoint and without fairseq."""

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from xalign_fairseq.alignment.labels import LabelOptions, Measure, pair_links
from xalign_fairseq.alignment.pair_states import PairEncoder
from xalign_fairseq.alignment.similarity import pair_similarity
from xalign_fairseq.alignment.vocabulary import load_tokenizer
from xalign_fairseq.alignment.words import NO_WORD, word_links
from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.tokenizer import Tokenizer, split_words
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import LanguageMaps, require_maps
from xalign_fairseq.encoder.pointer import Pointer
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.errors import XalignError

# Pairs are sorted by length within so many, which bounds memory on files of any size.
SORTED_AT_ONCE = 8192

Sentence = str | Sequence[str]
WordLinks = dict[tuple[int, int], float]


@dataclass(frozen=True)
class Alignment:
    """The words of a pair and its links: ``links[i, j]`` is the probability of source word i with target word j.

    ``cut`` says that the pair was longer than the encoder's positions, so that the ends of both sides were not seen.
    """

    src: list[str]
    tgt: list[str]
    links: WordLinks
    cut: bool = False


@dataclass
class _Encoded:
    """One pair as ids, with the word of each token."""

    index: int
    src: np.ndarray
    tgt: np.ndarray
    src_words: np.ndarray
    tgt_words: np.ndarray
    cut: bool

    def __len__(self) -> int:
        return len(self.src) + len(self.tgt) + 3


class Aligner:
    """Word alignment by optimal transport between the hidden states of a pair (XLM-Align, Chi et al. 2021).

    Similarities of hidden states of one layer give a transport plan (Eqs. 1-6), whose links (Eqs. 7-9) between subwords
    become links between their words. How pairs are encoded is told by
    :class:`~xalign_fairseq.alignment.pair_states.PairEncoder`.

    Args:
        encoder: in evaluation mode, on the device to use.
        tokenizer: whose ids the encoder knows.
        layer: whose hidden states give the links; 0 embeddings, -1 last.
        options: how links are found; the defaults are those of the released code.
        pointer: whose scores stand in for dot products of hidden states, if given.
        encoding: ``joint`` or ``separate``; without one ``separate`` where maps are used, else ``joint``.
        maps: linear maps of the hidden states of separately encoded sides, given to use them.
        languages: of source and target, for maps and for encoders with language embeddings.
        batch_tokens: most tokens in a batch, padding included; one pair at least is always taken.

    Errors: :class:`XalignError` for a layer that the encoder lacks, a language without a map or an embedding, and a
    pointer or maps with an encoding that they were not trained on. No pair is ever left out: one with an empty side has
    no links, and one longer than the encoder's positions is cut.

    Example::

        aligner = Aligner.from_pretrained("checkpoint_best.pt")
        [pair] = aligner.align(["the red house"], ["la maison rouge"])
        pair.links    # {(0, 0): 0.98, (1, 2): 0.91, (2, 1): 0.95}
    """

    def __init__(
        self,
        encoder: Encoder,
        tokenizer: Tokenizer,
        *,
        layer: int | None = None,
        options: LabelOptions | None = None,
        pointer: Pointer | None = None,
        encoding: str | None = None,
        maps: LanguageMaps | None = None,
        languages: tuple[str, str] | None = None,
        batch_tokens: int = 8192,
    ):
        self.encoder = encoder.eval()
        self.tokenizer = tokenizer
        config = encoder.config
        self.layer = config.default_labelling_layer() if layer is None else config.resolve_layer(layer, "--layer")
        self.options = options or LabelOptions()
        self.similarity = "hidden" if pointer is None else "pointer"
        self._measure: Measure = pair_similarity if pointer is None else pointer.similarity
        encoding = encoding or ("joint" if maps is None else "separate")
        if pointer is not None and encoding != "joint":
            raise XalignError(
                "a pointer reads jointly encoded pairs", where="--encoding", found=encoding, next="--similarity hidden"
            )
        self.pair_encoder = PairEncoder(self.encoder, encoding, maps, languages)
        self.batch_tokens = batch_tokens

    @property
    def device(self) -> torch.device:
        """Where the encoder is."""
        return self.encoder.lm_head.bias.device

    @classmethod
    def from_pretrained(
        cls,
        path: str | os.PathLike,
        *,
        dictionary: str | os.PathLike | None = None,
        spm: str | os.PathLike | None = None,
        layer: int | None = None,
        options: LabelOptions | None = None,
        similarity: str | None = None,
        encoding: str | None = None,
        languages: tuple[str, str] | None = None,
        use_maps: bool = False,
        device: str = "auto",
        batch_tokens: int = 8192,
    ) -> "Aligner":
        """Load a fairseq checkpoint; see :func:`load_tokenizer` for where its tokenizer is looked for.

        Without ``layer`` it is the layer that the checkpoint labelled itself with, else the one at the same depth as
        XLM-Align's layer 10 of 12. With ``similarity="pointer"`` the scores of the checkpoint's DWA pointer stand in
        for dot products (``"hidden"``), at the layer that the pointer was trained on. Without ``similarity`` it is what
        the checkpoint labelled itself with. With ``use_maps`` the checkpoint's linear maps are used, those of
        ``languages``, which an encoder with language embeddings needs too.
        """
        target = choose_device(device)
        state = checkpoint.read(path)
        encoder, heads = checkpoint.load_encoder(state, path)
        trained = checkpoint.options(state, "criterion")
        by_pointer = (similarity or trained.get("dwa_label_by")) == "pointer"
        pointer = checkpoint.load_pointer(heads, path).to(target) if by_pointer else None
        maps = require_maps(heads, path).to(target) if use_maps else None
        if layer is None:
            layer = trained.get("dwa_layer" if by_pointer else "dwa_label_layer")
        tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=path, dictionary=dictionary, spm=spm)
        return cls(
            encoder.to(target),
            tokenizer,
            layer=layer,
            options=options,
            pointer=pointer,
            encoding=encoding,
            maps=maps,
            languages=languages,
            batch_tokens=batch_tokens,
        )

    def align(self, src: Iterable[Sentence], tgt: Iterable[Sentence]) -> list[Alignment]:
        """Align sentences: strings, split at white space into words, or lists of words. Both sides equally many."""
        try:
            return list(self.stream(zip(src, tgt, strict=True)))
        except ValueError as error:
            if isinstance(error, XalignError) or "zip()" not in str(error):
                raise
            raise XalignError("the two sides differ in their number of sentences", found=str(error)) from None

    def stream(
        self, pairs: Iterable[tuple[Sentence, Sentence]], progress: Callable[[int], object] | None = None
    ) -> Iterator[Alignment]:
        """Align pairs one after the other in their order; ``progress`` is told how many more are done."""
        for settings in self.sweep(pairs, [(self.layer, self.options)], progress):
            yield settings[0]

    def sweep(
        self,
        pairs: Iterable[tuple[Sentence, Sentence]],
        settings: Sequence[tuple[int, LabelOptions]],
        progress: Callable[[int], object] | None = None,
    ) -> Iterator[list[Alignment]]:
        """Align each pair with every setting (layer, options) from one pass of the encoder.

        Yields:
            for each pair, in the order of the input, one alignment per setting.
        """
        remaining = iter(pairs)
        while chunk := list(itertools.islice(remaining, SORTED_AT_ONCE)):
            yield from self._chunk([(_words(src), _words(tgt)) for src, tgt in chunk], settings, progress)

    def _chunk(
        self,
        pairs: list[tuple[list[str], list[str]]],
        settings: Sequence[tuple[int, LabelOptions]],
        progress: Callable[[int], object] | None,
    ) -> list[list[Alignment]]:
        encoded = self._encode(pairs)
        links: list[list[WordLinks]] = [[{} for _ in settings] for _ in pairs]
        # A pair with an empty side has no links, and the encoder is not asked.
        full = [pair for pair in encoded if len(pair.src) and len(pair.tgt)]
        if progress:
            progress(len(encoded) - len(full))
        for batch in self._batches(full):
            for setting, found in enumerate(self._batch_links(batch, settings)):
                for pair, pair_found in zip(batch, found, strict=True):
                    links[pair.index][setting] = pair_found
            if progress:
                progress(len(batch))
        return [
            [Alignment(src, tgt, found, pair.cut) for found in links[pair.index]]
            for pair, (src, tgt) in zip(encoded, pairs, strict=True)
        ]

    def _encode(self, pairs: list[tuple[list[str], list[str]]]) -> list[_Encoded]:
        sides = []
        for side in zip(*pairs, strict=True):
            (ids, sizes), (words, _) = self.tokenizer.encode_words_batch(side)
            edges = np.cumsum(sizes)[:-1]
            sides += [np.split(ids, edges), np.split(words, edges)]
        src, src_words, tgt, tgt_words = sides
        encoded = []
        for index in range(len(pairs)):
            n, m, cut = self.pair_encoder.fit(len(src[index]), len(tgt[index]))
            encoded.append(
                _Encoded(index, src[index][:n], tgt[index][:m], src_words[index][:n], tgt_words[index][:m], cut)
            )
        return encoded

    def _batches(self, pairs: list[_Encoded]) -> Iterator[list[_Encoded]]:
        """Batches of similar lengths, the longest first, so that a lack of memory shows at once."""
        ordered = sorted(pairs, key=len, reverse=True)
        start = 0
        while start < len(ordered):
            size = max(1, self.batch_tokens // len(ordered[start]))
            yield ordered[start : start + size]
            start += size

    @torch.inference_mode()
    def _batch_links(
        self, batch: list[_Encoded], settings: Sequence[tuple[int, LabelOptions]]
    ) -> Iterator[list[WordLinks]]:
        states, spans = self.pair_encoder.states([(pair.src, pair.tgt) for pair in batch])
        src_words = pad([pair.src_words for pair in batch], NO_WORD).to(self.device)
        tgt_words = pad([pair.tgt_words for pair in batch], NO_WORD).to(self.device)
        for layer, options in settings:
            links, probability = pair_links(
                states.layer(layer),
                spans,
                options,
                measure=self._measure,
                sizes=(src_words.shape[1], tgt_words.shape[1]),
            )
            yield word_links(links, probability, src_words, tgt_words)


def choose_device(name: str) -> torch.device:
    """``auto`` is the CUDA device if there is one, else the CPU; ``cuda`` without one is an error."""
    available = torch.cuda.is_available()
    if name == "auto":
        return torch.device("cuda" if available else "cpu")
    device = torch.device(name)
    if device.type == "cuda" and not available:
        raise XalignError(
            "there is no CUDA device",
            where="--device",
            found=name,
            next="--device cpu, or see xalign doctor",
        )
    return device


def _words(sentence: Sentence) -> list[str]:
    return split_words(sentence) if isinstance(sentence, str) else list(sentence)
