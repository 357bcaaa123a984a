#!/usr/bin/env python3
"""Measure what a trimmed vocabulary saves: models whole and trimmed to a text, trained on the same pairs in turn.

usage: benchmark_trimming.py --text SRC TGT [--model e5-small random-base] [--pairs 16] [--batches 2] [--rounds 5]
                             [--threads 1] [--work FOLDER] [--out FOLDER]

MODEL is whatever xalign reads; random-base is an XLM-R base with random weights and e5-small's tokenizer, which is
XLM-R's. Each model is prepared whole and trimmed (xalign prepare --tokenizer, and --trim-vocabulary). Both are trained
with DWA and TLM by fairseq's trainer and Adam, all parameters of them, each in a process of its own; rounds of updates
on the same pairs alternate between the two. Unless the hidden states of the first pairs are the same bits, nothing is
written. Writes OUT/trimming.json and the table OUT/trimming.md.
"""

import argparse
import hashlib
import logging
import resource
import shlex
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from benchmark_aligner import processor
from markers import table

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.trainer.record import commit

HERE = Path(__file__).resolve().parent
RANDOM = "random-base"
KINDS = ("whole", "trimmed")
LANGUAGES = ("xx", "yy")
STATES_OF = 8  # pairs whose hidden states are compared
SEED = 1


class Training:
    """The trainer of a model on a data-bin, and the first batches of it."""

    def __init__(self, model: str, data: str, pairs: int, batches: int, threads: int):
        import torch

        import xalign_fairseq
        from xalign_fairseq.encoder import checkpoint
        from xalign_fairseq.encoder.pretrained.reading import read_pretrained
        from xalign_fairseq.trainer.fairseq_train import adam_options, encoder_options, flags

        logging.disable(logging.INFO)
        warnings.simplefilter("ignore")
        torch.set_num_threads(threads)
        xalign_fairseq.register()
        from fairseq import options, tasks
        from fairseq.dataclass.utils import convert_namespace_to_omegaconf
        from fairseq.trainer import Trainer

        self.encoder, _ = checkpoint.load_encoder(*read_pretrained(model))
        sizes = self.encoder.config.as_options()
        given = [
            data, "--task", "xalign_pretraining", "--criterion", "weighted", "--objectives", "dwa,tlm",
            "--dwa-start-update", "0", "--seed", str(SEED), "--cpu", "--save-dir", f"{data}/unused",
            *flags(encoder_options(sizes, model)), *flags(adam_options(1e-5, 1000, pairs, (0.9, 0.999), 1e-8, 1.0)),
        ]  # fmt: skip
        cfg = convert_namespace_to_omegaconf(options.parse_args_and_arch(options.get_training_parser(), given))
        task = tasks.setup_task(cfg.task)
        trained = task.build_model(cfg.model)
        criterion = task.build_criterion(cfg.criterion)
        task.load_dataset("train")
        read = task.get_batch_iterator(task.dataset("train"), max_sentences=pairs, seed=SEED).next_epoch_itr()
        self.samples = [sample for sample, _ in zip(read, range(batches), strict=False)]
        self.tokens = sum(int(sample["ntokens"]) for sample in self.samples)
        self.parameters = sum(each.numel() for each in trained.encoder.parameters())
        self.first = [
            sentence.tolist()
            for sentence, _ in zip(task.data.pair("train", *LANGUAGES)[0], range(STATES_OF), strict=False)
        ]
        self.trainer = Trainer(cfg, task, trained, criterion)
        self.trainer.begin_epoch(1)

    def about(self) -> dict[str, Any]:
        """The model's size, and a digest of its hidden states of the first sentences."""
        import torch

        digest = hashlib.sha256()
        with torch.no_grad():
            for ids in self.first:
                digest.update(self.encoder.states(torch.tensor([[0, *ids]])).layer().numpy().tobytes())
        ids = self.encoder.config.vocab_size
        del self.encoder  # fairseq's is another
        return {"ids": ids, "parameters": self.parameters, "tokens": self.tokens, "states": digest.hexdigest()}

    def round(self) -> float:
        """Seconds of an update on each batch."""
        begin = time.perf_counter()
        for sample in self.samples:
            self.trainer.train_step([sample])
        return time.perf_counter() - begin


_training: Training


def _begin(*given: Any) -> dict[str, Any]:
    global _training
    _training = Training(*given)
    return _training.about()


def _round() -> float:
    return _training.round()


