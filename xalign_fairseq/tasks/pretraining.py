"""The pre-training task: bitext and monolingual text from a data-bin, for any set of objectives."""

import logging
import os
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Optional

from fairseq.dataclass import FairseqDataclass
from fairseq.tasks import FairseqTask, register_task
from omegaconf import II, MISSING

from xalign_fairseq.criterions.earlier_options import of_today
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.data.masking import MaskOptions
from xalign_fairseq.data.streams import BitextStream, Corpus, MonoStream
from xalign_fairseq.data.tokenizer_model import word_starts
from xalign_fairseq.data.verification import require_unchanged
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.vocabulary import require_same_tokenizer, tokenizer_state
from xalign_fairseq.errors import XalignError
from xalign_fairseq.launch.memory import keep_freed_memory
from xalign_fairseq.models.xalign import require_languages
from xalign_fairseq.tasks.dataset import StreamsDataset
from xalign_fairseq.tasks.embedding_updates import update_rows_alone
from xalign_fairseq.tasks.lexicons import require_same_lexicons, trained_lexicons
from xalign_fairseq.transport.label_options import LabelOptions

logger = logging.getLogger(__name__)


@dataclass
class XalignPretrainingConfig(FairseqDataclass):
    """Options of ``--task xalign_pretraining``."""

    data: str = field(
        default=MISSING, metadata={"help": "data-bin folder; several, separated by colons, are shards, one an epoch"}
    )
    lang_pairs: Optional[str] = field(
        default=None, metadata={"help": "language pairs such as en-de,en-fr (default: all in the data-bin)"}
    )
    mono_langs: Optional[str] = field(
        default=None, metadata={"help": "languages of the monolingual stream (default: all in the data-bin)"}
    )
    sampling_temperature: float = field(
        default=1.0, metadata={"help": "T of p_i ~ n_i^(1/T) over pairs and over languages; 1: by size"}
    )
    epoch_items: Optional[int] = field(
        default=None, metadata={"help": "draws in an epoch (default: each pair once in each direction)"}
    )
    max_pair_length: Optional[int] = field(
        default=None,
        metadata={"help": "leave out (and count) pairs longer than this with special tokens (default: max positions)"},
    )
    min_sentence_length: int = field(
        default=0,
        metadata={"help": "leave out (and count) pairs with a side of fewer tokens (PPA: 10), in validation too"},
    )
    max_sentence_length: Optional[int] = field(
        default=None,
        metadata={
            "help": "leave out (and count) pairs with a side of more tokens (Wu & Dredze: 96), in validation too"
        },
    )
    length_bucket_width: int = field(
        default=1,
        metadata={
            "help": "width, in tokens, of the buckets of length that batches of training pairs come from: 1 sorts by "
            "length; a wider one mixes lengths; 0 does not look at them, as released codes do (more padding)"
        },
    )
    pivot_lang: Optional[str] = field(
        default=None,
        metadata={
            "help": "language that all pairs share and that objectives align the others to "
            "(default: en, else the only one that all share)"
        },
    )
    mono_tokens_per_sample: int = field(
        default=256, metadata={"help": "length of a monolingual block (released code: 512)"}
    )
    mono_max_tokens: Optional[int] = field(
        default=None, metadata={"help": "tokens of the monolingual part of a batch (default: --max-tokens)"}
    )
    mono_batch_size: Optional[int] = field(
        default=None, metadata={"help": "blocks of the monolingual part of a batch (default: --batch-size)"}
    )
    freeze_layers: Optional[int] = field(
        default=None,
        metadata={
            "help": "keep the embeddings and so many layers as they are (0: embeddings alone), which saves their "
            "gradients and the optimiser's work on them"
        },
    )
    embedding_updates: str = field(
        default="dense",
        metadata={
            "help": "token embeddings that an update changes where no objective predicts tokens: dense (all of them, "
            "as Adam does), lazy (its batch's alone, which costs less on a CPU and is not the same: see Optimizer) or "
            "auto (lazy where it can be and pays; the log says which)"
        },
    )
    mask_prob: float = field(default=0.15, metadata={"help": "share of tokens chosen for prediction"})
    leave_unmasked_prob: float = field(default=0.1, metadata={"help": "share of the chosen that stay as they are"})
    random_token_prob: float = field(default=0.1, metadata={"help": "share of the chosen that become a random token"})
    mask_special_tokens: bool = field(
        default=False, metadata={"help": "let <s>, </s> and <unk> be chosen too, as the released code does"}
    )
    mask_whole_words: bool = field(
        default=False,
        metadata={"help": "choose whole words in the monolingual stream (▁ begins a word; WordPiece: not ##)"},
    )
    verify_data: bool = field(
        default=False,
        metadata={
            "help": "compare every file of the data-bins with the hash in its manifest before training (sizes, "
            "dictionary and tokenizer are always compared)"
        },
    )
    debug: bool = field(default=False, metadata={"help": "show the traceback of an error in the input, too"})
    seed: int = II("common.seed")
    fp16: bool = II("common.fp16")
    bf16: bool = II("common.bf16")
    memory_efficient_fp16: bool = II("common.memory_efficient_fp16")
    memory_efficient_bf16: bool = II("common.memory_efficient_bf16")
    cpu: bool = II("common.cpu")
    distributed_world_size: int = II("distributed_training.distributed_world_size")
    optimizer: Optional[str] = II("optimizer._name")


