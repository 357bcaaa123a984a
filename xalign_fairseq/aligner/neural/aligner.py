"""The word aligner with an encoder: sentence pairs to word links with probabilities, without fairseq."""

import logging
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from xalign_fairseq.aligner.neural.pair_states import EncodedPair, PairEncoder, encode_pairs, length_batches
from xalign_fairseq.aligner.options import AlignerOptions, least_options
from xalign_fairseq.aligner.protocol import Alignment, Links, Progress, SentencePair, WordAligner
from xalign_fairseq.aligner.statistical.choice import Calibration
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.text.pairs import WordPair, chunks
from xalign_fairseq.core.workers import use_one_thread_in_forks
from xalign_fairseq.data.batches import pad
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.data.tokenizers.unknown import UnknownTokens
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.encoder.pretrained.packaged import NAME
from xalign_fairseq.encoder.pretrained.reading import open_model
from xalign_fairseq.encoder.sentence_vectors import finite_rows
from xalign_fairseq.encoder.token_tables import convert, dtype_of
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.evaluation.signature import score_signature
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.linking import UNSPECIFIED, Linking
from xalign_fairseq.transport.method import Method
from xalign_fairseq.transport.methods import method_label
from xalign_fairseq.transport.pair_features import WordStates, word_states
from xalign_fairseq.transport.pointer import Pointer
from xalign_fairseq.transport.resolving import ITSELF, calibration_of, resolve_linking
from xalign_fairseq.transport.sinkhorn import backend
from xalign_fairseq.transport.token_links import NO_WORD

logger = logging.getLogger(__name__)

# Pairs are sorted by length within chunks of this size, which bounds memory on files of any size.
SORTED_AT_ONCE = 2048
# Tokens of a batch on a CPU: larger batches are no faster and take more memory.
TOKENS_ON_CPU = 4096
# A pair's similarities and the methods' copies of them take at most 1 GB: 4,096 subwords per side.
MOST_SIMILARITIES = 1 << 24
LONGEST_SIDE = 1 << 13  # subwords: methods on words have a matrix of a side's words and subwords


