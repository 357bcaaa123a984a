import json
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.processes import wait_for
from support.tiny_checkpoint import WORDS

from xalign_fairseq.cli import main
from xalign_fairseq.trainer.fairseq_train import FAIRSEQ_TRAIN
from xalign_fairseq.transfer.run_spec import RunSpec, train_options
from xalign_fairseq.transfer.runs import make

XALIGN = str(Path(sys.executable).parent / "xalign")
TAGS = ("NOUN", "VERB", "ADJ")
STUDY = """
data: .
seeds: [4]
defaults: {lr: 1e-2, epochs: 10, batch_size: 8, warmup: 0, max_length: 32, overlap: 8, dropout: 0, validate_every: 10}
tasks:
  pos:
    holdout: 0.2
    train: {en: train.conllu}
    test: {en: test.conllu, xx: unlabelled.tsv}
  pairs:
    benchmark: pawsx
    train: {en: pairs.tsv}
    valid: {en: pairs.tsv}
    test: {en: pairs.tsv}
"""


def sentences(count, seed):
    rng = random.Random(seed)
    return [rng.choices(WORDS, k=rng.randint(2, 8)) for _ in range(count)]


def conllu(words):
    rows = [f"{i}\t{word}\t_\t{TAGS[len(word) % 3]}\t_\t_\t_\t_\t_\t_" for i, word in enumerate(words, 1)]
    return "\n".join(rows) + "\n\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study with a tagger (the tag is the word's length modulo 3) and a task of pairs."""
    folder = tmp_path_factory.mktemp("transfer")
    (folder / "train.conllu").write_text("".join(map(conllu, sentences(60, 1))))
    (folder / "test.conllu").write_text("".join(map(conllu, sentences(20, 2))))
    (folder / "unlabelled.tsv").write_text("".join("\n".join(words) + "\n\n" for words in sentences(5, 3)))
    rows = [f"{' '.join(words)}\t{' '.join(words[::-1])}\t{len(words) % 2}\n" for words in sentences(30, 4)]
    (folder / "pairs.tsv").write_text("".join(rows))
    (folder / "study.yaml").write_text(STUDY)
    return folder


@pytest.fixture(scope="module")
def options(folder, tiny_checkpoint):
    """The command without ``--out``."""
    return ["transfer", "--study", str(folder / "study.yaml"), "--model", f"tiny={tiny_checkpoint}", "--cpu"]


@pytest.fixture(scope="module")
def finished(options, tmp_path_factory):
    """The folder of a tagger's run, which succeeded, and of pairs, which failed; and the command's output."""
    out = tmp_path_factory.mktemp("finished")
    broken = out / "runs/tiny/pairs/en/4"
    broken.mkdir(parents=True)
    (broken / "checkpoints").write_text("where fairseq needs a folder")
    command = [XALIGN, *options, "--out", out, "--jobs", "2", "--keep-models"]
    return out, subprocess.run(command, capture_output=True, text=True)


@pytest.mark.slow
def test_a_failed_run_is_reported_with_the_end_of_its_log_and_others_continue(finished):
    out, done = finished
    assert done.returncode == 1 and "1 done, 1 failed, 0 left" in done.stdout
    assert "a file is where a folder is needed" in done.stderr and "1 run failed: tiny/pairs/en/4" in done.stderr
    kept = [path.name for path in (out / "runs/tiny/pos/en/4/checkpoints").glob("[!.]*")]
    assert kept == ["checkpoint_best.pt"]


