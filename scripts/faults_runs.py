"""The small runs that scripts/faults.py breaks: their commands, and what of their results must be the same again."""

import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from xalign_fairseq.trainer.fairseq_train import FAIRSEQ_TRAIN, USER_DIR
from xalign_fairseq.trainer.mending import BEST, LAST

XALIGN = (sys.executable, "-m", "xalign_fairseq")
UPDATES = 40
SMALL = {
    "--encoder-layers": 2,
    "--encoder-embed-dim": 32,
    "--encoder-ffn-embed-dim": 64,
    "--encoder-attention-heads": 2,
    "--max-positions": 128,
}


@dataclass(frozen=True)
class Run:
    """A command that can be interrupted and repeated.

    Attributes:
        name: of the command.
        command: for an output folder, which is there and empty.
        result: what the finished output holds, by the name of its part.
        trains: whether it is fairseq-train, or starts it.
        before: makes what is in the output folder when the command is first given.
    """

    name: str
    command: Callable[[Path], list[str]]
    result: Callable[[Path], dict[str, str]]
    trains: bool = True
    before: Callable[[Path], object] = lambda out: None


def make_inputs(work: Path, call: Callable[[list[str]], object], pairs: int) -> None:
    """Text, a data-bin, and a study, below ``work/in``, unless they are there.

    Args:
        work: the folder of all.
        call: runs a command to its end.
        pairs: sentence pairs of the texts that are prepared and aligned.
    """
    folder = work / "in"
    if (folder / "study.yaml").is_file():
        return
    call([*XALIGN, "sample", "--out", str(folder / "text"), "--pairs", str(pairs), "--valid", "24", "--test", "24",
          "--overwrite"])  # fmt: skip
    call(prepare_command(folder, folder / "data-bin"))
    for split in ("train", "test"):
        lines = (folder / f"text/en-de/{split}.en").read_text(encoding="utf-8").splitlines()[:80]
        (folder / f"{split}.conllu").write_text("".join(map(_conllu, lines)), encoding="utf-8")
    (folder / "lexicon.tsv").write_text("house\thaus\nking\tkönig\nriver\tfluss\nold\talt\n", encoding="utf-8")
    (folder / "gold").mkdir(exist_ok=True)
    for end, name in (("en", "en-de.en"), ("de", "en-de.de"), ("gold", "en-de.gold")):
        shutil.copy2(folder / f"text/en-de/valid.{end}", folder / "gold" / name)
    both = [(folder / f"text/en-de/test.{end}").read_text(encoding="utf-8").splitlines() for end in ("en", "de")]
    spans = (
        {"text": src, "translation": tgt, "spans": [[0, len(src.split()[0]), "W"]]}
        for src, tgt in zip(*both, strict=True)
    )
    (folder / "spans.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in spans), encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")


STUDY = """data: .
seeds: [4]
defaults: {lr: 1e-3, epochs: 6, batch_size: 8, warmup: 0, max_length: 64, overlap: 8, validate_every: 5}
tasks:
  pos:
    holdout: 0.2
    train: {en: train.conllu}
    test: {en: test.conllu}
"""


def _conllu(line: str) -> str:
    """A tag by the length of each word."""
    rows = [f"{i}\t{word}\t_\t{('NOUN', 'VERB', 'ADJ')[len(word) % 3]}" for i, word in enumerate(line.split(), 1)]
    return "".join(row + "\t_" * 6 + "\n" for row in rows) + "\n"


def prepare_command(folder: Path, out: Path) -> list[str]:
    """``xalign prepare`` of the pair en-de with its links and monolingual text."""
    text = folder / "text"
    return [*XALIGN, "prepare", "--out", str(out), "--pair", "en-de", "--trainpref", str(text / "en-de/train"),
            "--validpref", str(text / "en-de/valid"), "--links", str(text / "en-de/valid.gold"),
            "--mono", f"en={text}/mono/train.en", "--vocab-size", "600", "--overwrite"]  # fmt: skip


def all_runs(work: Path) -> dict[str, Run]:
    """Every run by its name; ``work/model.pt`` is what some of them read, the checkpoint of an unbroken training."""
    folder, model = work / "in", work / "model.pt"
    side = folder / "text/en-de"
    texts = ["--src", str(side / "train.en"), "--tgt", str(side / "train.de")]

    def train(out: Path) -> list[str]:
        return [*FAIRSEQ_TRAIN, *train_options(folder / "data-bin", out)]

    def align(out: Path) -> list[str]:
        return [*XALIGN, "align", "--model", str(model), *texts, "--out", str(out / "links"), "--resume"]

    def train_aligner(out: Path) -> list[str]:
        dev = [f"--valid-{name}={side}/valid.{end}" for name, end in (("src", "en"), ("tgt", "de"), ("gold", "gold"))]
        return [*XALIGN, "train-aligner", "--model", str(model), *texts, *dev, "--out", str(out), "--updates", "40",
                "--validate-every", "8", "--device", "cpu", "--lr", "0.003", "--patience", "0"]  # fmt: skip

    def transfer(out: Path) -> list[str]:
        return [*XALIGN, "transfer", "--study", str(folder / "study.yaml"), "--model", f"tiny={model}", "--cpu",
                "--jobs", "1", "--keep-models", "--out", str(out)]  # fmt: skip

    return {
        each.name: each
        for each in (
            Run("fairseq-train", train, lambda out: checkpoint_parts(out / LAST)),
            Run(
                "prepare",
                lambda out: prepare_command(folder, out / "data-bin"),
                lambda out: files(out / "data-bin"),
                False,
            ),
            Run("align", align, lambda out: files(out, "links"), False),
            Run("transfer", transfer, _transferred),
            Run("train-aligner", train_aligner, _aligner),
        )
    }


