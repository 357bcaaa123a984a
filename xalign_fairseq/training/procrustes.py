"""The closed form of ``linear_mapping``: maps of a checkpoint's hidden states from linked words in a data-bin."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from xalign_fairseq.core.devices import choose_device
from xalign_fairseq.core.errors import Command, Parameter, XalignError
from xalign_fairseq.core.files import StrPath, atomic_write, require_free, require_outside
from xalign_fairseq.core.progress import progress
from xalign_fairseq.data.batches import Batch, Bitext
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.pretraining import pivot_language
from xalign_fairseq.data.samples import MaskOptions
from xalign_fairseq.data.shards import require_unchanged
from xalign_fairseq.data.streams import BitextStream, Corpus
from xalign_fairseq.data.streams_dataset import StreamsDataset
from xalign_fairseq.encoder.checkpoint import load_encoder
from xalign_fairseq.encoder.mappings import HEAD, LanguageMaps, Procrustes
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import save_checkpoint, untrained
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.encoder.vocabulary import require_same_tokenizer, tokenizer_state
from xalign_fairseq.objectives.linear_mapping import layer_vectors
from xalign_fairseq.objectives.word_pairs import WordPairs
from xalign_fairseq.training.alignment_model import to_device

BATCH_TOKENS = 8192


class LinkedBitext:
    """The training bitexts with links and a common pivot language, read once, in batches of similar length.

    Pairs longer than ``max_length`` tokens, special tokens included, are left out and counted, as in training.
    """

    def __init__(self, data: DataBin, lang_pairs: list[str] | None, max_length: int, pivot: str | None = None):
        pairs = lang_pairs or [f"{src}-{tgt}" for split, src, tgt in data.pairs if split == "train"]
        pivot = pivot_language(pairs, pivot) if pairs else None
        if pivot is None:
            raise XalignError(
                "the pairs do not determine the pivot language",
                where=data.path,
                found=", ".join(pairs) or "no pair at all",
                remedy=("set", Parameter("pivot_lang"), "or choose pairs with", Parameter("lang_pairs")),
            )
        self.pivot = pivot
        self.languages = sorted({language for pair in pairs for language in pair.split("-")})
        corpora = []
        for number, pair in enumerate(pairs):
            src, _, tgt = pair.partition("-")
            readers, links = data.pair("train", src, tgt), data.links("train", src, tgt)
            if links is None:
                raise XalignError(
                    "a pair has no links between its words",
                    where=data.path,
                    found=pair,
                    remedy=(Command("links"), "makes them from text for", Command("prepare", Parameter("links"))),
                )
            corpora.append(Corpus(number, *readers, links, (self.languages.index(src), self.languages.index(tgt))))
        plain = MaskOptions(data.dictionary.mask_index, data.dictionary.embedding_size, probability=0)
        stream = BitextStream(corpora, max_length, both_directions=False)
        self._dataset = StreamsDataset(stream, None, plain, seed=0, training=False)
        self._items = self._dataset.ordered_indices()

    def __len__(self) -> int:
        return len(self._items)

    def batches(self, device: torch.device, language_rows: Tensor | None) -> Iterator[Bitext]:
        """All pairs once, of any length; ``language_rows`` are in the order of :attr:`languages`."""
        longest = int(self._dataset.num_tokens_vec(self._items[-1:])[0])
        for items in self._dataset.batch_by_size(self._items, max_tokens=max(BATCH_TOKENS, longest)):
            sample = self._dataset.collater([self._dataset[item] for item in items])
            bitext = Batch.from_sample(to_device(sample, device), language_rows).bitext
            assert bitext is not None
            yield bitext


def procrustes_maps(
    encoder: Encoder, bitext: LinkedBitext, pooling: str, progress: Callable[[int], object]
) -> tuple[LanguageMaps, dict[str, Procrustes]]:
    """Orthogonal maps of all layers and languages in float32 from one pass, and each language's problem."""
    config, device = encoder.config, encoder.device
    rows = None
    if config.languages:
        rows = torch.tensor([config.language_row(language) for language in bitext.languages], device=device)
    languages = [language for language in bitext.languages if language != bitext.pivot]
    sizes = (config.encoder_layers + 1, config.encoder_embed_dim)
    problems = {language: Procrustes(*sizes, device) for language in languages}
    for view in bitext.batches(device, rows):
        pairs = WordPairs(view, view.side_in(bitext.languages.index(bitext.pivot)))
        step = StepEncoder(encoder, nn.ModuleDict(), training=False, update=0)
        s, t = layer_vectors(step, view, pairs, pooling)
        for language, problem in problems.items():
            mine = pairs.languages[:, 1] == bitext.languages.index(language)
            problem.add(s[:, mine], t[:, mine])
        progress(len(view.tokens))
    maps = LanguageMaps(languages, bitext.pivot, config.encoder_layers, config.encoder_embed_dim)
    with torch.no_grad():
        for language, weights in maps.items():
            weights.copy_(problems[language].solve(language))
    return maps, problems


def with_maps(state: dict[str, Any], maps: LanguageMaps, data: DataBin) -> dict[str, Any]:
    """A checkpoint with these maps: options, weights and tokenizer (the data-bin's if the checkpoint has none)."""
    weights = {key: value for key, value in state["model"].items() if not key.startswith(f"heads.{HEAD}.")}
    weights |= {f"heads.{HEAD}.{key}": value for key, value in maps.state_dict().items()}
    stored = (state.get("task_state") or {}).get("tokenizer")
    return untrained(state, weights, stored or tokenizer_state(data.dictionary, data.tokenizer_model))


class MappedLanguage(NamedTuple):
    """The mean squared distance of a language's word pairs over all layers, before and after its map."""

    language: str
    pivot: str
    word_pairs: int
    before: float
    after: float


@dataclass(frozen=True)
class MappedCheckpoint:
    """Orthogonal maps between languages, learned from linked words (Wu & Dredze 2020, Eq. 1)."""

    model: StrPath
    data: StrPath  # a data-bin with links and the same dictionary
    out: StrPath
    lang_pairs: tuple[str, ...] | None = None  # such as ("en-de",); None: all
    pivot_lang: str | None = None  # None: en, otherwise the only language that all pairs share
    pooling: str = "first"  # vector of a word: that of its first token, or the mean over all its tokens
    device: str = "auto"
    overwrite: bool = False
    quiet: bool = False

    def write(self) -> list[MappedLanguage]:
        """Learn the maps in one pass and write the checkpoint; returns each language's distance from the pivot."""
        require_free(self.out, overwrite=self.overwrite)
        device = choose_device(self.device)
        data = DataBin(self.data)
        require_unchanged(data)
        state, where = read_pretrained(self.model)
        require_outside(where, self.out)
        encoder, _ = load_encoder(state, where)
        stored = (state.get("task_state") or {}).get("tokenizer") or {}
        require_same_tokenizer(stored, data, encoder.config.vocab_size)
        pairs = list(self.lang_pairs) if self.lang_pairs else None
        bitext = LinkedBitext(data, pairs, encoder.config.max_positions, self.pivot_lang)
        with atomic_write(self.out, "wb") as out:
            with progress(total=len(bitext), unit=" pairs", quiet=self.quiet) as bar:
                maps, problems = procrustes_maps(encoder.to(device), bitext, self.pooling, bar.update)
            save_checkpoint(with_maps(state, maps, data), out, self.out)
        found = []
        for language, problem in problems.items():
            before, after = (problem.distance(each).mean().item() for each in (None, maps.of(language)))
            found.append(MappedLanguage(language, bitext.pivot, problem.pairs, before, after))
        return found
