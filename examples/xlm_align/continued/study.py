"""The study's settings, and the development gold that steers it. Nothing here uses the test sets."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from xalign_fairseq.aligner.gold_sets import GoldSet
from xalign_fairseq.aligner.neural.comparison import Trial
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.transport.linking import Linking

Options = Mapping[str, str | None]  # None: fairseq-train's default

# Common to all settings: awesome-align's optimiser, frozen embeddings, language pairs sampled at temperature 5, and new
# heads at ten times the learning rate. e5-small never saw a pair in one sequence: argmax at layer 7 gives the labels.
COMMON: Options = {
    "--task": "xalign_pretraining",
    "--criterion": "weighted",
    "--loss-normalization": "per-objective",
    "--sampling-temperature": "5",
    "--epoch-items": "100000",
    "--max-pair-length": "200",
    "--freeze-layers": "0",
    "--batch-size": "32",
    "--required-batch-size-multiple": "1",
    "--autocast": "auto",
    "--optimizer": "xalign_adamw",
    "--adam-betas": "(0.9, 0.999)",
    "--adam-eps": "1e-8",
    "--clip-norm": "1.0",
    "--lr": "2e-5",
    "--lr-scheduler": "polynomial_decay",
    "--warmup-updates": "50",
    "--max-update": "200",
    "--heads-lr": "2e-4",
    "--self-training-layer": "7",
    "--self-training-temperature": "0.05",
    "--consistency-layer": "7",
    "--psi-layer": "8",
    "--dwa-layer": "7",
    "--dwa-label-layer": "7",
    "--dwa-filter": "argmax",
    "--dwa-start-update": "0",
    "--dwa-pointer-start": "identity",
}
TRAINED: Options = {"--freeze-layers": None}  # embeddings too
FULL: Options = {"--moco-queue-size": "2000", "--moco-queue-init": "random"}
# Every objective and plain e5-small, on the same pairs. Other papers' objectives have their papers' settings, at layer
# 7 if they have a layer. Linear maps start from the identity and need their own learning rate.
SETTINGS: Mapping[str, Options] = {
    "none": {"--max-update": "0"},
    # e5-small has no MLM head: train one on the frozen encoder for all settings that predict words
    "head": {
        "--objectives": "sentence_mlm,tlm",
        "--freeze-encoder-updates": "400",
        "--max-update": "400",
        "--lr": "2e-3",
        "--heads-lr": "2e-3",
    },
    # awesome-align (Dou & Neubig 2021) and additions to its self-training
    "so": {"--objectives": "self_training"},
    "so-grow": {"--objectives": "self_training", "--self-training-method": "grow"},  # train-aligner's default
    # on guide.py's data-bin: links that the model, and statistics guided by a self-trained encoder, agree on
    "so-guided": {"--objectives": "self_training", "--self-training-method": "grow", "--self-training-labels": "both"},
    "so-co": {"--objectives": "self_training,consistency"},
    "so-psi": {"--objectives": "self_training,psi"},
    "so-tlm": {"--objectives": "self_training,tlm"},
    "so-tlm-psi": {"--objectives": "self_training,tlm,psi"},
    "so-dwa": {"--objectives": "self_training,dwa"},
    "so-dwa-tlm": {"--objectives": "self_training,dwa,tlm"},
    # XLM-Align (Chi et al. 2021), and without its parts (Table 3)
    "xlm-align": {"--objectives": "sentence_mlm,tlm,dwa"},
    "mlm-tlm": {"--objectives": "sentence_mlm,tlm"},
    "mlm-dwa": {"--objectives": "sentence_mlm,dwa"},
    "mlm": {"--objectives": "sentence_mlm"},
    # the same number of tokens as mlm, but in blocks of 256: running text where the sources have it
    "mlm-blocks": {
        "--objectives": "mlm",
        "--mono-tokens-per-sample": "256",
        "--mono-batch-size": "8",
        "--batch-size": "8",
    },
    "dwa-tlm": {"--objectives": "dwa,tlm"},
    "dwa": {"--objectives": "dwa"},
    "tlm": {"--objectives": "tlm"},
    # explicit alignments (Wu & Dredze 2020), by eflomal's links
    "weak": {"--objectives": "word_contrastive,reg_param", "--word-contrastive-layer": "7"},
    "strong": {
        "--objectives": "word_contrastive,reg_param",
        "--word-contrastive-layer": "7",
        "--word-contrastive-negatives": "strong",
    },
    "l2": {"--objectives": "l2_align,reg_param", "--l2-align-layer": "7"},
    "linear-mapping": {"--objectives": "linear_mapping", "--lr": "1e-3"},
    "procrustes": {"--max-update": "1"},  # in closed form: one step from all links
    # PPA (Pan et al. 2021) and without TLM, WEAM (Yang et al. 2021) and without word exchange, optimal transport
    # (Alqahtani et al. 2021)
    "ppa": {"--objectives": "moco,tlm", "--moco-queue-size": "2000"},
    "moco": {"--objectives": "moco", "--moco-queue-size": "2000"},
    "weam": {"--objectives": "tlm,word_exchange", "--mask-prob": "0.3"},
    "tlm30": {"--objectives": "tlm", "--mask-prob": "0.3"},
    # to show the papers' mechanisms: WEAM and TLM with trained static embeddings, WEAM's head from the MLM head;
    # PPA with a queue that is full from the start; the released code's distance, whose gradient is constant
    "weam-embeddings": {
        "--objectives": "tlm,word_exchange",
        "--mask-prob": "0.3",
        "--word-exchange-start": "mlm",
        **TRAINED,
    },
    "tlm30-embeddings": {"--objectives": "tlm", "--mask-prob": "0.3", **TRAINED},
    "ppa-full": {"--objectives": "moco,tlm", **FULL},
    "moco-full": {"--objectives": "moco", **FULL},
    "ppa-full-mlm": {"--objectives": "moco,sentence_mlm", **FULL},
    "ppa-full-mean": {"--objectives": "moco,tlm", "--moco-pooling": "mean", **FULL},
    "l2-norm": {"--objectives": "l2_align,reg_param", "--l2-align-layer": "7", "--reg-param-form": "norm"},
    "l2-hidden": {"--objectives": "l2_align,reg_hidden", "--l2-align-layer": "7", "--reg-hidden-layer": "7"},
    "ot": {"--objectives": "ot_align,reg_param", "--ot-align-layer": "7"},
}
MAPPED = ("linear-mapping", "procrustes")
HEAD = "head-1"  # the run whose MLM head those settings start with


def predicts(options: Options) -> bool:
    """Whether the setting needs an MLM head from the first update."""
    objectives = (options.get("--objectives") or "").split(",")
    return "--freeze-encoder-updates" not in options and any("mlm" in name or name == "tlm" for name in objectives)


PAIRS = (("de", "en"), ("en", "fr"), ("en", "hi"), ("ro", "en"))  # training text
# Development gold: path in gold/ and weight in the mean that steers. German and Romanian have none; XL-WA's ten
# languages stand in for both.
TRIALS = {"hansards-wpt03-trial/en-fr": 0.5, "golden-collection/en-fr": 0.5, "wpt05-hi-trial/en-hi": 1.0}
XL_WA = ("bg", "da", "es", "et", "hu", "it", "nl", "pt", "ru", "sl")
DEVELOPMENT = {**TRIALS, **{f"xl-wa/dev/en-{language}": 0.2 for language in XL_WA}}
TEST = tuple(f"simalign-testsets/{src}-{tgt}" for src, tgt in PAIRS)


def line_settings() -> list[Linking]:
    """The link settings to try: layers and methods on separate encodings, and argmax on joint encodings."""
    methods = (Linking("argmax"), Linking("softmax", {"threshold": 0.4}), Linking("grow"))
    layers = [(5,), (6,), (7,), (8,), (9,), (6, 7), (7, 8)]
    separate = [replace(method, layers=each, encoding="separate") for each in layers for method in methods]
    return [*separate, *(Linking("argmax", layers=each, encoding="joint") for each in layers)]


def setting_name(linking: Linking) -> str:
    """For example ``argmax-separate-6-7``."""
    return "-".join([linking.method, linking.encoding, *map(str, linking.layers)])


def gold_pairs(gold: Path, names: Sequence[str]) -> list[GoldSet]:
    """Sets of gold links with their text, from ``gold``/NAME.SRC, .TGT and .gold."""
    sets = []
    for name in names:
        src, tgt = name.rsplit("/", 1)[1].split("-")
        sides = [(gold / f"{name}.{side}").read_text(encoding="utf-8").splitlines() for side in (src, tgt)]
        pairs = [(one.split(), other.split()) for one, other in zip(*sides, strict=True)]
        sets.append(GoldSet(name, pairs, read_gold(gold / f"{name}.gold", pairs=len(pairs))))
    return sets


def scores(trial: Trial, names: Sequence[str], weights: Mapping[str, float]) -> dict[str, float]:
    """AER of each set in percent, and their weighted ``mean``."""
    by_set = {name: 100 * counts.aer for name, counts in zip(names, trial.totals(), strict=True)}
    mean = sum(weights[name] * by_set[name] for name in names) / sum(weights[name] for name in names)
    return {name: round(value, 2) for name, value in {"mean": mean, **by_set}.items()}