def make_model(work: Path) -> None:
    """``work/model.pt``, an untrained encoder with the tokenizer of the data-bin, unless it is there."""
    import torch

    from xalign_fairseq.data.databin import DataBin
    from xalign_fairseq.encoder.config import EncoderConfig
    from xalign_fairseq.encoder.transformer import Encoder
    from xalign_fairseq.encoder.vocabulary import tokenizer_state

    if (work / "model.pt").is_file():
        return
    data, sizes = DataBin(work / "in/data-bin"), {name[2:].replace("-", "_"): value for name, value in SMALL.items()}
    torch.manual_seed(1)
    encoder = Encoder(EncoderConfig(data.dictionary.embedding_size, **sizes))
    state = {
        "model": {f"encoder.{name}": value for name, value in encoder.state_dict().items()},
        "cfg": {"model": sizes, "task": {"data": str(data.path)}},
        "task_state": {"tokenizer": tokenizer_state(data.dictionary, data.tokenizer_model), "family": "none"},
        "optimizer_history": [{"num_updates": 0}],
    }
    torch.save(state, work / "model.pt")


def sample_options(work: Path, out: Path) -> dict[str, list[str]]:
    """The options of the five commands that scripts/trace_calls.py follows."""
    runs = operation_runs(work)
    found = {name: runs[run].command(out)[len(XALIGN) :] for name, run in (
        ("prepare", "prepare --overwrite"), ("train-aligner", "train-aligner"), ("align", "align --resume"),
    )}  # fmt: skip
    return {
        "from_pretrained": [str(work / "model.pt")],
        **found,
        "transfer": runs["transfer"].command(out)[len(XALIGN) :],
    }


def operation_runs(work: Path) -> dict[str, Run]:
    """The commands that scripts/faults_operations.py kills at each of their file operations, all in few steps."""
    folder, model = work / "in", work / "model.pt"
    side, few = folder / "text/en-de", {"--max-update": 4, "--total-num-update": 4, "--save-interval-updates": 2}
    texts = ["--src", str(side / "test.en"), "--tgt", str(side / "test.de")]
    dev = [f"--valid-{name}={side}/valid.{end}" for name, end in (("src", "en"), ("tgt", "de"), ("gold", "gold"))]

    def xalign(*options: object) -> list[str]:
        return [*XALIGN, *map(str, options)]

    def training(out: Path) -> list[str]:
        data, *options = train_options(folder / "data-bin", out)
        for name, value in few.items():
            options[options.index(name) + 1] = str(value)
        return [data, *options]

    def prepare(out: Path) -> list[str]:
        return prepare_command(folder, out / "data-bin")

    def resumed(out: Path) -> list[str]:
        return [each for each in prepare(out) if each != "--overwrite"] + ["--resume"]

    def aligner(*options: object) -> Callable[[Path], list[str]]:
        return lambda out: xalign("align", *texts, *options, "--out", out / "links")

    def train_aligner(*options: object) -> Callable[[Path], list[str]]:
        return lambda out: xalign("train-aligner", *texts, *dev, *options, "--out", out / "aligner")

    def old_data(out: Path) -> None:
        shutil.copytree(folder / "data-bin", out / "data-bin")
        (out / "data-bin/old").write_text("of an earlier run")

    def lexicon(out: Path) -> list[str]:
        options = ["--pair", "en-de", "--from", folder / "lexicon.tsv", "--overwrite"]
        return xalign("lexicon", out / "data-bin", *options)

    def gold(out: Path) -> list[str]:
        return xalign("bench", "--data", folder / "gold", "--model", f"a={model}", "--out", out / "bench.md", "--quiet")

    steps = ["--device", "cpu", "--lr", "0.003", "--patience", "0", "--updates", "4", "--validate-every", "2"]
    study = ["--study", folder / "study.yaml", "--model", f"tiny={model}", "--cpu", "--jobs", "1", "--keep-models"]
    commands: dict[str, Callable[[Path], list[str]]] = {
        "fairseq-train": lambda out: [*FAIRSEQ_TRAIN, *training(out / "run")],
        "train": lambda out: xalign("train", *training(out / "run")),
        "prepare --resume": resumed,
        "prepare --overwrite": prepare,
        "align --resume": aligner("--model", model, "--resume"),
        "align --from-scratch": aligner("--from-scratch"),
        "align --statistics": aligner("--model", model, "--statistics"),
        "train-aligner": train_aligner("--model", model, *steps),
        "train-aligner --from-scratch": train_aligner("--from-scratch"),
        "transfer": lambda out: xalign("transfer", *study, "--out", out / "study"),
        "bench": gold,
        "lexicon": lexicon,
        "derive": lambda out: xalign(
            "derive",
            "--steps",
            "inversion,script",
            "--spm",
            folder / "data-bin/sentencepiece.model",
            "--text",
            f"test={side}/test.en",
            "--out",
            out / "derived",
        ),
        "project --resume": lambda out: xalign(
            "project", "--src", folder / "spans.jsonl", "--model", model, "--out", out / "spans.jsonl", "--resume"
        ),
        "filter --resume": lambda out: xalign("filter", *texts, "--model", model, "--out", out / "kept", "--resume"),
        "trim": lambda out: xalign("trim", "--model", model, "--text", side / "test.en", "--out", out / "trimmed.pt"),
    }
    before = {"prepare --overwrite": old_data, "lexicon": old_data}
    return {
        name: Run(name, command, leaves, before=before.get(name, lambda out: None))
        for name, command in commands.items()
    }


