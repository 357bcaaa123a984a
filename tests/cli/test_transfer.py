"""``xalign transfer`` from end to end on hand-made tasks: scores, resumption, failures, retrieval, a dry run."""

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.tiny_checkpoint import WORDS

from xalign_fairseq.cli import main
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.trainer.fairseq_train import FAIRSEQ_TRAIN
from xalign_fairseq.transfer.run_spec import RunSpec, train_options

XALIGN = str(Path(sys.executable).parent / "xalign")
TAGS = ("NOUN", "VERB", "ADJ")
STUDY = """
data: .
seeds: [4, 7]
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
    """The folder of four undisturbed runs, and the command's output."""
    out = tmp_path_factory.mktemp("finished")
    done = subprocess.run([XALIGN, *options, "--out", out, "--jobs", "2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return out, done.stdout


def result(out, task, seed):
    return json.loads((out / f"runs/tiny/{task}/en/{seed}/result.json").read_text())


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_every_run_has_its_results(finished, folder):
    out, printed = finished
    assert "4 done, 0 failed, 0 left" in printed
    for task, seed in (("pos", 4), ("pos", 7), ("pairs", 4), ("pairs", 7)):
        found = result(out, task, seed)
        assert (found["task"], found["seed"], found["checkpoint"]) == (task, seed, "tiny")
        assert found["train_languages"] == ["en"]
        assert found["minutes"] > 0 and found["selection"]["language"] == "en"
        assert f"--seed {seed}" in found["command"]
    found = result(out, "pos", 4)
    assert found["train_examples"] == 48 and found["updates"] == 60
    assert found["selection"]["holdout"] == 0.2 and 0 < found["selection"]["score"] <= 1
    assert 1 <= found["selection"]["update"] <= 60
    assert not list(out.rglob("*.pt"))  # models are removed


@pytest.mark.slow
def test_counts_and_predictions_give_the_score(finished):
    out, _ = finished
    run = out / "runs/tiny/pos/en/4"
    predictions = lines(run / "predictions/en.jsonl")
    pairs = [(mine, gold) for each in predictions for mine, gold in zip(each["prediction"], each["gold"], strict=True)]
    accuracy = sum(mine == gold for mine, gold in pairs) / len(pairs)
    assert result(out, "pos", 4)["scores"]["en"]["accuracy"] == pytest.approx(accuracy)
    assert accuracy > 0.5  # it learns: a third is chance
    counts = np.load(run / "counts.npz")["en/accuracy"]
    assert counts.shape == (20, 2) and counts[:, 0].sum() / counts[:, 1].sum() == pytest.approx(accuracy)
    assert "sha256-" in result(out, "pos", 4)["signatures"]["en"]["accuracy"]


@pytest.mark.slow
def test_a_test_without_labels_has_predictions_and_no_score(finished):
    out, _ = finished
    found = result(out, "pos", 7)
    assert "xx" not in found["scores"] and "xx" not in found["signatures"] and found["items"]["xx"] == 5
    predictions = lines(out / "runs/tiny/pos/en/7/predictions/xx.jsonl")
    assert len(predictions) == 5 and all(each["gold"] is None and each["prediction"] for each in predictions)
    assert not any(key.startswith("xx/") for key in np.load(out / "runs/tiny/pos/en/7/counts.npz"))


@pytest.mark.slow
def test_a_second_call_does_nothing(finished, options):
    out, _ = finished
    models = out / "runs/tiny/pos/en/4/checkpoints"
    models.mkdir()
    (models / "checkpoint_best.pt").write_text("kept by a command with --keep-models")
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    done = subprocess.run([XALIGN, *options, "--out", out], capture_output=True, text=True)
    assert done.returncode == 0 and "4 runs, 4 of them done" in done.stdout
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} == before
    shutil.rmtree(models)


@pytest.mark.slow
@pytest.mark.parametrize("damaged", [False, True], ids=["whole", "last one damaged"])
def test_an_interrupted_training_ends_like_an_uninterrupted_one(finished, options, tmp_path, damaged):
    out, _ = finished
    run, once = tmp_path / "runs/tiny/pos/en/4", out / "runs/tiny/pos/en/4"
    run.mkdir(parents=True)
    shutil.copy(once / "spec.json", run)
    half = [*train_options(RunSpec.read(run / "spec.json"), run / "checkpoints"), "--max-update", "25"]
    subprocess.run([*FAIRSEQ_TRAIN, *half], check=True, capture_output=True)
    best, last = (run / f"checkpoints/checkpoint_{name}.pt" for name in ("best", "last"))
    if damaged:  # as after a kill during copying; the best one is complete
        last.write_bytes(last.read_bytes()[:2000])
    updates = updates_of(best if damaged else last)
    command = [XALIGN, *options, "--tasks", "pos", "--seeds", "4", "--out", tmp_path]
    assert subprocess.run(command, capture_output=True).returncode == 0
    log = (run / "train.log").read_text()
    assert f"@ {updates} updates" in log  # fairseq's message after resuming
    mended = rf"last\.pt is damaged: checkpoint_\w+\.pt, of update {updates}, takes its place"
    assert bool(re.search(mended, log)) == damaged and (damaged or updates == 25)
    mine, theirs = result(tmp_path, "pos", 4), result(out, "pos", 4)
    assert mine["scores"] == theirs["scores"] and mine["selection"] == theirs["selection"]
    for language in ("en", "xx"):
        name = f"predictions/{language}.jsonl"
        assert (run / name).read_text() == (once / name).read_text()


@pytest.mark.slow
def test_an_interrupted_command_resumes(options, tmp_path):
    command = [XALIGN, *options, "--tasks", "pos", "--out", tmp_path]
    first = tmp_path / "runs/tiny/pos/en/4"
    driver = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background jobs, such as these tests, with interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until = time.monotonic() + 120
    while not (first / "train.log").exists() and driver.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    driver.send_signal(signal.SIGINT)  # during the first of two runs
    _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 130 and "continues from here" in errors
    assert not (tmp_path / "runs/tiny/pos/en/7/result.json").exists()
    assert subprocess.run(command, capture_output=True).returncode == 0
    assert result(tmp_path, "pos", 4)["scores"] and result(tmp_path, "pos", 7)["items"]


@pytest.mark.slow
def test_a_failed_run_is_reported_with_the_end_of_its_log_and_others_continue(options, tmp_path):
    broken = tmp_path / "runs/tiny/pairs/en/4"
    broken.mkdir(parents=True)
    (broken / "checkpoints").write_text("where fairseq needs a folder")
    command = [XALIGN, *options, "--tasks", "pairs", "--out", tmp_path, "--keep-models", "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "a file is where a folder is needed" in done.stderr and "1 run failed: tiny/pairs/en/4" in done.stderr
    assert result(tmp_path, "pairs", 7)["scores"]
    kept = [path.name for path in (tmp_path / "runs/tiny/pairs/en/7/checkpoints").glob("[!.]*")]
    assert kept == ["checkpoint_best.pt"]


def test_retrieval_needs_no_training(options, folder, tmp_path):
    (folder / "en-de.de").write_text("".join(" ".join(words) + "\n" for words in sentences(12, 5)))
    (folder / "en-de.en").write_text("".join(" ".join(words) + "\n" for words in sentences(12, 5)))
    (folder / "retrieval.yaml").write_text("data: .\ntasks:\n  tatoeba: {languages: [de], settings: {layer: 1}}\n")
    assert main([*options, "--study", str(folder / "retrieval.yaml"), "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "runs/tiny/tatoeba/none/0/result.json").read_text())
    assert found["scores"]["de"]["accuracy"] == 1.0  # each sentence finds itself
    assert (
        found["train_languages"] == []
        and found["selection"] is None
        and "layer:1" in next(iter(found["signatures"]["de"].values()))
    )


def test_a_dry_run_prints_commands_and_writes_nothing(options, tmp_path, capsys):
    assert main([*options, "--dry-run", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert "4 runs, 0 of them done" in printed and printed.count("fairseq-train ") == 4
    assert "pos: train en (48 examples, 60 updates); select on 0.2 held out" in printed
    assert not (tmp_path / "out").exists()


def test_a_dry_run_prints_the_path_of_a_conversion(options, tiny_checkpoint, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        "xalign_fairseq.transfer.checkpoints.convert",
        lambda folder, target, overwrite: shutil.copy(tiny_checkpoint, target),
    )
    out = tmp_path / "out"
    (tmp_path / "hf").mkdir()
    (tmp_path / "hf/config.json").write_text("{}")
    assert main([*options, "--model", f"hf={tmp_path / 'hf'}", "--dry-run", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert printed.count(f"--init-checkpoint {out}/checkpoints/hf.pt ") == 4
    assert printed.count(f"--init-checkpoint {tiny_checkpoint} ") == 4 and not out.exists()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--model", "justapath.pt"], "NAME=MODEL"),
        (["--model", "tiny=other.pt"], "need different names"),
        (["--tasks", "poss"], "expected: pos?"),
    ],
)
def test_mistakes_are_reported_before_any_run(options, extra, message, tmp_path, capsys):
    assert main([*options, "--out", str(tmp_path / "out"), *extra]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "out").exists()
