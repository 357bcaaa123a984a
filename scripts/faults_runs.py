"""Small runs of many commands, for faults_operations.py and trace_calls.py, and a comparison of their files."""

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

XALIGN = (sys.executable, "-m", "xalign_fairseq")
SMALL = {"encoder_layers": 2, "encoder_embed_dim": 32, "encoder_ffn_embed_dim": 64, "encoder_attention_heads": 2,
         "max_positions": 128}  # fmt: skip
STUDY = """data: .
seeds: [4]
defaults: {lr: 1e-3, epochs: 6, batch_size: 8, warmup: 0, max_length: 64, overlap: 8, validate_every: 5}
tasks:
  pos:
    holdout: 0.2
    train: {en: train.conllu}
    test: {en: test.conllu}
"""
TEXTS = "--src {side}/test.en --tgt {side}/test.de"
DEV = "--valid-src {side}/valid.en --valid-tgt {side}/valid.de --valid-gold {side}/valid.gold"
STEPS = "--device cpu --lr 0.003 --patience 0 --updates 4 --validate-every 2"
PREPARE = """prepare --out {out}/data-bin --pair en-de --trainpref {side}/train --validpref {side}/valid
    --links {side}/valid.gold --mono en={in}/text/mono/train.en --vocab-size 600"""
# XLM-Align's objectives with dropout, validation, and a checkpoint every second update.
TRAIN = f"""{{in}}/data-bin --user-dir {USER_DIR} --task xalign_pretraining --criterion xlm_align --arch xalign_tiny
    {" ".join(f"--{name.replace('_', '-')} {value}" for name, value in SMALL.items())} --cpu --no-epoch-checkpoints
    --optimizer adam --lr 1e-3 --lr-scheduler polynomial_decay --clip-norm 1 --total-num-update 4 --max-update 4
    --batch-size 8 --mono-batch-size 4 --mono-tokens-per-sample 64 --save-dir {{out}}/run --num-workers 0 --seed 3
    --log-format json --log-interval 1 --save-interval-updates 2 --keep-interval-updates 2 --epoch-items 200
    --best-checkpoint-metric aer"""
COMMANDS = {
    "fairseq-train": TRAIN,
    "train": f"train {TRAIN}",
    "prepare --resume": f"{PREPARE} --resume",
    "prepare --overwrite": f"{PREPARE} --overwrite",
    "align --resume": f"align {TEXTS} --model {{model}} --resume --out {{out}}/links",
    "align --from-scratch": f"align {TEXTS} --from-scratch --out {{out}}/links",
    "align --statistics": f"align {TEXTS} --model {{model}} --statistics --out {{out}}/links",
    "train-aligner": f"train-aligner {TEXTS} {DEV} --model {{model}} {STEPS} --out {{out}}/aligner",
    "transfer": "transfer --study {in}/study.yaml --model tiny={model} --cpu --jobs 1 --keep-models --out {out}/study",
    "bench": "bench --data {in}/gold --model a={model} --out {out}/bench.md --quiet",
    "lexicon": "lexicon {out}/data-bin --pair en-de --from {in}/lexicon.tsv --overwrite",
    "derive": "derive --steps inversion,script --spm {in}/data-bin/sentencepiece.model --text test={side}/test.en "
    "--out {out}/derived",
    "project --resume": "project --src {in}/spans.jsonl --model {model} --out {out}/spans.jsonl --resume",
    "filter --resume": f"filter {TEXTS} --model {{model}} --out {{out}}/kept --resume",
    "trim": "trim --model {model} --text {side}/test.en --out {out}/trimmed.pt",
}
ON_DATA = ("prepare --overwrite", "lexicon")  # these start with an earlier data-bin
TRACED = {"prepare": "prepare --overwrite", "train-aligner": "train-aligner", "align": "align --resume",
          "transfer": "transfer"}  # fmt: skip


@dataclass(frozen=True)
class Run:
    """A command to kill and repeat, on an output folder that is empty or filled by ``before``."""

    name: str
    command: Callable[[Path], list[str]]
    before: Callable[[Path], object] = lambda out: None