@pytest.mark.slow
def test_a_run_has_its_results(finished):
    run = finished[0] / "runs/tiny/pos/en/4"
    found = json.loads((run / "result.json").read_text())
    assert (found["task"], found["seed"], found["checkpoint"], found["train_languages"]) == ("pos", 4, "tiny", ["en"])
    assert found["train_examples"] == 48 and found["updates"] == 60 and "--seed 4" in found["command"]
    selection = found["selection"]
    assert (selection["language"], selection["holdout"]) == ("en", 0.2) and found["minutes"] > 0
    assert 0 < selection["score"] <= 1 and 1 <= selection["update"] <= 60
    predictions = [json.loads(line) for line in (run / "predictions/en.jsonl").read_text().splitlines()]
    pairs = [(mine, gold) for each in predictions for mine, gold in zip(each["prediction"], each["gold"], strict=True)]
    accuracy = sum(mine == gold for mine, gold in pairs) / len(pairs)
    assert found["scores"]["en"]["accuracy"] == pytest.approx(accuracy)
    assert accuracy > 0.5  # it learns: a third is chance
    counts = np.load(run / "counts.npz")
    assert counts["en/accuracy"].shape == (20, 2) and counts["en/accuracy"][:, 0].sum() / len(pairs) == accuracy
    assert "sha256-" in found["signatures"]["en"]["accuracy"]
    # A test without labels has predictions and no score.
    assert "xx" not in found["scores"] and "xx" not in found["signatures"] and found["items"]["xx"] == 5
    predictions = [json.loads(line) for line in (run / "predictions/xx.jsonl").read_text().splitlines()]
    assert len(predictions) == 5 and all(each["gold"] is None and each["prediction"] for each in predictions)
    assert not any(key.startswith("xx/") for key in counts)


@pytest.mark.slow
def test_a_second_call_does_nothing(finished, options, capsys):
    out, _ = finished
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    assert main([*options, "--out", str(out), "--tasks", "pos"]) == 0
    assert "1 run, 1 of them done" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_an_interrupted_training_ends_like_an_uninterrupted_one(finished, tmp_path):
    run, once = tmp_path / "run", finished[0] / "runs/tiny/pos/en/4"
    run.mkdir()
    shutil.copy(once / "spec.json", run)
    half = [*train_options(RunSpec.read(run / "spec.json"), run / "checkpoints"), "--max-update", "25"]
    subprocess.run([*FAIRSEQ_TRAIN, *half], check=True, capture_output=True)
    make(run / "spec.json")
    assert "@ 25 updates" in (run / "train.log").read_text()  # fairseq's message after resuming
    mine, theirs = (json.loads((folder / "result.json").read_text()) for folder in (run, once))
    assert mine["scores"] == theirs["scores"] and mine["selection"] == theirs["selection"]
    for name in ("predictions/en.jsonl", "predictions/xx.jsonl"):
        assert (run / name).read_text() == (once / name).read_text()
    assert not list(run.rglob("*.pt"))  # models are removed


@pytest.mark.slow
def test_an_interrupted_command_ends_its_run(options, tmp_path):
    run = tmp_path / "runs/tiny/pos/en/4"
    driver = subprocess.Popen(
        [XALIGN, *options, "--tasks", "pos", "--out", tmp_path],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background jobs, such as these tests, with interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_for(lambda: (run / "train.log").exists() or driver.poll() is not None, 120)
    driver.send_signal(signal.SIGINT)
    _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 130 and "continues from here" in errors
    assert (run / "spec.json").exists() and not (run / "result.json").exists()


def test_a_dry_run_prints_commands_and_writes_nothing(options, tmp_path, capsys):
    assert main([*options, "--bf16", "--dry-run", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert "2 runs, 0 of them done" in printed
    assert printed.count("fairseq-train ") == printed.count("--autocast yes") == 2
    assert "pos: train en (48 examples, 60 updates); select on 0.2 held out" in printed
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--model", "justapath.pt"], "NAME=PATH"),
        (["--model", "tiny=other.pt"], "two models have the same name"),
        (["--tasks", "poss"], "expected: pos?"),
    ],
)
def test_mistakes_are_reported_before_any_run(options, extra, message, tmp_path, capsys):
    assert main([*options, "--out", str(tmp_path / "out"), *extra]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "out").exists()
