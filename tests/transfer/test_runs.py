import json
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from support.checkpoints import with_head
from support.processes import is_alive, wait_for

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.transfer import runs as transfer_runs
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.plan import build, open_checkpoint
from xalign_fairseq.transfer.run_spec import is_done
from xalign_fairseq.transfer.runs import job, make, summary, tidy
from xalign_fairseq.transfer.study import select, xtreme_study
from xalign_fairseq.transfer.task_record import TaskRecord


@pytest.fixture
def tested(transfer_encoder, tmp_path):
    """A function that returns the run of retrieval from sentences of these languages."""
    for language, sentences in (("de", ("das haus", "der hund")), ("fr", ("la maison", "le chien"))):
        (tmp_path / f"en-{language}.{language}").write_text("\n".join(sentences) + "\n")
        (tmp_path / f"en-{language}.en").write_text("the house\na dog\n")
    encoders = [open_checkpoint("tiny", transfer_encoder)]

    def run(*languages):
        (spec,) = build(select(xtreme_study(tmp_path, languages), ["tatoeba"]), encoders, cpu=True)
        return spec

    return run


def test_retrieval_needs_no_training(tested, tmp_path):
    spec, out = tested("de", "fr"), tmp_path / "out"
    job(spec, out, keep_models=False)
    assert not is_done(spec, out)  # a command may be interrupted before the job begins
    folder = spec.folder(out)
    make(folder / "spec.json")
    result = json.loads((folder / "result.json").read_text())
    assert list(result["scores"]) == list(result["items"]) == ["de", "fr"]
    with np.load(folder / "counts.npz") as counts:
        assert {name.partition("/")[0] for name in counts} == {"de", "fr"}
    assert sorted(path.name for path in (folder / "predictions").iterdir()) == ["de.jsonl", "fr.jsonl"]
    assert is_done(spec, out)
    assert result["made_by"]["checkpoint_digest"] == spec.checkpoint_digest
    assert str(tmp_path) not in str(result["made_by"])


@pytest.fixture
def finished(runs, tmp_path, monkeypatch):
    """A run tested on German without its model; training it again would fail."""
    (spec, _) = runs()
    spec = replace(spec, digests={**spec.digests, "test": {"de": spec.digests["test"]["de"]}})
    job(spec, tmp_path / "out", keep_models=False)
    folder = spec.folder(tmp_path / "out")
    kept = {"checkpoint": "enc", "task": "pairs", "benchmark": "xnli", "models": "one", "train_languages": ["en"]}
    result = {"format": 1, **kept, "seed": 3, "scores": {}, "items": {"de": 4}, "signatures": {}, "minutes": 1.0}
    write_json(folder / "result.json", result)
    np.savez(folder / "counts.npz")
    monkeypatch.setattr(transfer_runs, "_train", lambda *given: pytest.fail("trained again"))
    return spec


def test_a_finished_run_is_not_trained_again(finished, tmp_path):
    """Two commands that share their runs: the second one's job begins after the first one's."""
    folder = finished.folder(tmp_path / "out")
    before = (folder / "result.json").read_bytes()
    (folder / "checkpoints").mkdir()
    (folder / "checkpoints/checkpoint_last.pt").touch()  # the job was killed before it removed this
    make(folder / "spec.json")
    assert (folder / "result.json").read_bytes() == before
    assert not (folder / "checkpoints/checkpoint_last.pt").exists()


def test_another_commands_languages_do_not_hide_a_changed_test_file(tested, tmp_path, monkeypatch):
    """During the run, a command with fewer languages writes its own spec."""
    out, retrieve = tmp_path / "out", transfer_runs.evaluate_retrieval

    def interrupted(*given, **options):
        job(tested("de"), out, keep_models=False)
        return retrieve(*given, **options)

    monkeypatch.setattr(transfer_runs, "evaluate_retrieval", interrupted)
    both = tested("de", "fr")
    job(both, out, keep_models=False)
    make(both.folder(out) / "spec.json")
    assert is_done(both, out)
    (tmp_path / "en-fr.fr").write_text("e f\ng h\n")
    with pytest.raises(XalignError, match=r"digests of tests \(fr\)"):
        is_done(tested("de", "fr"), out)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_predictions_have_the_precision_of_training(precision, runs, transfer_encoder, tmp_path):
    (_, spec) = runs(checkpoints=[open_checkpoint("tiny", transfer_encoder)], precision=precision)
    folder = spec.folder(tmp_path / "out")
    job(spec, tmp_path / "out", keep_models=False)
    (folder / "checkpoints").mkdir()
    model = with_head(checkpoint.read(transfer_encoder), TaskRecord("xnli", ("entailment", "neutral"), Limits(32, 8)))
    torch.save(model, folder / "checkpoints/checkpoint_best.pt")
    write_json(folder / "trained.json", {"minutes": 0.0, "selection": None})  # so that it is only tested
    make(folder / "spec.json")
    signature = json.loads((folder / "result.json").read_text())["signatures"]["de"]["accuracy"]
    assert ("dtype:bfloat16" in signature) == (precision == "bf16")


@pytest.fixture
def begin(runs, tmp_path):
    """Start a job whose training is a program; return its process, the run's folder, and the training's process id."""

    def start(program):
        spec = runs()[0]
        folder = spec.folder(tmp_path / "out")
        job(spec, tmp_path / "out", keep_models=False)
        training = f"import os, signal, sys, time; {program}; print(os.getpid(), flush=True); time.sleep(60)"
        code = (
            "import sys; from xalign_fairseq.transfer import runs; from xalign_fairseq.trainer import launch; "
            f"runs.train_options = lambda *given: ['data']; launch.FAIRSEQ_TRAIN = (sys.executable, '-S', '-c', "
            f"{training!r}); sys.exit(runs.main(sys.argv[1:]))"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code, folder / "spec.json"], stderr=subprocess.PIPE, text=True
        )
        log = folder / "train.log"
        wait_for(lambda: log.is_file() and log.read_text().strip().isdigit(), 120)
        return process, folder, int(log.read_text())

    return start


def sessions(folder):
    return json.loads((folder / "training.json").read_text())["sessions"]


def test_progress_shows_the_score_of_the_study(write_run):
    counts = {"en": {"accuracy": [(1, 1)] * 4, "f1": [(1, 2, 1)] * 4}}
    for score, text in ((["f1"], "en f1 66.7"), ([], "en accuracy 100.0")):
        folder = write_run("a", counts, task="pos", made_by={"score": score}, seed=len(score))
        assert summary(folder) == text


def test_a_job_that_is_terminated_ends_its_training(begin):
    process, folder, pid = begin("pass")
    assert is_alive(pid)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143
    wait_for(lambda: not is_alive(pid))
    assert [each["exit"] for each in sessions(folder)] == [None]


def test_only_the_tested_model_is_kept(tmp_path):
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    for name in ("best", "last", "1_500"):
        (folder / f"checkpoint_{name}.pt").touch()
    save = folder
    tidy(save.parent, keep_models=True)
    assert [path.name for path in save.iterdir()] == ["checkpoint_best.pt"]
    tidy(save.parent, keep_models=False)
    assert not save.exists()
