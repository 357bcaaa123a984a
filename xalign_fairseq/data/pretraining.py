"""The data of pre-training: pairs and languages, limits, and masking."""

import logging
import os
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Optional, TypeVar

from xalign_fairseq.core.counts import counted, listed
from xalign_fairseq.core.errors import Command, Parameter, XalignError, check_values
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import Lexicon, trained_lexicons
from xalign_fairseq.data.samples import MaskOptions
from xalign_fairseq.data.shards import Shards, Texts
from xalign_fairseq.data.streams import BitextStream, Corpus, MonoStream
from xalign_fairseq.data.streams_dataset import DrawOptions, StreamsDataset

logger = logging.getLogger(__name__)
Made = TypeVar("Made", bound=StreamsDataset)
Value = TypeVar("Value")


def option(default: Value, help: str) -> Value:
    """An option with its help text: a dataclass field, in Python a keyword argument."""
    made: Value = field(default=default, kw_only=True, metadata={"help": help})
    return made


@dataclass
class PretrainingDataOptions:
    """Options of reading data-bins and of making batches; a field ``x`` is the option ``--x``."""

    lang_pairs: Optional[str] = option(None, "language pairs, such as en-de,en-fr (default: all in the data-bin)")
    sampling_temperature: float = option(
        1.0, "T in p_i ~ n_i^(1/T), over pairs and over languages; 1: proportional to size"
    )
    epoch_items: Optional[int] = option(None, "draws per epoch (default: each pair once in each direction)")
    max_pair_length: Optional[int] = option(
        None, "drop and count pairs longer than this, with special tokens (default: max positions)"
    )
    min_sentence_length: int = option(
        0, "drop and count pairs with fewer tokens on a side (PPA: 10), in validation too"
    )
    max_sentence_length: Optional[int] = option(
        None, "drop and count pairs with more tokens on a side (Wu & Dredze: 96), in validation too"
    )
    length_bucket_width: int = option(
        1,
        "width, in tokens, of the length buckets for batches of training pairs; 1: sort by length; larger "
        "values mix lengths; 0: ignore lengths, as the released codes do (more padding)",
    )
    pivot_lang: Optional[str] = option(
        None,
        "language that all pairs share and that objectives align the others to (default: en, otherwise "
        "the only one that all share)",
    )
    mono_tokens_per_sample: int = option(256, "length of a monolingual block (released code: 512)")
    mono_max_tokens: Optional[int] = option(None, "monolingual tokens per batch (default: --max-tokens)")
    mono_batch_size: Optional[int] = option(None, "monolingual blocks per batch (default: --batch-size)")
    mask_prob: float = option(0.15, "share of tokens chosen for prediction")
    mask_special_tokens: bool = option(False, "also choose <s>, </s> and <unk>, as the released code does")


def check_options(options: PretrainingDataOptions) -> None:
    """Raise :class:`XalignError` for the first option with an invalid value."""
    temperature, pairs = options.sampling_temperature, options.lang_pairs
    least = {"length_bucket_width": 0, "min_sentence_length": 0, "mono_tokens_per_sample": 2}  # <s> counts
    given = ("epoch_items", "max_pair_length", "max_sentence_length", "mono_max_tokens", "mono_batch_size", *least)
    values = {name: value for name in given if (value := getattr(options, name)) is not None}
    check_values(
        "an option has an invalid value",
        ("lang_pairs", pairs, isinstance(pairs, str | None), "one text, such as en-de,en-fr"),
        ("sampling_temperature", temperature, 0 < temperature < float("inf"), "a number above 0"),
        ("mask_prob", options.mask_prob, 0 < options.mask_prob <= 1, "a number above 0, up to 1"),
        *((name, value, value >= (low := least.get(name, 1)), f"{low} or more") for name, value in values.items()),
    )


@dataclass(frozen=True)
class Reader:
    """A reader's requirements.

    Attributes:
        needs: streams that the objectives read.
        positions: longest sequence of the encoder, special tokens included.
        embeds_languages: the encoder has language embeddings, so that every language must have a number.
        apart: no training batch contains a pair twice, in either direction.
        links_of_every_pair: every pair must have links, if ``needs`` has links.
    """

    needs: Collection[str]
    positions: int = 512
    embeds_languages: bool = False
    apart: bool = False
    links_of_every_pair: bool = False


