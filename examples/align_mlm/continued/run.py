"""Continue e5-small with a dictionary, and measure it: embeddings, alignment of development gold, retrieval.

usage: python run.py DATA_BIN HEAD DATA RUNS SETTING SEED

DATA_BIN: of prepare.sh. HEAD: the checkpoint with an MLM head of ../../xlm_align/continued. DATA: the folder with gold/
and bitext/tatoeba-laser-test/. The run is RUNS/SETTING-SEED, with result.json at the end; one that was killed goes on
from its last checkpoint, and a finished one stays as it is.
"""

import argparse
import os
import resource
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2] / "xlm_align/continued"))

import study
from train import LINKING, START, whole_model

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.sweep import try_linkings
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.locks import alone
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import Lexicon, lexicons
from xalign_fairseq.data.lexicon import read as read_lexicon
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.sentence_vectors import default_retrieval_layer, sentence_vectors
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation.lexicon_alignment import lexicon_scores
from xalign_fairseq.evaluation.retrieval import retrieval_counts
from xalign_fairseq.trainer.fairseq_train import FAIRSEQ_TRAIN, encoder_options, flags
from xalign_fairseq.trainer.mending import LAST, mend
from xalign_fairseq.trainer.record import commit, machine
from xalign_fairseq.transport.linking import Linking

# All that is trained is trained in every setting, embeddings too. Entries are drawn, as in dictionaries of any size.
COMMON: study.Options = {
    "--task": "xalign_pretraining",
    "--criterion": "weighted",
    "--objectives": "sentence_mlm,lexicon_align",
    "--loss-normalization": "per-objective",
    "--lexicon-align-weight": "10",
    "--lexicon-align-sample": "4096",
    "--sampling-temperature": "5",
    "--epoch-items": "100000",
    "--max-pair-length": "200",
    "--batch-size": "8",
    "--required-batch-size-multiple": "1",
    "--autocast": "auto",
    "--optimizer": "xalign_adamw",
    "--clip-norm": "1.0",
    "--lr": "1e-4",
    "--lr-scheduler": "polynomial_decay",
    "--warmup-updates": "20",
    "--max-update": "100",
}
# Batches are made of text, so that the dictionary alone stands beside an MLM of one pair, whose weight of next to
# nothing leaves its gradients far below Adam's epsilon
ALONE: study.Options = {"--sentence-mlm-weight": "1e-12", "--batch-size": "1"}
SETTINGS: Mapping[str, study.Options] = {
    "none": {"--max-update": "0"},
    "mlm": {"--objectives": "sentence_mlm"},
    "align_mlm": {},
    "dictionary": ALONE,
    "dictionary-fast": {**ALONE, "--lr": "1e-3"},
}
LAYERS = (5, 6, 7, 8, 9)
TATOEBA = ("de", "fr", "hi")
SENTENCES = 500  # of each of Tatoeba's sets, the first


def train(data: Path, head: Path, run: Path, options: study.Options) -> None:
    """All updates, from where the run stands; the CPU seconds of all pieces that ended are kept beside it."""
    config = checkpoint.load_encoder(*read_pretrained(data))[0].config
    own = {
        "--cpu": True,
        "--disable-validation": True,
        "--no-epoch-checkpoints": True,
        "--save-interval-updates": 50,
        "--keep-interval-updates": 1,
        "--num-workers": 0,
        "--save-dir": run,
        "--log-format": "json",
        "--log-interval": 10,
    }
    line = flags(
        {**encoder_options(config.as_options(), head), **options, "--total-num-update": options["--max-update"], **own}
    )
    before = cpu_seconds()
    with (run / "train.log").open("a") as log:
        done = subprocess.run([*FAIRSEQ_TRAIN, str(data), *line], stdout=log, stderr=log)
    spent = run / "cpu_seconds"
    earlier = float(spent.read_text()) if spent.is_file() else 0.0
    spent.write_text(str(earlier + cpu_seconds() - before))
    done.check_returncode()


