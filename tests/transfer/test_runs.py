"""A run's files: models that are kept or removed, languages that are added."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest
import torch
from alive import is_alive, wait_for
from untrained import with_head

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.errors import XalignError
from xalign_fairseq.json_files import write_json
from xalign_fairseq.transfer.family import Limits
from xalign_fairseq.transfer.grid import build, open_checkpoint
from xalign_fairseq.transfer.run_spec import is_done
from xalign_fairseq.transfer.runs import job, make, summary, tidy
from xalign_fairseq.transfer.spec import TransferSpec
from xalign_fairseq.transfer.study import select, xtreme_study


@pytest.fixture
def save(tmp_path):
    """A folder of checkpoints."""
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    for name in ("best", "last", "1_500"):
        (folder / f"checkpoint_{name}.pt").touch()
    return folder


def test_the_tested_model_alone_is_kept(save):
    tidy(save.parent, keep_models=True)
    assert [path.name for path in save.iterdir()] == ["checkpoint_best.pt"]
    tidy(save.parent, keep_models=False)
    assert not save.exists()


def test_summary_names_the_first_metric_of_each_language():
    scores = {"en": {"f1": 0.5, "em": 0.25}, "de": {"f1": 0.125, "em": 0.0}}
    assert summary({"scores": scores}) == "en f1 50.0, de f1 12.5"
    assert summary({"scores": {}}) == "without labels"


def test_a_language_is_added_to_a_finished_run(transfer_encoder, tmp_path):
    for language, sentences in (("de", ("das haus", "der hund")), ("fr", ("la maison", "le chien"))):
        (tmp_path / f"en-{language}.{language}").write_text("\n".join(sentences) + "\n")
        (tmp_path / f"en-{language}.en").write_text("the house\na dog\n")
    out, encoders = tmp_path / "out", [open_checkpoint("tiny", transfer_encoder, tmp_path)]
    for languages in (["de"], ["fr"]):
        (spec,) = build(select(xtreme_study(tmp_path, languages), ["tatoeba"]), encoders, cpu=True)
        job(spec, out, keep_models=False)
        assert not is_done(spec, out)  # a command may be broken off before the job begins
        make(spec.folder(out) / "spec.json")
    folder = spec.folder(out)
    result = json.loads((folder / "result.json").read_text())
    assert list(result["scores"]) == list(result["items"]) == ["de", "fr"]
    with np.load(folder / "counts.npz") as counts:
        assert {name.partition("/")[0] for name in counts} == {"de", "fr"}
    assert sorted(path.name for path in (folder / "predictions").iterdir()) == ["de.jsonl", "fr.jsonl"]
    (both,) = build(select(xtreme_study(tmp_path, ["de", "fr"]), ["tatoeba"]), encoders, cpu=True)
    assert is_done(both, out)
    assert result["made_by"]["checkpoint_digest"] == encoders[0].digest and str(tmp_path) not in str(result["made_by"])


def compressed_otherwise(whole):
    """A file whose list of contents names a compression that Python does not know."""
    place = whole.index(b"PK\x01\x02") + 10
    return whole[:place] + b"\x63" + whole[place + 1 :]


@pytest.mark.parametrize(
    "damage", [lambda whole: whole[:-40], lambda whole: b"", lambda whole: None, compressed_otherwise]
)
def test_a_language_is_not_added_to_damaged_counts(damage, transfer_encoder, tmp_path):
    (tmp_path / "en-de.de").write_text("das haus\nder hund\n")
    (tmp_path / "en-de.en").write_text("the house\na dog\n")
    study = select(xtreme_study(tmp_path, ["de"]), ["tatoeba"])
    (spec,) = build(study, [open_checkpoint("tiny", transfer_encoder, tmp_path)], cpu=True)
    folder = spec.folder(tmp_path / "out")
    job(spec, tmp_path / "out", keep_models=False)
    make(folder / "spec.json")
    counts = folder / "counts.npz"
    damaged = damage(counts.read_bytes())
    counts.unlink() if damaged is None else counts.write_bytes(damaged)
    with pytest.raises(XalignError, match=r"counts can't be read[\s\S]*counts.npz[\s\S]*make the run again"):
        make(folder / "spec.json")


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_predictions_have_the_precision_of_training(precision, runs, transfer_encoder, tmp_path):
    (_, spec) = runs(checkpoints=[open_checkpoint("tiny", transfer_encoder, tmp_path)], precision=precision)
    folder = spec.folder(tmp_path / "out")
    job(spec, tmp_path / "out", keep_models=False)
    (folder / "checkpoints").mkdir()
    model = with_head(checkpoint.read(transfer_encoder), TransferSpec("xnli", ("entailment", "neutral"), Limits(32, 8)))
    torch.save(model, folder / "checkpoints/checkpoint_best.pt")
    write_json(folder / "trained.json", {"minutes": 0.0, "selection": None})  # so that it is only tested
    make(folder / "spec.json")
    signature = json.loads((folder / "result.json").read_text())["signatures"]["de"]["accuracy"]
    assert ("dtype:bfloat16" in signature) == (precision == "bf16")


def test_a_job_that_is_terminated_ends_its_training(runs, tmp_path):
    spec = runs()[0]
    folder = spec.folder(tmp_path / "out")
    job(spec, tmp_path / "out", keep_models=False)
    training = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    code = (
        "import sys; from xalign_fairseq.transfer import runs; runs.train_options = lambda *given: []; "
        f"runs.FAIRSEQ_TRAIN = [sys.executable, '-S', '-c', {training!r}]; sys.exit(runs.main(sys.argv[1:]))"
    )
    process = subprocess.Popen([sys.executable, "-c", code, folder / "spec.json"])
    log = folder / "train.log"
    wait_for(lambda: log.is_file() and log.read_text().endswith("\n"), 120)
    pid = int(log.read_text())
    assert is_alive(pid)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 143
    wait_for(lambda: not is_alive(pid))
