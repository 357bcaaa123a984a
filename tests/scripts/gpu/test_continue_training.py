"""The stage models: what is trained, how long, what is told of it, and a run from end to end."""

import argparse
import json
import sys
import time
from pathlib import Path

import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint


@pytest.fixture
def models(gpu_script):
    return gpu_script("continue_training")


def arguments(databin, out, **other):
    given = {"data": databin, "out": out, "minutes": 1.0, "model": None, "device": "cpu", "extra": [], **other}
    return argparse.Namespace(**given)


def test_the_log_is_read_by_updates_and_pairs(models):
    def row(kind, **values):
        return f"2026-11-22 16:24:32 | INFO | {kind} | {json.dumps({k: str(v) for k, v in values.items()})}"

    def valid(updates, de, fr):
        aer = {"valid_aer_en-de": de, "valid_aer_en-fr": fr, "valid_aer": (de + fr) / 2}
        return row("valid", epoch=1, valid_num_updates=updates, valid_loss=3.5, **aer)

    lines = [
        valid(1, 0.7, 0.6),
        row("train_inner", epoch=1, num_updates=10, loss=9.1, mlm_loss=4, wps=900, lr=0.1),
        valid(20, 0.5, 0.4),
        row("train_inner", epoch=1, num_updates=30, loss=8.1, mlm_loss=3, wps=901, lr=0.1),
        "2026-11-22 16:24:32 | INFO | fairseq.trainer | begin training epoch 1",
        '2026-11-22 16:24:32 | INFO | valid | {"epoch": 1, "valid_lo',
        valid(20, 0.45, 0.35),  # of a run that went on from update 1
    ]
    validations, inner = models.read_log(lines)
    assert validations == [
        {"updates": 1, "loss": 3.5, "aer": {"en-de": 0.7, "en-fr": 0.6}},
        {"updates": 20, "loss": 3.5, "aer": {"en-de": 0.45, "en-fr": 0.35}},
    ]
    assert inner[0] == {"updates": 10, "loss": 9.1, "mlm_loss": 4.0, "wps": 900.0} and len(inner) == 2
    assert models.curves(validations) == {"en-de": [(1, 0.7), (20, 0.45)], "en-fr": [(1, 0.6), (20, 0.35)]}


def test_without_the_model_a_small_random_one_is_trained_and_named(models, databin, tmp_path):
    options, said = models.options(arguments(databin, tmp_path, model=tmp_path / "encoder.bin"), tmp_path)
    assert said == "small, random weights" and options["--arch"] == "xalign_small"
    assert options["--cpu"] is True and options["--bf16"] is False and "--init-checkpoint" not in options
    on_gpu, _ = models.options(arguments(databin, tmp_path, device="cuda"), tmp_path)
    assert on_gpu["--bf16"] is True and on_gpu["--cpu"] is False and on_gpu["--max-tokens"] == 16384


def test_a_model_has_the_layer_and_the_pointer_of_its_family(models, databin, monkeypatch, tmp_path):
    from xalign_fairseq.encoder.config import EncoderConfig

    encoder = argparse.Namespace(config=EncoderConfig(vocab_size=60))
    state = {"task_state": {"family": "e5-small"}}
    monkeypatch.setattr(models, "read_pretrained", lambda path: (state, Path(path)))
    monkeypatch.setattr(models.checkpoint, "load_encoder", lambda state, where: (encoder, {}))
    (tmp_path / "e5.bin").touch()
    options, said = models.options(arguments(databin, tmp_path, model=tmp_path / "e5.bin"), tmp_path)
    assert said == "e5-small, 60 ids" and options["--init-checkpoint"] == tmp_path / "e5.bin"
    assert (options["--dwa-label-layer"], options["--dwa-layer"], options["--dwa-pointer-start"]) == (7, 7, "identity")
    state["task_state"] = {"family": "xlm-r-base"}
    options, _ = models.options(arguments(databin, tmp_path, model=tmp_path / "e5.bin"), tmp_path)
    assert options["--dwa-label-layer"] is None


def test_text_without_gold_links_is_refused(models, databin, monkeypatch, tmp_path):
    monkeypatch.setattr(models.DataBin, "links", lambda self, split, src, tgt: None)
    with pytest.raises(XalignError, match="no gold links of validation text"):
        models.options(arguments(databin, tmp_path), tmp_path)


@pytest.fixture
def runs(models, monkeypatch):
    """The options that fairseq-train would be run with; each leaves a checkpoint."""
    lines = []

    def run(line, save):
        lines.append(line)
        state = {
            "model": {},
            "extra_state": {"previous_training_time": 36.0},
            "optimizer_history": [{"num_updates": 1}],
        }
        torch.save(state, save / "checkpoint_last.pt")

    monkeypatch.setattr(models, "_run", run)
    return lines


def test_one_update_tells_of_the_model_as_it_is_then_time_limits(models, runs, databin, tmp_path):
    args = arguments(databin, tmp_path, extra=["--lr", "1"])
    line = models.train(args, tmp_path, {"--cpu": True}, time.monotonic() + 100)
    first, second = runs
    assert first[:4] == [str(databin), "--cpu", "--lr", "1"] and first[first.index("--max-update") + 1] == "1"
    assert first[first.index("--validate-interval-updates") + 1] == "1"
    assert second is line and "--max-update" not in second
    hours = float(second[second.index("--stop-time-hours") + 1])
    assert 36 + 95 < 3600 * hours < 36 + 100.1  # what it has trained before counts
    # Run again it goes on at once; and without time it doesn't.
    models.train(args, tmp_path, {"--cpu": True}, time.monotonic() + models.STARTING + 50)
    assert len(runs) == 3 and 3600 * float(runs[2][-1]) == pytest.approx(36 + 50, abs=3)
    models.train(args, tmp_path, {"--cpu": True}, time.monotonic() + 10)
    assert len(runs) == 3


@pytest.mark.slow
def test_a_run_leaves_a_model_a_curve_and_a_picture(models, databin, monkeypatch, tmp_path):
    sizes = ["--encoder-layers", "2", "--encoder-embed-dim", "32", "--encoder-ffn-embed-dim", "64"]
    out = tmp_path / "out"
    line = ["continue_training.py", databin, out, "--minutes", "0.01", "--", *sizes, "--max-tokens", "256"]
    monkeypatch.setattr(sys, "argv", list(map(str, line)))
    models.main()
    found = json.loads((out / "models.json").read_text())
    assert found["model"] == "small, random weights" and found["updates"] == 1 and found["device"] == "cpu"
    [row] = found["validation"]
    assert row["updates"] == 1 and set(row["aer"]) == {"en-de", "en-fr"} and 0 < row["aer"]["en-de"] <= 1
    assert (out / "models.png").read_bytes().startswith(b"\x89PNG")
    assert found["checkpoint"]["files"] == ["model.pt"] and found["checkpoint"]["updates"] == 1
    encoder, heads = checkpoint.load_encoder(checkpoint.read(out / "model.pt"))
    assert encoder.config.encoder_embed_dim == 32 and "heads.dwa.pointer.query.weight" in heads