class PretrainingData:
    """Data-bins of ``xalign prepare`` or ``fairseq-preprocess`` for pre-training.

    Args:
        path: a data-bin's folder; several, separated by colons, are shards, one per epoch.
        options: the reading options.
        seed: with the epoch and the index it determines every draw.

    Attributes:
        pair_names: all language pairs, ``src-tgt``; batches refer to them by number.
        languages: of the pairs that are trained on; objectives and batches refer to them by number.
        all_languages: ``languages`` and the languages with only monolingual text.
        pivot: the language that all pairs share, if there is one.

    Raises:
        XalignError: a folder is missing, changed or has another dictionary, or an option does not fit the data.

    Example::

        data = PretrainingData("data-bin", PretrainingDataOptions(lang_pairs="en-de"), seed=1)
        dataset = data.dataset(StreamsDataset, "train", Reader({"bitext"}))
    """

    def __init__(self, path: StrPath, options: PretrainingDataOptions | None = None, seed: int = 1):
        self.options, self.seed = options or PretrainingDataOptions(), seed
        check_options(self.options)
        folders = [folder for folder in os.fspath(path).split(os.pathsep) if folder]
        if not folders:
            raise XalignError("no data-bin is given", parameter="data")
        self.shards = Shards(folders)
        self.data = self.shards.first
        self.dictionary = self.data.dictionary
        # Language pairs are numbered over all splits and shards, so that a batch's numbers mean the same in each.
        texts = self.shards.texts
        self.pair_names = sorted({f"{src}-{tgt}" for shard in texts for _, src, tgt in shard.pairs})
        trained = {f"{src}-{tgt}" for shard in texts for split, src, tgt in shard.pairs if split == "train"}
        pairs = self.options.lang_pairs
        for pair in listed(pairs or ""):
            if trained and pair not in trained:
                self.data.pair("train", *pair.partition("-")[::2])  # raises, naming the available pairs
        chosen = {pair for pair in trained or self.pair_names if not pairs or pair in listed(pairs)}
        self.languages = tuple(sorted({language for pair in chosen for language in pair.split("-")}))
        # Objectives number the languages of the pairs; languages with only monolingual text follow.
        mono = {language for shard in texts for _, language in shard.monos}
        self.all_languages = (*self.languages, *sorted(mono - set(self.languages)))
        self.pivot = pivot_language(chosen, self.options.pivot_lang)

    @cached_property
    def lexicons(self) -> list[Lexicon]:
        """The bilingual lexicons of the data-bin, with at least one training entry."""
        return trained_lexicons(self.data)

    @property
    def mask(self) -> int:
        """The id of ``<mask>``."""
        return self.dictionary.mask_index

    def require(self, reader: Reader) -> None:
        """Raise :class:`XalignError` if the training data lack something that the objectives read."""
        needs = reader.needs
        if not set(needs) & {"bitext", "mono"}:
            problem = "no objective reads text, and batches are made of text"
            raise XalignError(problem, parameter="objectives", remedy="add one that does, such as mlm")
        for folder, texts in zip(self.shards.folders, self.shards.texts, strict=True):
            if "bitext" in needs and not self._pairs(texts, "train"):
                problem = "an objective needs bitext, and the data-bin has none for training"
                remedy = Command("prepare", Parameter("pair", "SRC-TGT"), Parameter("trainpref", "FILE"))
                raise XalignError(problem, where=folder, remedy=remedy)
            if "mono" in needs and not any(split == "train" for split, _ in texts.monos):
                problem = "an objective needs monolingual text, and the data-bin has none for training"
                prepare, less = Command("prepare", Parameter("mono", "LANG=FILE")), Parameter("objectives")
                raise XalignError(problem, where=folder, remedy=(prepare, "or remove mlm from", less))
            pairs = self._pairs(texts, "train") if "links" in needs else []
            bare = [f"{src}-{tgt}" for src, tgt in pairs if ("train", src, tgt) not in texts.linked]
            if bare and (reader.links_of_every_pair or len(bare) == len(pairs)):
                add_links = Command("prepare", Parameter("links", "FILE"))
                raise XalignError(
                    "an objective reads prepared links, and training pairs of the data-bin have none",
                    where=folder,
                    found=f"{', '.join(bare)} without links",
                    expected="links of every pair" if reader.links_of_every_pair else "links of at least one pair",
                    remedy=("make links with", Command("links"), "and add them with", add_links),
                )

    def _pairs(self, texts: DataBin | Texts, split: str) -> list[tuple[str, str]]:
        chosen = self.options.lang_pairs
        here = [(src, tgt) for name, src, tgt in texts.pairs if name == split]
        return [pair for pair in here if not chosen or "-".join(pair) in listed(chosen)]

    def dataset(self, make: type[Made], split: str, reader: Reader, epoch: int = 1) -> Made:
        """A split for a reader. With several folders, each epoch of training reads the next (:class:`.Shards`).

        Args:
            split: ``train`` is drawn again in each epoch; any other split is read once in stored order.

        Raises:
            XalignError: the split has nothing that the objectives read.
        """
        training, options = split == "train", self.options
        data = self.shards.of_epoch(epoch) if training else self.data
        bitext = self._bitext(data, split, reader) if "bitext" in reader.needs else None
        mono = self._mono(data, split, reader) if "mono" in reader.needs else None
        if bitext is None and mono is None:
            problem = "the split has nothing that the objectives read"
            more = Parameter("validpref" if "bitext" in reader.needs else "mono_valid")
            skip = ("or read another split; in fairseq-train also", Parameter("disable_validation"))
            found, remedy = f"splits {', '.join(data.splits)}", (Command("prepare", more), *skip)
            raise XalignError(problem, where=f"{data.path}, split {split}", found=found, remedy=remedy)
        draws = DrawOptions(
            temperature=options.sampling_temperature,
            items=options.epoch_items if training else None,
            mono_tokens=options.mono_max_tokens,
            mono_blocks=options.mono_batch_size,
            bucket_width=options.length_bucket_width,
            apart=reader.apart,
            visit=self.shards.visit,
        )
        vocab = self.dictionary.embedding_size
        mask = MaskOptions(self.mask, vocab, options.mask_prob, options.mask_special_tokens)
        dataset = make(bitext, mono, mask, self.seed, training, draws)
        sizes = (
            [counted(len(bitext.corpora), "language pair"), counted(len(bitext), "item")] if bitext else ["no bitext"]
        )
        blocks = counted(len(mono), "monolingual block") if mono else "no monolingual text"
        logger.info("%s: %s; %s", split, ", ".join(sizes), blocks)
        return dataset

    def _bitext(self, data: DataBin, split: str, reader: Reader) -> BitextStream | None:
        corpora, training = [], split == "train"
        for src, tgt in self._pairs(data, split):
            readers = data.pair(split, src, tgt)
            if not len(readers[0]):  # of an empty file
                continue
            learns_links = "links" in reader.needs
            links = data.links(split, src, tgt) if learns_links or not training else None
            if learns_links and links is None:
                use = "training" if training else "validation, whose loss is without them"
                logger.warning("%s-%s has no prepared links for %s", src, tgt, use)
            # A pair used only in validation may have languages that training lacks and that have no number.
            langs = [self.languages.index(lang) if lang in self.languages else -1 for lang in (src, tgt)]
            if -1 in langs and reader.embeds_languages:
                problem = "a pair used only in validation has a language without an embedding"
                where = f"{data.path}, {split} {src}-{tgt}"
                raise XalignError(problem, where=where, remedy=("leave it out of", Parameter("lang_pairs")))
            corpora.append(Corpus(self.pair_names.index(f"{src}-{tgt}"), *readers, links, (langs[0], langs[1])))
        if not corpora:
            return None
        sides = (self.options.min_sentence_length, self.options.max_sentence_length)
        longest = min(self.options.max_pair_length or reader.positions, reader.positions)
        return BitextStream(corpora, longest, both_directions=training, side_lengths=sides)

    def _mono(self, data: DataBin, split: str, reader: Reader) -> MonoStream | None:
        texts = {language: data.mono(split, language) for language in data.languages(split)}
        texts = {language: text for language, text in texts.items() if text.tokens}  # the others' files were empty
        if not texts:
            return None
        numbers = [self.all_languages.index(language) for language in texts]
        return MonoStream([*texts.values()], min(self.options.mono_tokens_per_sample, reader.positions), numbers)


def pivot_language(pairs: Collection[str], chosen: str | None) -> str | None:
    """The language that all pairs (``src-tgt``) share: the chosen one, otherwise en or the only one; or None."""
    if not pairs:
        return chosen  # missing pairs are reported later
    shared = set.intersection(*(set(pair.split("-")) for pair in pairs))
    if chosen is None:
        return "en" if "en" in shared else next(iter(shared)) if len(shared) == 1 else None
    if chosen not in shared:
        found = f"{chosen} not in {', '.join(sorted(pair for pair in pairs if chosen not in pair.split('-')))}"
        remedy = ("leave these out of", Parameter("lang_pairs"))
        raise XalignError("the pivot language is not in all pairs", parameter="pivot_lang", found=found, remedy=remedy)
    return chosen