@register_task("xalign_pretraining", dataclass=XalignPretrainingConfig)
class XalignPretrainingTask(FairseqTask):
    """Streams for the objectives of a weighted criterion; see :class:`StreamsDataset` for what a batch is."""

    cfg: XalignPretrainingConfig

    def __init__(self, cfg: XalignPretrainingConfig, restoring: bool = False):
        super().__init__(cfg)
        if cfg.length_bucket_width < 0:
            raise XalignError(
                "a bucket of length has no such width",
                where="--length-bucket-width",
                found=cfg.length_bucket_width,
                expected="0 (lengths do not matter) or more",
            )
        self.restoring = restoring
        self.folders = [folder for folder in cfg.data.split(os.pathsep) if folder]
        shards = [DataBin(folder) for folder in self.folders]
        for shard in shards:
            require_unchanged(shard, cfg.verify_data)
        self.data = shards[0]
        self.dictionary = self.data.dictionary
        for shard in shards[1:]:
            require_same_dictionary(self.data, shard)
        # Language pairs are numbered over all splits and shards, so that a batch's numbers mean the same in each.
        self.pair_names = sorted({f"{src}-{tgt}" for shard in shards for _, src, tgt in shard.pairs})
        trained = {f"{src}-{tgt}" for shard in shards for src, tgt in shard.language_pairs("train")}
        chosen = {
            pair for pair in trained or self.pair_names if not cfg.lang_pairs or pair in cfg.lang_pairs.split(",")
        }
        self.languages = tuple(sorted({language for pair in chosen for language in pair.split("-")}))
        # Objectives number the languages of the pairs; those of monolingual text alone come behind.
        mono = {language for shard in shards for _, language in shard.monos}
        if cfg.mono_langs:
            mono &= set(cfg.mono_langs.split(","))
        self.all_languages = (*self.languages, *sorted(mono - set(self.languages)))
        self.pivot = pivot_language(chosen, cfg.pivot_lang)
        self.needs: set[str] = set()
        self.apart = False
        self.models: list[Any] = []
        self.labelling: LabelOptions | None = None
        self.lasting: dict[str, Any] = {}

    @classmethod
    def setup_task(cls, cfg: XalignPretrainingConfig, **kwargs: Any) -> "XalignPretrainingTask":
        """Called by fairseq; ``from_checkpoint`` tells that weights are about to be loaded."""
        return cls(cfg, restoring=bool(kwargs.get("from_checkpoint")))

    @property
    def seed(self) -> int:
        """Of the run."""
        return self.cfg.seed

    @cached_property
    def lexicons(self) -> list[Lexicon]:
        """The bilingual lexicons of the data-bin, of which at least one entry is trained on."""
        return trained_lexicons(self.data)

    @property
    def has_master_weights(self) -> bool:
        """Whether the optimiser keeps a float32 copy of the parameters, and overwrites them with it."""
        efficient = self.cfg.memory_efficient_fp16 or self.cfg.memory_efficient_bf16
        return (self.cfg.fp16 or self.cfg.bf16) and not efficient

    def build_model(self, cfg: Any, from_checkpoint: bool = False) -> Any:
        """Build the encoder; heads are attached when the criterion is built."""
        if self.cfg.cpu:
            keep_freed_memory()
        model = super().build_model(cfg, from_checkpoint)
        if self.cfg.freeze_layers is not None:
            model.freeze_layers(self.cfg.freeze_layers)
        self.models.append(model)
        return model

    def build_criterion(self, cfg: Any, from_checkpoint: bool = False) -> Any:
        """Build the criterion, learn which streams it needs and give the models its heads."""
        criterion = super().build_criterion(of_today(cfg), from_checkpoint)
        self.needs = criterion.needs
        self.apart = criterion.contrasts
        for model in self.models:
            criterion.attach_heads(model)
            update_rows_alone(model, self, criterion.predicts_tokens)
        self.labelling = criterion.labelling
        self._check_streams()
        self._check_links(criterion.links_of_every_pair)
        return criterion

    def begin_update(self, samples: list[Any], criterion: Any, device: Any) -> None:
        """Called with all micro-batches of an update, before the first one is run."""
        criterion.update.begin(samples, device)

    def train_step(
        self, sample: Any, model: Any, criterion: Any, optimizer: Any, update_num: int, ignore_grad: bool = False
    ) -> Any:
        """fairseq's step of one micro-batch; ``ignore_grad``: it stands in for one that this worker lacks."""
        criterion.update.ignored = ignore_grad
        return super().train_step(sample, model, criterion, optimizer, update_num, ignore_grad)

    def _check_streams(self) -> None:
        if not self.needs & {"bitext", "mono"}:
            raise XalignError(
                "no objective reads text, and batches are made of text",
                where="--objectives",
                next="add one that does, such as mlm",
            )
        if "bitext" in self.needs and not self._pairs(self.data, "train"):
            raise XalignError(
                "an objective needs bitext, and the data-bin has none for training",
                where=self.data.path,
                next="xalign prepare with --pair and --trainpref",
            )
        if "mono" in self.needs and not self._languages(self.data, "train"):
            raise XalignError(
                "an objective needs monolingual text, and the data-bin has none for training",
                where=self.data.path,
                next="xalign prepare with --mono LANG=FILE, or leave mlm out of --objectives",
            )

    def _check_links(self, of_every_pair: bool) -> None:
        if "links" not in self.needs:
            return
        pairs = self._pairs(self.data, "train")
        bare = [f"{src}-{tgt}" for src, tgt in pairs if self.data.links("train", src, tgt) is None]
        if len(bare) == len(pairs) or (bare and of_every_pair):
            raise XalignError(
                "an objective reads prepared links, and training pairs of the data-bin have none",
                where=self.data.path,
                found=f"{', '.join(bare)} without links",
                expected="links of every pair" if of_every_pair else "links of a pair at least",
                next="make links by xalign links and give them to xalign prepare by --links; or choose --lang-pairs",
            )

    def _pairs(self, data: DataBin, split: str) -> list[tuple[str, str]]:
        here = data.language_pairs(split)
        if not self.cfg.lang_pairs:
            return here
        wanted = [tuple(pair.split("-")) for pair in self.cfg.lang_pairs.split(",")]
        for pair in wanted:
            if pair not in here and split == "train":
                data.pair(split, pair[0], pair[-1])  # raises, naming the pairs that are there
        return [pair for pair in here if pair in wanted]

    def _languages(self, data: DataBin, split: str) -> list[str]:
        here = data.languages(split)
        if not self.cfg.mono_langs:
            return here
        wanted = self.cfg.mono_langs.split(",")
        if split == "train":
            for language in wanted:
                data.mono(split, language)  # raises, naming the languages that are there
        return [language for language in here if language in wanted]

    def load_dataset(self, split: str, combine: bool = False, **kwargs: Any) -> None:
        """Open a split. With several folders, epoch e of training reads folder (e - 1) mod their number."""
        training = split == "train"
        epoch = kwargs.get("epoch", 1)
        data = DataBin(self.folders[(epoch - 1) % len(self.folders)]) if training else self.data
        bitext = self._bitext(data, split, training) if "bitext" in self.needs else None
        mono = self._mono(data, split) if "mono" in self.needs else None
        if bitext is None and mono is None:
            raise XalignError(
                "the data-bin has nothing of this split that the objectives read",
                where=data.path,
                found=f"splits {', '.join(data.splits)}",
                expected=split,
                next="prepare it, or choose another --valid-subset, or pass --disable-validation",
            )
        options = self.cfg
        self.datasets[split] = StreamsDataset(
            bitext,
            mono,
            self.mask_options(),
            seed=options.seed,
            training=training,
            temperature=options.sampling_temperature,
            items=options.epoch_items if training else None,
            mono_tokens=options.mono_max_tokens,
            mono_blocks=options.mono_batch_size,
            word_starts=word_starts(data.dictionary, data.tokenizer_model) if options.mask_whole_words else None,
            bucket_width=options.length_bucket_width,
            apart=self.apart,
        )
        sizes = f"{len(bitext.corpora)} language pairs, {len(bitext)} items" if bitext else "no bitext"
        logger.info("%s: %s; %s", split, sizes, f"{len(mono)} monolingual blocks" if mono else "no monolingual text")

    def _bitext(self, data: DataBin, split: str, training: bool) -> BitextStream | None:
        corpora = []
        for src, tgt in self._pairs(data, split):
            readers = data.pair(split, src, tgt)
            needs_links = not training or "links" in self.needs
            links = data.links(split, src, tgt) if needs_links else None
            if training and needs_links and links is None:
                logger.warning("%s-%s has no prepared links for training", src, tgt)
            # A pair that is only validated may have languages that training does not: they have no number.
            langs = [self.languages.index(lang) if lang in self.languages else -1 for lang in (src, tgt)]
            if -1 in langs and any(model.encoder.config.languages for model in self.models):
                raise XalignError(
                    "a pair that is only validated has a language that training does not, and so no embedding",
                    where=f"{data.path}, {split} {src}-{tgt}",
                    next="leave it out by --lang-pairs",
                )
            corpora.append(Corpus(self.pair_names.index(f"{src}-{tgt}"), *readers, links, (langs[0], langs[1])))
        if not corpora:
            return None
        sides = (self.cfg.min_sentence_length, self.cfg.max_sentence_length)
        return BitextStream(corpora, self._max_length(), both_directions=training, side_lengths=sides)

    def _mono(self, data: DataBin, split: str) -> MonoStream | None:
        languages = self._languages(data, split)
        if not languages:
            return None
        readers = [data.mono(split, language) for language in languages]
        numbers = [self.all_languages.index(language) for language in languages]
        return MonoStream(readers, min(self.cfg.mono_tokens_per_sample, self._positions()), numbers)

    def _positions(self) -> int:
        return min((model.max_positions() for model in self.models), default=512)

    def _max_length(self) -> int:
        return min(self.cfg.max_pair_length or self._positions(), self._positions())

    def mask_options(self) -> MaskOptions:
        """How the streams are perturbed."""
        options = self.cfg
        return MaskOptions(
            mask=self.dictionary.mask_index,
            vocab=self.dictionary.embedding_size,
            probability=options.mask_prob,
            leave=options.leave_unmasked_prob,
            random=options.random_token_prob,
            specials=options.mask_special_tokens,
        )

    @property
    def source_dictionary(self) -> None:
        """fairseq's own dictionary class is not used."""
        return None

    target_dictionary = source_dictionary

    def max_positions(self) -> None:
        """Lengths are the datasets' affair."""
        return None

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint carries besides weights.

        Tokenizer, labelling method, the family of the encoder that training began with and what that was trimmed to,
        the lexicons it learned from.
        """
        vocabulary = tokenizer_state(self.dictionary, self.data.tokenizer_model)
        state: dict[str, Any] = {**self.lasting, "tokenizer": vocabulary}
        if "lexicon" in self.needs:
            state["lexicons"] = [each.state() for each in self.lexicons]
        if self.labelling is not None:
            state["labelling"] = self.labelling.state()
        if self._language_embeddings:
            state["language_embeddings"] = self._language_embeddings
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Refuse a checkpoint of another tokenizer, choice of lexicon entries or order of language embeddings."""
        require_same_tokenizer(state_dict.get("tokenizer", {}), self.data)
        self.lasting |= checkpoint.lasting(state_dict)
        if "lexicon" in self.needs:
            require_same_lexicons(self.lexicons, state_dict.get("lexicons"), self.data.path)
        if self.models:  # fairseq-validate builds the model later, by the checkpoint's own options
            require_languages(state_dict.get("language_embeddings"), self._language_embeddings)

    @property
    def _language_embeddings(self) -> str:
        """The languages that have an embedding, in the order of its rows, as the model's option names them."""
        return next((model.encoder.config.language_embeddings for model in self.models), "")