@dataclass(frozen=True, eq=False)
class Aligner(WordAligner):
    """Word alignment by the hidden states of a pair, as in XLM-Align (Chi et al. 2021), SimAlign and awesome-align.

    A method (:mod:`~xalign_fairseq.transport.methods`) links subwords by the hidden states of one layer, or by the mean
    of several layers. Links of subwords become links of words. A pair longer than the encoder's positions is read in
    overlapping windows. ``dataclasses.replace`` makes another aligner with the same encoder.

    Args:
        encoder: the encoder, on the device to use; set to evaluation mode.
        tokenizer: the encoder's tokenizer.
        linking: how links are made; unspecified parts have the method's defaults. The default method is ``transport``.
        pointer: if given, its scores replace dot products of hidden states.
        maps: linear maps of hidden states, for separately encoded sides.
        languages: of source and target, for maps and for encoders with language embeddings.
        batch_tokens: maximum number of tokens in a batch with padding; a batch has at least one pair.
        trimmed: the names of the text files that the vocabulary was trimmed to, for :meth:`unknown`.
        specified: whether the user set part of the linking, for :meth:`describe`.
        scorer: the checkpoint's link scorer, for the method ``scored`` with the scorer ``own``.
        min_probability: minimum probability of a link.
        calibration: turns the method's scores into probabilities; ``None``: scores are probabilities.

    Raises:
        XalignError: the encoder lacks a layer, a language has no map or no embedding, or pointer or maps do not fit the
            encoding or the method.

    Example::

        >>> aligner = Aligner.from_pretrained("e5-small")  # or a checkpoint, a folder, a name of Hugging Face's hub
        >>> [pair] = aligner.align(["the red house"], ["la maison rouge"])
        >>> sorted(pair.links)  # and pair.links[1, 2] is how probable "red" with "rouge" is
        [(0, 0), (1, 2), (2, 1)]
    """

    encoder: Encoder
    tokenizer: Tokenizer
    linking: Linking = UNSPECIFIED
    pointer: Pointer | None = None
    maps: LanguageMaps | None = None
    languages: tuple[str, str] | None = None
    batch_tokens: int = 8192
    trimmed: tuple[str, ...] = ()
    specified: bool = False
    scorer: LinkScorer | None = None
    min_probability: float = 0.0
    calibration: Calibration | None = None
    pair_encoder: PairEncoder = field(init=False, repr=False)
    _unknown: UnknownTokens = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.encoder.eval()
        object.__setattr__(self, "_unknown", UnknownTokens(trimmed=self.trimmed))
        linking = replace(self.linking, similarity="hidden" if self.pointer is None else "pointer")
        if linking.method and linking.layers and linking.encoding:
            linking = replace(linking, layers=self._resolve(linking))
        else:
            depth, width = self.encoder.config.encoder_layers, self.encoder.config.encoder_embed_dim
            linking = resolve_linking(linking, depth, maps=self.maps is not None, width=width)
        object.__setattr__(self, "linking", linking)
        if self.pointer is not None and linking.encoding != "joint":
            raise XalignError(
                "a pointer needs joint encoding",
                parameter="encoding",
                found=linking.encoding,
                remedy=("set", Parameter("similarity", "hidden")),
            )
        pair_encoder = PairEncoder(self.encoder, linking.encoding, self.maps, self.languages)
        object.__setattr__(self, "pair_encoder", pair_encoder)

    @property
    def device(self) -> torch.device:
        """The encoder's device."""
        return self.encoder.device

    @property
    def dtype(self) -> str:
        """The encoder's precision: ``float32`` or ``bfloat16``."""
        return dtype_of(self.encoder)

    @classmethod
    def from_pretrained(
        cls, path: str | os.PathLike[str] = NAME, options: AlignerOptions | None = None, **more: object
    ) -> "Aligner":
        """Load a checkpoint, the folder of a run, of XLM-R or of a Hugging Face model, or a model of the hub.

        Unspecified parts of the linking are taken from the model's self-labelling in training. Without self-labelling,
        they are the defaults of the model's family (:mod:`~xalign_fairseq.transport.resolving`). The packaged encoder
        without training uses a link scorer trained on gold links of other languages. An unknown family uses
        ``transport`` on hidden states, at the depth of layer 10 of 12.

        Args:
            path: as in :func:`~xalign_fairseq.encoder.pretrained.reading.read_pretrained`; default: e5-small.
            options: all options as one value.
            more: options by name, as in :class:`~xalign_fairseq.aligner.options.AlignerOptions`.

        Example::

            Aligner.from_pretrained("e5-small", linking=Linking("argmax"), device="cpu")
        """
        options = (options or AlignerOptions()).changed(**more)
        for name in {"statistics", "processes"} & options.given().keys():
            raise XalignError("this aligner does not have this option", parameter=name, remedy="use load_aligner")
        use_one_thread_in_forks()
        options = options.on_devices()
        if "," in options.device:
            raise XalignError("this aligner has one device", parameter="device", found=options.device)
        model = open_model(path, lookup=True)
        config = model.encoder.config
        config.require_use_of(options.languages if options.refuse_unused and not options.maps else None)
        scorer = model.scorer()
        linking = resolve_linking(
            options.linking,
            config.encoder_layers,
            model.linking,
            model.family,
            options.maps,
            config.encoder_embed_dim,
            with_scorer=model.with_scorer,
            scorer=scorer,
        )
        least = options.min_probability or 0.0
        chosen = least_options(linking.method, least)
        if chosen:
            linking = replace(linking, options={**linking.options, **chosen})
        fitted = calibration_of(model.family, linking) if least else None
        device = torch.device(options.device)
        pointer = model.pointer().to(device) if linking.similarity == "pointer" else None
        maps = model.maps().to(device) if options.maps else None
        backend.select(options.sinkhorn_backend)
        convert(model.encoder, device, options.dtype)
        return cls(
            model.encoder,
            model.tokenizer,
            linking,
            pointer,
            maps,
            options.languages,
            options.batch_tokens,
            model.trimmed,
            specified=options.linking != UNSPECIFIED or options.maps,
            scorer=None if scorer is None else scorer.to(device),
            min_probability=least,
            calibration=Calibration(*fitted) if fitted else None,
        )

    def signature(self, linking: Linking | None = None) -> str:
        """Everything that determines the links of a linking (default: the aligner's), in one line."""
        return score_signature(
            linking=replace(linking or self.linking, similarity=self.linking.similarity),
            languages=self.pair_encoder.mapped,
            embedded=self.pair_encoder.embedded,
            dtype=self.dtype,
            system=f"links with a probability of at least {self.min_probability:g}" if self.min_probability else None,
        )

    def describe(self) -> str:
        """Layer, encoding, similarity, method, device and dtype, in one line."""
        linking, origin = self.linking, self.linking.origin
        rest = "other options: " if self.specified else ""
        usual = "stored in the model" if origin == ITSELF else f"defaults of {origin}"
        learned = " by a network trained on gold links of other languages" if linking.method == "scored" else ""
        given = linking.options.items()  # the threshold is 1 if another aligner chooses links from the scores
        limits = [f", {name} {each:g}" for name, each in given if name in ("threshold", "growth") and each < 1]
        return (
            f"layer {','.join(map(str, linking.layers))} of {self.encoder.config.encoder_layers}, {linking.encoding} "
            f"encoding, {linking.similarity} similarity, "
            f"{method_label(linking.finder)}{learned}{''.join(limits)}{f' ({rest}{usual})' if origin else ''}, "
            f"{f'probability at least {self.min_probability:g}, ' if self.min_probability else ''}"
            f"{self.device}, {self.dtype}"
        )

    def unknown(self) -> UnknownTokens:
        return self._unknown

    def stream(
        self, pairs: Iterable[SentencePair], progress: Progress | None = None, matrices: bool = False
    ) -> Iterator[Alignment]:
        for [alignment] in self.sweep(pairs, [self.linking], progress, matrices):
            yield alignment

    def sweep(
        self,
        pairs: Iterable[SentencePair],
        linkings: Sequence[Linking],
        progress: Progress | None = None,
        matrices: bool = False,
    ) -> Iterator[list[Alignment]]:
        """Align each pair by every linking with one pass of the encoder; all have the aligner's encoding.

        Yields:
            for each pair, in the order of the input, one alignment per linking.
        """
        resolved = [(self._resolve(each), each.finder.with_heads(self.pointer, self.scorer)) for each in linkings]
        for chunk in chunks(pairs, SORTED_AT_ONCE):
            yield from self._chunk(chunk, resolved, progress, matrices)

    def states_of_words(
        self, pairs: Sequence[SentencePair], layers: Sequence[int]
    ) -> Iterator[tuple[list[int], tuple[WordStates, WordStates]]]:
        """States of the words of both sides, in batches: pair numbers and words.

        Pairs with an empty side and pairs that are too long are left out.
        """
        start = 0
        for chunk in chunks(pairs, SORTED_AT_ONCE):
            for batch, states, spans in self._read(encode_pairs(self.tokenizer, chunk, self._unknown), layers):
                hidden = torch.cat([states[layer] for layer in layers], 2)
                src, tgt = (
                    word_states(hidden, spans, side, words, len(layers))
                    for side, words in enumerate(self._owners(batch))
                )
                yield [start + pair.index for pair in batch], (src, tgt)
            start += len(chunk)

    def _resolve(self, linking: Linking) -> tuple[int, ...]:
        return tuple(self.encoder.config.resolve_layer(layer) for layer in linking.layers)

    @torch.inference_mode()
    def _chunk(
        self,
        pairs: list[WordPair],
        settings: Sequence[tuple[tuple[int, ...], Method]],
        progress: Progress | None,
        matrices: bool,
    ) -> list[list[Alignment]]:
        encoded = encode_pairs(self.tokenizer, pairs, self._unknown)
        found: dict[int, list[Alignment]] = {}
        for batch, states, spans in self._read(encoded, {layer for layers, _ in settings for layer in layers}):
            finite, owners = finite_rows(self.encoder, states.values()), self._owners(batch)
            linked = []
            for layers, method in settings:
                hidden = method.of_layers([states[layer] for layer in layers])
                linked.append(method.links(hidden, spans, *owners, scores=matrices))
            for row, (pair, whole) in enumerate(zip(batch, finite.tolist(), strict=True)):
                if not whole:
                    src, tgt = (" ".join(side)[:60] for side in pairs[pair.index])
                    logger.warning("a pair has non-finite hidden states and gets no links: %s ||| %s", src, tgt)
                words = pairs[pair.index]
                found[pair.index] = [
                    Alignment(
                        *(*words, self._sure(links[row])),
                        finite=whole,
                        matrix=_of_size(scores[row], words) if whole and scores is not None else None,
                    )
                    for links, scores in linked
                ]
            if progress:
                progress(len(batch))
        if progress:
            progress(len(encoded) - len(found))
        for pair in encoded:
            if pair.index not in found:
                words, too_long = pairs[pair.index], _is_too_long(pair)
                matrix = _of_size(np.zeros((0, 0)), words) if matrices and not too_long else None
                found[pair.index] = [Alignment(*words, {}, too_long, matrix=matrix) for _ in settings]
        return [found[pair.index] for pair in encoded]

    def _read(
        self, pairs: list[EncodedPair], layers: Collection[int]
    ) -> Iterator[tuple[list[EncodedPair], dict[int, Tensor], Tensor]]:
        """Batches of pairs of similar lengths, none empty or too long, with hidden states by layer, and spans."""
        encoder, wanted = self.pair_encoder, sorted(set(layers))
        pairs = [pair for pair in pairs if pair.similarities and not _is_too_long(pair)]
        for pair in pairs:
            if not encoder.fits(*pair.sizes):
                yield [pair], *encoder.long_states(pair.src, pair.tgt, wanted, self.batch_tokens)
        most = min(self.batch_tokens, TOKENS_ON_CPU) if self.device.type == "cpu" else self.batch_tokens
        short = [pair for pair in pairs if encoder.fits(*pair.sizes)]
        for batch in length_batches(short, encoder.encoding, most):
            yield batch, *encoder.states([(pair.src, pair.tgt) for pair in batch], wanted)

    def _owners(self, batch: list[EncodedPair]) -> tuple[Tensor, Tensor]:
        """The word of each token: (B, n) and (B, m)."""
        sides = [[pair.src_words for pair in batch], [pair.tgt_words for pair in batch]]
        src, tgt = (pad(side, NO_WORD).to(self.device) for side in sides)
        return src, tgt

    def _sure(self, links: Links) -> Links:
        least = self.min_probability
        if self.calibration and links:
            probabilities = self.calibration.probability(np.array(list(links.values())))
            links = dict(zip(links, map(float, probabilities), strict=True))
        return {link: p for link, p in links.items() if p >= least} if least else links


def _is_too_long(pair: EncodedPair) -> bool:
    return pair.similarities > MOST_SIMILARITIES or (pair.similarities > 0 and max(pair.sizes) > LONGEST_SIDE)


def _of_size(scores: np.ndarray, words: WordPair) -> np.ndarray:
    """Scores of pairs of words, without padding; 0 for words that the tokenizer drops."""
    n, m = map(len, words)
    found = np.zeros((n, m), np.float32)
    inside = scores[:n, :m]
    found[: inside.shape[0], : inside.shape[1]] = inside
    return found