def leaves(out: Path) -> dict[str, str]:
    """What files below a folder hold, by names: digests of files, parts of checkpoints, values of JSON files."""
    found = {}
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        name = str(path.relative_to(out))
        if path.suffix == ".pt":
            found |= {f"{name}, {part}": value for part, value in checkpoint_parts(path).items()}
        elif path.suffix == ".json":
            found |= {f"{name}, {key}": value for key, value in _values(json.loads(path.read_text())).items()}
        else:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return found


def _values(value: Any, name: str = "") -> dict[str, str]:
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return {key: each for at, below in items for key, each in _values(below, f"{name}/{at}").items()}
    return {name: repr(value)}


def train_options(data: Path, out: Path) -> list[str]:
    """fairseq-train's: XLM-Align's objectives, dropout, validation, a checkpoint after every fifth update."""
    options: dict[str, Any] = {
        "--user-dir": USER_DIR, "--task": "xalign_pretraining", "--criterion": "xlm_align", "--arch": "xalign_tiny",
        **SMALL, "--optimizer": "adam", "--lr": "1e-3", "--lr-scheduler": "polynomial_decay", "--clip-norm": 1,
        "--total-num-update": UPDATES, "--max-update": UPDATES, "--batch-size": 8, "--mono-batch-size": 4,
        "--mono-tokens-per-sample": 64, "--save-dir": out, "--num-workers": 0, "--seed": 3, "--log-format": "json",
        "--log-interval": 1, "--save-interval-updates": 5, "--keep-interval-updates": 2, "--epoch-items": 200,
        "--best-checkpoint-metric": "aer",
    }  # fmt: skip
    return [str(data), "--cpu", "--no-epoch-checkpoints", *(str(each) for item in options.items() for each in item)]


def checkpoint_parts(path: Path) -> dict[str, str]:
    """Digests of a checkpoint's parameters, of its optimizer's state, and of where it is in the data."""
    from xalign_fairseq.encoder.checkpoint import read

    state = read(path)
    extra = state.get("extra_state") or {}
    return {
        "parameters": digest(state["model"]),
        "optimizer": digest(state.get("last_optimizer_state")),
        "updates": digest(state.get("optimizer_history", [{}])[-1].get("num_updates")),
        "place in the data": digest(extra.get("train_iterator")),
        "best": digest(extra.get("best")),
    }


def digest(value: Any) -> str:
    """A hash of numbers, texts and tensors in dictionaries and lists, bit by bit."""
    found = hashlib.sha256()
    for each in _leaves(value):
        found.update(each)
    return found.hexdigest()[:16]


def _leaves(value: Any) -> Iterator[bytes]:
    import torch

    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield repr(key).encode()
            yield from _leaves(value[key])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    elif isinstance(value, torch.Tensor | np.ndarray):
        array = value.detach().contiguous() if isinstance(value, torch.Tensor) else torch.from_numpy(np.array(value))
        yield f"{array.dtype} {tuple(array.shape)}".encode()
        yield array.reshape(-1).view(torch.uint8).numpy().tobytes()
    else:
        yield repr(value).encode()


def files(folder: Path, *names: str) -> dict[str, str]:
    """Hashes of all files of a folder, or of some."""
    found = [folder / name for name in names] or [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in sorted(found)}


def _transferred(out: Path) -> dict[str, str]:
    result = next(out.rglob("result.json"))
    scores = json.loads(result.read_text(encoding="utf-8"))
    model = next(out.rglob("checkpoint_best.pt"))
    said = files(result.parent / "predictions")
    return {"scores": digest(scores["scores"]), **said, **checkpoint_parts(model)}


def _aligner(out: Path) -> dict[str, str]:
    result = json.loads((out / "result.json").read_text(encoding="utf-8"))
    same = {key: result[key] for key in ("updates", "aer", "before")}
    return {"result": digest(same), **checkpoint_parts(out / BEST)}
