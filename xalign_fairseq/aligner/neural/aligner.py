"""The word aligner: sentence pairs in, word links with probabilities out, from a checkpoint and without fairseq."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.aligner.alignment import Alignment, Links
from xalign_fairseq.aligner.neural.dtypes import choose_dtype, convert, dtype_of
from xalign_fairseq.aligner.neural.link_setting import LinkSetting
from xalign_fairseq.aligner.neural.pair_batches import EncodedPair, encode_pairs, length_batches
from xalign_fairseq.aligner.neural.pair_states import PairEncoder
from xalign_fairseq.aligner.neural.precedence import Said, settle
from xalign_fairseq.aligner.sentence_pairs import Sentence, chunks
from xalign_fairseq.core.devices import choose_device
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.mappings import LanguageMaps, require_maps
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.trimming import trimmed_to
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation.signature import score_signature
from xalign_fairseq.transport.label_options import reading
from xalign_fairseq.transport.methods import Method, links_of_words, make_method
from xalign_fairseq.transport.pointer import Pointer
from xalign_fairseq.transport.precision import at_least_float32
from xalign_fairseq.transport.words import NO_WORD

# Pairs are sorted by length within so many, which bounds memory on files of any size.
SORTED_AT_ONCE = 2048
# A pair's similarities, and the copies of them that methods make, take 1 GB at most: 4,096 subwords a side.
MOST_SIMILARITIES = 1 << 24
UNITS = ("word", "subword")

Layers = int | Sequence[int]


class Aligner:
    """Word alignment by the hidden states of a pair, as XLM-Align (Chi et al. 2021), SimAlign or awesome-align do it.

    A method (:mod:`~xalign_fairseq.transport.methods`) makes links between subwords of hidden states of one layer, or
    of several layers' mean; these become links between words. How pairs are encoded is told by
    :class:`~xalign_fairseq.aligner.neural.pair_states.PairEncoder`.

    Args:
        encoder: in evaluation mode, on the device to use.
        tokenizer: whose ids the encoder knows.
        layer: whose hidden states give the links, or several; 0 embeddings, -1 last. Without one, that at the method's
            usual depth.
        method: or its name; ``transport`` by default, as XLM-Align's released code labels in training.
        pointer: whose scores stand in for dot products of hidden states, if given.
        encoding: ``joint`` or ``separate``; without one ``separate`` where maps are used, else the method's usual one.
        maps: linear maps of the hidden states of separately encoded sides, given to use them.
        languages: of source and target, for maps and for encoders with language embeddings.
        units: what links join, ``word`` or ``subword``.
        batch_tokens: most tokens in a batch, padding included; one pair at least is always taken.

    Attributes:
        unknown: how many tokens of all pairs so far the vocabulary lacks.
        origin: where the rest of its setting comes from: the model ``itself``, or its family, or None.

    Errors: :class:`XalignError` for a layer that the encoder lacks, a language without a map or an embedding, and a
    pointer or maps with an encoding or a method that has no use for them. No pair is left out and none is cut: one with
    an empty side has no links, and one longer than the encoder's positions is read in overlapping windows.

    Example::

        >>> aligner = Aligner.from_pretrained("e5-small")  # or a checkpoint, a folder, a name of Hugging Face's hub
        >>> [pair] = aligner.align(["the red house"], ["la maison rouge"])
        >>> sorted(pair.links)  # and pair.links[1, 2] is how probable "red" with "rouge" is
        [(0, 0), (1, 2), (2, 1)]
    """

    def __init__(
        self,
        encoder: Encoder,
        tokenizer: Tokenizer,
        *,
        layer: Layers | None = None,
        method: Method | str = "transport",
        pointer: Pointer | None = None,
        encoding: str | None = None,
        maps: LanguageMaps | None = None,
        languages: tuple[str, str] | None = None,
        units: str = "word",
        batch_tokens: int = 8192,
    ):
        self.encoder = encoder.eval()
        self.tokenizer = tokenizer
        self.pointer = pointer
        self.method = make_method(method) if isinstance(method, str) else method
        self.layers = self._resolve(self._usual_layer() if layer is None else layer)
        encoding = encoding or (self.method.encoding if maps is None else "separate")
        if pointer is not None and encoding != "joint":
            raise XalignError(
                "a pointer reads jointly encoded pairs",
                parameter="encoding",
                found=encoding,
                remedy="--similarity hidden",
            )
        reading(self.method, pointer)  # whether they go together
        self.languages = languages
        self.pair_encoder = PairEncoder(self.encoder, encoding, maps, languages)
        if units not in UNITS:
            raise XalignError("there is no such unit of links", found=units, expected=" or ".join(UNITS))
        self.units = units
        self.batch_tokens = batch_tokens
        self.unknown = UnknownTokens()
        self.origin: str | None = None

    @property
    def similarity(self) -> str:
        """What similarities of tokens are read from: ``hidden`` states, or a ``pointer``."""
        return "hidden" if self.pointer is None else "pointer"

    @property
    def device(self) -> torch.device:
        """Where the encoder is."""
        return self.encoder.device

    @property
    def dtype(self) -> str:
        """What the encoder computes in: ``float32``, ``bfloat16`` or ``int8``."""
        return dtype_of(self.encoder)

    @classmethod
    def from_pretrained(
        cls,
        path: str | os.PathLike,
        *,
        dictionary: str | os.PathLike | None = None,
        spm: str | os.PathLike | None = None,
        layer: Layers | None = None,
        method: Method | str | None = None,
        options: Mapping[str, Any] | None = None,
        similarity: str | None = None,
        encoding: str | None = None,
        languages: tuple[str, str] | None = None,
        use_maps: bool = False,
        units: str = "word",
        device: str = "auto",
        dtype: str = "auto",
        batch_tokens: int = 8192,
        revision: str | None = None,
    ) -> "Aligner":
        """Load a checkpoint of fairseq's, a folder of XLM-R's or of Hugging Face's, or a model of the latter's hub.

        What ``path`` and ``revision`` may be is told by
        :func:`~xalign_fairseq.encoder.pretrained.reading.read_pretrained`, where the tokenizer is looked for by
        :func:`~xalign_fairseq.encoder.vocabulary.load_tokenizer`.

        What is not given is as the model labelled itself in its training
        (:func:`~xalign_fairseq.encoder.labelling.stored_labelling`): method, similarity, layer and encoding. A model
        that never did has what was chosen for its family and the method, if one is named
        (:func:`~xalign_fairseq.aligner.neural.defaults.default_labelling`); one of no known family has ``transport`` on
        hidden states, at the same depth as layer 10 of 12; SimAlign's and awesome-align's methods and ``released``
        read layer 8 of 12. ``options`` are the method's, or change those of the model's own: ``{"filter": "argmax",
        "mu": 0.5}``. With ``similarity="pointer"`` the scores of the checkpoint's DWA pointer stand in for dot products
        (``"hidden"``), at the layer that it was trained on. With ``use_maps`` the checkpoint's linear maps are used,
        those of ``languages``, which an encoder with language embeddings needs too.
        ``dtype`` is of weights and hidden states, not of the links: ``auto`` is ``bfloat16`` where that is fast, else
        ``float32``; ``int8`` is for the layers on a CPU (:mod:`xalign_fairseq.aligner.neural.dtypes`).
        """
        target = choose_device(device)
        said = Said(layer, method, options, similarity, encoding, use_maps)
        said.check()  # before the model is read
        dtype = choose_dtype(dtype, [target])
        state, where = read_pretrained(path, revision, lookup=True)
        encoder, heads = checkpoint.load_encoder(state, where)
        settled = settle(said, state, encoder.config)
        pointer = checkpoint.load_pointer(heads, where).to(target) if settled.similarity == "pointer" else None
        maps = require_maps(heads, where).to(target) if use_maps else None
        tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where, dictionary=dictionary, spm=spm)
        layers, method, encoding = settled.setting
        convert(encoder, target, dtype)
        aligner = cls(
            encoder,
            tokenizer,
            layer=layers,
            method=method,
            pointer=pointer,
            encoding=encoding,
            maps=maps,
            languages=languages,
            units=units,
            batch_tokens=batch_tokens,
        )
        aligner.origin = settled.origin
        aligner.unknown.trimmed = trimmed_to(state)
        return aligner

    @property
    def setting(self) -> LinkSetting:
        """Layers, method and encoding of the links."""
        return LinkSetting(self.layers, self.method, self.pair_encoder.encoding)

    def signature(self, setting: LinkSetting | None = None) -> str:
        """The line that names all that decides the links, of its own setting or of another one.

        Example::

            Aligner.from_pretrained("e5-small").signature()  # "base:hyp0,gold0|...|layer:7|encoding:separate|..."
        """
        layers, method, encoding = setting or self.setting
        return score_signature(
            unit=self.units,
            layer=layers,
            method=method,
            similarity=self.similarity,
            encoding=encoding,
            languages=self.pair_encoder.mapped,
            embedded=self.pair_encoder.embedded,
            dtype=self.dtype,
        )

    def with_encoding(self, encoding: str) -> "Aligner":
        """The same aligner, of the same encoder, with another encoding of pairs; errors as for the class."""
        return Aligner(
            self.encoder,
            self.tokenizer,
            layer=self.layers,
            method=self.method,
            pointer=self.pointer,
            encoding=encoding,
            maps=self.pair_encoder.maps,
            languages=self.languages,
            units=self.units,
            batch_tokens=self.batch_tokens,
        )

    def align(self, src: Iterable[Sentence], tgt: Iterable[Sentence]) -> list[Alignment]:
        """Align sentences: strings, split at white space into words, or lists of words. Both sides equally many."""
        if isinstance(src, str) or isinstance(tgt, str):
            raise XalignError(
                "a text is given in the place of a list of texts",  # whose letters would be taken for texts
                found=src if isinstance(src, str) else tgt,
                remedy='align(["one sentence"], ["its translation"])',
            )
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
        for settings in self.sweep(pairs, [(self.layers, self.method)], progress):
            yield settings[0]

    def sweep(
        self,
        pairs: Iterable[tuple[Sentence, Sentence]],
        settings: Sequence[tuple[Layers, Method]],
        progress: Callable[[int], object] | None = None,
    ) -> Iterator[list[Alignment]]:
        """Align each pair with every setting (layer or layers, method) from one pass of the encoder.

        Yields:
            for each pair, in the order of the input, one alignment per setting.
        """
        resolved = [(self._resolve(layers), reading(method, self.pointer)) for layers, method in settings]
        for chunk in chunks(pairs, SORTED_AT_ONCE):
            yield from self._chunk(chunk, resolved, progress)

    def _resolve(self, layers: Layers) -> tuple[int, ...]:
        several = [layers] if isinstance(layers, int) else layers
        return tuple(self.encoder.config.resolve_layer(layer, "layer") for layer in several)

    def _usual_layer(self) -> int:
        return max(1, round(self.encoder.config.encoder_layers * self.method.depth))

    def _chunk(
        self,
        pairs: list[tuple[list[str], list[str]]],
        settings: Sequence[tuple[tuple[int, ...], Method]],
        progress: Callable[[int], object] | None,
    ) -> list[list[Alignment]]:
        encoded = encode_pairs(self.tokenizer, pairs, self.unknown)
        links: list[list[Links]] = [[{} for _ in settings] for _ in pairs]
        # An empty side has no links, and what memory would not hold gets none: the encoder is not asked.
        full = [pair for pair in encoded if 0 < pair.similarities <= MOST_SIMILARITIES]
        if progress:
            progress(len(encoded) - len(full))
        for batch in self._batches(full):
            for setting, found in enumerate(self._batch_links(batch, settings)):
                for pair, pair_found in zip(batch, found, strict=True):
                    links[pair.index][setting] = pair_found
            if progress:
                progress(len(batch))
        return [
            [
                Alignment(*self._linked_units(pair, words), found, self.units, pair.similarities > MOST_SIMILARITIES)
                for found in links[pair.index]
            ]
            for pair, words in zip(encoded, pairs, strict=True)
        ]

    def _linked_units(self, pair: EncodedPair, words: tuple[list[str], list[str]]) -> tuple[list[str], list[str]]:
        if self.units == "word":
            return words
        symbols = self.tokenizer.dictionary.symbols
        return [symbols[token] for token in pair.src], [symbols[token] for token in pair.tgt]

    def _batches(self, pairs: list[EncodedPair]) -> Iterator[list[EncodedPair]]:
        """Batches of similar lengths; a pair that needs windows is one by itself."""
        short = []
        for pair in pairs:
            if self.pair_encoder.fits(*pair.sizes):
                short.append(pair)
            else:
                yield [pair]
        yield from length_batches(short, self.pair_encoder.encoding, self.batch_tokens)

    @torch.inference_mode()
    def _batch_links(
        self, batch: list[EncodedPair], settings: Sequence[tuple[tuple[int, ...], Method]]
    ) -> Iterator[list[Links]]:
        wanted = sorted({layer for layers, _ in settings for layer in layers})
        if self.pair_encoder.fits(*batch[0].sizes):
            states, spans = self.pair_encoder.states([(pair.src, pair.tgt) for pair in batch], wanted)
        else:
            states, spans = self.pair_encoder.long_states(batch[0].src, batch[0].tgt, wanted, self.batch_tokens)
        src_words, tgt_words = self._owners(batch)
        for layers, method in settings:
            hidden = _mean([states[layer] for layer in layers])
            yield links_of_words(method, hidden, spans, src_words, tgt_words)

    def _owners(self, batch: list[EncodedPair]) -> list[Tensor]:
        """The word of each token of either side, or its own number where links join subwords: (B, n) and (B, m)."""
        sides = [[pair.src_words for pair in batch], [pair.tgt_words for pair in batch]]
        if self.units == "subword":
            sides = [[np.arange(len(words)) for words in side] for side in sides]
        return [pad(side, NO_WORD).to(self.device) for side in sides]


def _mean(states: Sequence[Tensor]) -> Tensor:
    """The mean of hidden states of several layers, in float32 or float64."""
    wide = [at_least_float32(hidden) for hidden in states]
    return wide[0] if len(wide) == 1 else torch.stack(wide).mean(0)