def _peak() -> float:
    """The most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


@contextmanager
def processes() -> Iterator[dict[str, ProcessPoolExecutor]]:
    """A process for each kind of model."""
    found = {kind: ProcessPoolExecutor(1, get_context("spawn")) for kind in KINDS}
    try:
        yield found
    finally:
        for each in found.values():
            each.shutdown(cancel_futures=True)


def measure(models: dict[str, tuple[str, str]], args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """What is found of a model, whole and trimmed; ``models`` are both and their data-bins."""
    with processes() as run:
        sizes = (args.pairs, args.batches, args.threads)
        found = {kind: run[kind].submit(_begin, *models[kind], *sizes).result() for kind in KINDS}
        differing = [name for name in ("states", "tokens") if found["whole"][name] != found["trimmed"][name]]
        if differing:
            raise XalignError("the trimmed model is not the whole one on its text", found=", ".join(differing))
        seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for number in range(args.rounds + 1):
            for kind in KINDS:
                took = run[kind].submit(_round).result()
                if number:  # the first one warms up
                    seconds[kind].append(took)
                    print(f"  round {number}: {kind} {took / args.batches:.2f} s an update", file=sys.stderr)
        for kind in KINDS:
            rate = found[kind].pop("tokens") / median(seconds[kind])
            found[kind] |= {
                "tokens_per_second": rate,
                "seconds": seconds[kind],
                "peak_mb": run[kind].submit(_peak).result(),
            }
            found[kind].pop("states")
    return found


def make_models(name: str, work: Path, text: list[str]) -> dict[str, tuple[str, str]]:
    """A model whole and trimmed to the text, each with its data-bin."""
    model = str(random_base(work)) if name == RANDOM else name
    work = work / name.replace("/", "-")
    work.mkdir(parents=True, exist_ok=True)
    for path, language in zip(text, LANGUAGES, strict=True):
        (work / f"train.{language}").unlink(missing_ok=True)
        (work / f"train.{language}").symlink_to(Path(path).resolve())
    made = {}
    for kind, options in zip(KINDS, ([], ["--trim-vocabulary"]), strict=True):
        out = work / kind
        command = [
            Path(sys.executable).with_name("xalign"), "prepare", "--out", out, "--pair", "-".join(LANGUAGES),
            "--trainpref", work / "train", "--tokenizer", model, "--overwrite", *options,
        ]  # fmt: skip
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
        made[kind] = (str(out) if options else model, str(out))
    return made


def random_base(work: Path) -> Path:
    """A checkpoint of XLM-R base's sizes with random weights and the tokenizer of e5-small."""
    import torch

    from xalign_fairseq.encoder.config import EncoderConfig
    from xalign_fairseq.encoder.pretrained.reading import read_pretrained
    from xalign_fairseq.encoder.transformer import Encoder

    tokenizer = read_pretrained("e5-small")[0]["task_state"]["tokenizer"]
    torch.manual_seed(SEED)
    config = EncoderConfig(vocab_size=250002)
    model = {f"encoder.{name}": value for name, value in Encoder(config).state_dict().items()}
    work.mkdir(parents=True, exist_ok=True)
    path = work / f"{RANDOM}.pt"
    torch.save({"cfg": {"model": config.as_options()}, "model": model, "task_state": {"tokenizer": tokenizer}}, path)
    return path


def report(results: dict[str, Any]) -> str:
    """The table of a results file, and how it was made."""
    columns = ("model", "vocabulary", "ids", "parameters", "peak memory", "tokens a second of training")
    rows = []
    for name, found in results["models"].items():
        for kind in KINDS:
            each = found[kind]
            parameters, memory = f"{each['parameters'] / 1e6:.1f} million", f"{each['peak_mb'] / 1024:.1f} GB"
            times = each["tokens_per_second"] / found["whole"]["tokens_per_second"]
            rate = f"{each['tokens_per_second']:.0f} ({times:.2f})"
            rows.append((name, kind, f"{each['ids']:,}", parameters, memory, rate))
    threads = f"{results['threads']} thread{'s' if results['threads'] > 1 else ''}"
    notes = (
        f"DWA and TLM, all parameters trained by Adam in float32, {results['pairs']} pairs an update; trimmed to "
        f"{' and '.join(results['text'])} ({results['lines']:,} pairs), on which hidden states are the same bits. In "
        "brackets: times the whole model's.",
        f"- cpu: {results['machine']}, {threads}; median of {results['rounds']} rounds in turn; seed "
        f"{results['seed']}; commit {results['commit']}; `{results['command']}`",
    )
    return "\n\n".join([table(columns, rows), *notes]) + "\n"


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", nargs=2, required=True, metavar=("SRC", "TGT"), help="bitext, a sentence a line")
    parser.add_argument("--model", nargs="+", default=["e5-small", RANDOM], help="default: e5-small random-base")
    for option, value in {"pairs": 16, "batches": 2, "rounds": 5, "threads": 1}.items():
        parser.add_argument(f"--{option}", type=int, default=value, help=f"default: {value}")
    parser.add_argument("--work", type=Path, help="folder for models and data (default: one that is removed)")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="default: scripts/results")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Measure, and write the results."""
    args = parse(argv)
    with tempfile.TemporaryDirectory() as temporary:
        work = args.work or Path(temporary)
        found = {}
        for name in args.model:
            print(name, file=sys.stderr)
            found[name] = measure(make_models(name, work, args.text), args)
    text = [Path(path).name for path in args.text]
    settings = [f"--{name}={getattr(args, name)}" for name in ("pairs", "batches", "rounds", "threads")]
    results = {
        "command": shlex.join(["benchmark_trimming.py", "--text", *text, "--model", *args.model, *settings]),
        "commit": commit(Path(__file__)), "machine": processor("cpu"), "seed": SEED, "threads": args.threads,
        "text": text, "lines": scan(args.text[0]).lines,
        "pairs": args.pairs, "batches": args.batches, "rounds": args.rounds, "models": found,
    }  # fmt: skip
    write_json(args.out / "trimming.json", results)
    with atomic_write(args.out / "trimming.md") as stream:
        stream.write(report(results))
    print(report(results))


if __name__ == "__main__":
    main()