def make_inputs(work: Path, call: Callable[[list[str]], object], pairs: int) -> None:
    """Make text, a data-bin and a study in ``work/in``, and an untrained ``work/model.pt``, unless they exist."""
    folder = work / "in"
    side = folder / "text/en-de"
    if (work / "model.pt").is_file():
        return
    call([*XALIGN, "sample", "--out", str(folder / "text"), "--pairs", str(pairs), "--valid", "24", "--test", "24",
          "--overwrite"])  # fmt: skip
    call(_filled(f"{PREPARE} --overwrite", work, folder))
    for split in ("train", "test"):
        lines = (side / f"{split}.en").read_text(encoding="utf-8").splitlines()[:80]
        (folder / f"{split}.conllu").write_text("".join(map(_conllu, lines)), encoding="utf-8")
    (folder / "lexicon.tsv").write_text("house\thaus\nking\tkönig\nriver\tfluss\nold\talt\n", encoding="utf-8")
    (folder / "gold").mkdir(exist_ok=True)
    for end in ("en", "de", "gold"):
        shutil.copy2(side / f"valid.{end}", folder / f"gold/en-de.{end}")
    both = [(side / f"test.{end}").read_text(encoding="utf-8").splitlines() for end in ("en", "de")]
    spans = (
        {"text": src, "translation": tgt, "spans": [[0, len(src.split()[0]), "W"]]}
        for src, tgt in zip(*both, strict=True)
    )
    (folder / "spans.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in spans), encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    _make_model(folder / "data-bin", work / "model.pt")


def _conllu(line: str) -> str:
    """Give each word a tag by its length."""
    rows = [f"{i}\t{word}\t_\t{('NOUN', 'VERB', 'ADJ')[len(word) % 3]}" for i, word in enumerate(line.split(), 1)]
    return "".join(row + "\t_" * 6 + "\n" for row in rows) + "\n"


def _make_model(databin: Path, path: Path) -> None:
    """An encoder with the tokenizer of a data-bin."""
    import torch

    from xalign_fairseq.data.databin import DataBin
    from xalign_fairseq.encoder.config import EncoderConfig
    from xalign_fairseq.encoder.transformer import Encoder
    from xalign_fairseq.encoder.vocabulary import tokenizer_state

    data = DataBin(databin)
    torch.manual_seed(1)
    encoder = Encoder(EncoderConfig(data.dictionary.embedding_size, **SMALL))
    state = {
        "model": {f"encoder.{name}": value for name, value in encoder.state_dict().items()},
        "cfg": {"model": SMALL, "task": {"data": str(data.path)}},
        "task_state": {"tokenizer": tokenizer_state(data.dictionary, data.tokenizer_model), "family": "none"},
        "optimizer_history": [{"num_updates": 0}],
    }
    torch.save(state, path)


def _filled(command: str, work: Path, out: Path) -> list[str]:
    folder = work / "in"
    places = {"in": folder, "side": folder / "text/en-de", "model": work / "model.pt", "out": out}
    return [*(FAIRSEQ_TRAIN if command == TRAIN else XALIGN), *(word.format(**places) for word in command.split())]


def operation_runs(work: Path) -> dict[str, Run]:
    """Every command by its name."""

    def old_data(out: Path) -> None:
        shutil.copytree(work / "in/data-bin", out / "data-bin")
        (out / "data-bin/old").write_text("of an earlier run")

    def run(name: str, command: str) -> Run:
        return Run(name, lambda out: _filled(command, work, out), *[old_data] * (name in ON_DATA))

    return {name: run(name, command) for name, command in COMMANDS.items()}


def sample_options(work: Path, out: Path) -> dict[str, list[str]]:
    """The options of the five commands that scripts/trace_calls.py follows."""
    found = {name: _filled(COMMANDS[run], work, out)[len(XALIGN) :] for name, run in TRACED.items()}
    return {"from_pretrained": [str(work / "model.pt")], **found}


def leaves(out: Path) -> dict[str, str]:
    """The content of the files in a folder, by name: digests of files, parts of checkpoints, values of JSON files."""
    from xalign_fairseq.encoder.checkpoint import read

    found = {}
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        name = str(path.relative_to(out))
        if path.suffix == ".pt":
            state = read(path)
            extra = state.get("extra_state") or {}
            parts = {
                "parameters": state["model"],
                "optimizer": state.get("last_optimizer_state"),
                "updates": state.get("optimizer_history", [{}])[-1].get("num_updates"),
                "place in the data": extra.get("train_iterator"),
                "best": extra.get("best"),
            }
            found |= {f"{name}, {part}": digest(value) for part, value in parts.items()}
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


def digest(value: Any) -> str:
    """A hash of numbers, texts and tensors in dictionaries and lists, exact to the bit."""
    found = hashlib.sha256()
    for each in _bytes(value):
        found.update(each)
    return found.hexdigest()[:16]


def _bytes(value: Any) -> Iterator[bytes]:
    import torch

    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            yield repr(key).encode()
            yield from _bytes(value[key])
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _bytes(each)
    elif isinstance(value, torch.Tensor | np.ndarray):
        array = value.detach().contiguous() if isinstance(value, torch.Tensor) else torch.from_numpy(np.array(value))
        yield f"{array.dtype} {tuple(array.shape)}".encode()
        yield array.reshape(-1).view(torch.uint8).numpy().tobytes()
    else:
        yield repr(value).encode()