def pivot_language(pairs: Collection[str], chosen: str | None) -> str | None:
    """The language that all training pairs (``src-tgt``) share: the chosen one, else en, else the only one, else None.

    Raises:
        XalignError: a pair lacks the chosen language.
    """
    if not pairs:
        return chosen  # a complaint about missing pairs comes later
    shared = set.intersection(*(set(pair.split("-")) for pair in pairs))
    if chosen is None:
        return "en" if "en" in shared else next(iter(shared)) if len(shared) == 1 else None
    if chosen not in shared:
        raise XalignError(
            "the pivot language is not in all pairs",
            where=f"--pivot-lang {chosen}",
            found=", ".join(sorted(pair for pair in pairs if chosen not in pair.split("-"))),
            next="leave these out by --lang-pairs",
        )
    return chosen


def require_same_dictionary(first: DataBin, other: DataBin) -> None:
    """Raise :class:`XalignError` unless two shards give the same ids; found before the epoch that reads the second."""
    if first.dictionary.digest != other.dictionary.digest:
        raise XalignError(
            "the shards have different dictionaries",
            where=f"{first.path}, {other.path}",
            found=f"{len(first.dictionary)} and {len(other.dictionary)} symbols",
            expected="one dictionary for all",
            next="xalign prepare each shard with the same --tokenizer, or --spm and --dict",
        )