def cpu_seconds() -> float:
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def embedding_scores(model: str | Path, data: Path) -> dict[str, dict[str, float]]:
    """Pair -> part of its lexicon -> alignment score in per cent; pairs in both directions."""
    encoder, _ = checkpoint.load_encoder(*read_pretrained(model))
    embeddings = encoder.sentence_encoder.embed_tokens.weight.detach()
    data_bin = DataBin(data)
    found = {}
    for src, tgt in lexicons(data_bin):
        lexicon = read_lexicon(data_bin, src, tgt)
        for each in (lexicon, turned(lexicon)):
            scores = lexicon_scores(embeddings, each, samples=1)
            found[f"{each.src}-{each.tgt}"] = {one.part: round(100 * one.score, 2) for one in scores}
    return found


def turned(lexicon: Lexicon) -> Lexicon:
    """The same entries from the other language; a word there may have entries in several parts."""
    src = {"src": lexicon.tgt, "src_ids": lexicon.tgt_ids, "src_sizes": lexicon.tgt_sizes}
    return replace(lexicon, **src, tgt=lexicon.src, tgt_ids=lexicon.src_ids, tgt_sizes=lexicon.src_sizes)


def development(model: str, gold: Path) -> dict[str, dict[str, float]]:
    """Layer -> AER of each development set and their mean, in per cent."""
    settings = [Linking("argmax", layers=(layer,), encoding="separate") for layer in LAYERS]
    names = list(study.TRIALS)
    read = try_linkings(Aligner.from_pretrained(model, linking=LINKING), study.gold_pairs(gold, names), settings)
    return {str(trial.linking.layers[0]): study.scores(trial, names, study.TRIALS) for trial in read}


def retrieval(model: str, folder: Path) -> dict[str, float]:
    """Language -> accuracy by cosine, mean of both directions, in per cent."""
    state, where = read_pretrained(model)
    encoder, _ = checkpoint.load_encoder(state, where)
    encoder.eval()
    tokenizer = load_tokenizer(state, encoder.config.vocab_size, where=where)
    layer = default_retrieval_layer(encoder.config.encoder_layers)
    found = {}
    for language in TATOEBA:
        sides = [(folder / f"en-{language}.{side}").read_text(encoding="utf-8") for side in (language, "en")]
        vectors = [sentence_vectors(encoder, tokenizer, text.splitlines()[:SENTENCES], layer) for text in sides]
        counts = retrieval_counts(*vectors)
        both = [counts[name][:, 0].mean() for name in ("accuracy", "accuracy-from-en")]
        found[language] = round(100 * sum(both) / 2, 2)
    return found


def measure(data: Path, benchmark: Path, run: Path) -> dict[str, Any]:
    """What all runs are compared by; text is read in the whole vocabulary."""
    whole = run / "whole.pt"
    model = whole_model(run, whole)
    found = {
        "embeddings": embedding_scores(data if model == START else run / LAST, data),
        "development": development(model, benchmark / "gold"),
        "retrieval": retrieval(model, benchmark / "bitext/tatoeba-laser-test"),
    }
    whole.unlink(missing_ok=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("data", "head", "benchmark", "runs"):
        parser.add_argument(name, type=Path)
    parser.add_argument("setting", choices=SETTINGS)
    parser.add_argument("seed", type=int)
    args = parser.parse_args()
    run = args.runs / f"{args.setting}-{args.seed}"
    options = {**COMMON, **SETTINGS[args.setting], "--seed": str(args.seed)}
    with alone(run):
        go_on(args.data, args.head, args.benchmark, run, args.setting, options)


def go_on(data: Path, head: Path, benchmark: Path, run: Path, setting: str, options: study.Options) -> None:
    """Train, measure and write, unless that is done."""
    if (run / "result.json").is_file():
        return
    mend(run, print)
    record = {
        "setting": setting,
        "seed": int(options["--seed"]),
        "command": shlex.join(["run.py", "DATA_BIN", "HEAD", "DATA", "RUNS", setting, options["--seed"]]),
        "options": dict(options),
        "commit": commit(Path(__file__)),
        "machine": machine(cpu=True),
    }
    if (run / "run.json").is_file():  # a run that goes on was begun by this commit
        record["commit"] = read_json(run / "run.json")["commit"]
    write_json(run / "run.json", record)
    updates = int(options["--max-update"])
    if (updates_of(run / LAST) or 0) < updates:
        train(data, head, run, options)
    spent = run / "cpu_seconds"
    record["cpu_seconds"] = round(float(spent.read_text())) if spent.is_file() else 0
    write_json(run / "result.json", record | measure(data, benchmark, run))


if __name__ == "__main__":
    os.nice(max(0, 10 - os.nice(0)))
    main()
