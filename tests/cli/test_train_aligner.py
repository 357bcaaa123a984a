import json
import re
from functools import partial
from pathlib import Path

import pytest
import torch
from support.launched import put_lines
from support.text import train_symbols, write_bert

from xalign_fairseq.aligner.training import gold
from xalign_fairseq.aligner.training.scorer_fitting import Fitting
from xalign_fairseq.cli import build_parser, main
from xalign_fairseq.cli.train_aligner import parse
from xalign_fairseq.links.aer import score
from xalign_fairseq.links.gold import read_gold
from xalign_fairseq.links.pharaoh import read_links


@pytest.fixture(scope="module")
def fairseq(command):
    """Replaces a process of fairseq-train, which starts slowly; adds its output to the log in the same way."""

    def output(line, log, held=()):
        done = command("fairseq-train", *line)
        with open(log, "a") as stream:
            stream.write(done.stdout + done.stderr)
        yield from (done.stdout + done.stderr).splitlines(keepends=True)

    return output


@pytest.fixture(scope="module")
def call(tiny_checkpoint, tiny_text, fairseq):
    """Runs the command on the small text, which is also the development set; returns the exit code."""
    text = ["--src", tiny_text / "text.en", "--tgt", tiny_text / "text.xx"]
    dev = ["--valid-src", text[1], "--valid-tgt", text[3], "--valid-gold", tiny_text / "text.gold"]

    def train(out, *options, dev=dev, output=fairseq):
        training = ["--updates", 12, "--validate-every", 4, "--lr", 0.003, "--device", "cpu", "--out", out]
        line = ["train-aligner", "--model", tiny_checkpoint, *text, *dev, *training, *options]
        with pytest.MonkeyPatch.context() as patch:
            if output:
                put_lines(patch, output)
            return main([str(each) for each in line])

    return train


@pytest.fixture(scope="module")
def trained(call, fairseq, tmp_path_factory):
    """A run that was interrupted after its first checkpoint and then completed, with both exit codes."""
    out = tmp_path_factory.mktemp("aligner") / "run"

    def broken_off(line, log, held=()):
        yield from fairseq([*line, "--max-update", "4"], log)
        raise KeyboardInterrupt

    return out, [call(out, output=broken_off), call(out)]


@pytest.mark.slow
def test_an_interrupted_run_resumes_with_its_optimiser(trained):
    out, codes = trained
    assert codes == [130, 0]
    log = (out / "train.log").read_text()
    assert re.findall(r"Loaded checkpoint \S+checkpoint_last\.pt \(epoch \d+ @ (\d+) updates\)", log) == ["4"]
    assert re.findall(r'"valid_num_updates": "(\d+)"', log)[-1] == "12"
    last = torch.load(out / "checkpoint_last.pt", weights_only=False)
    assert last["optimizer_history"][-1]["num_updates"] == 12
    assert {int(each["step"]) for each in last["last_optimizer_state"]["state"].values()} == {12}
    assert not list(out.glob("checkpoint_1_*")) + list(out.glob("checkpoint_2_*"))


@pytest.mark.slow
def test_the_aligner_has_the_aer_that_the_run_reports(trained, tiny_text, tmp_path, capsys):
    out, _ = trained
    result = json.loads((out / "result.json").read_text())
    assert result["checkpoint"] == str(out / "checkpoint_best.pt")
    text = ["--src", str(tiny_text / "text.en"), "--tgt", str(tiny_text / "text.xx")]
    assert main(["align", "--model", str(out), *text, "--out", str(tmp_path / "links"), "--quiet"]) == 0
    found = score(read_links(tmp_path / "links"), read_gold(tiny_text / "text.gold")).aer
    assert found == pytest.approx(result["aer"], abs=1e-12)
    assert result["before"] != result["aer"]


@pytest.mark.slow
def test_a_finished_run_is_kept_and_prints_its_result_again(trained, call, capsys):
    out, _ = trained
    log = (out / "train.log").read_bytes()
    assert call(out, "--workers", 2) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\S+checkpoint_best\.pt, update \d+: AER \d+\.\d\d, before training \d+\.\d\d", lines[0])
    assert lines[-1] == f"next: xalign align --model {out} --src FILE --tgt FILE --out FILE.links"
    assert (out / "train.log").read_bytes() == log


@pytest.mark.slow
def test_a_model_like_bert_learns_from_links_without_development_set(call, tiny_text, tmp_path, capsys):
    pytest.importorskip("tokenizers")
    text = [str(tiny_text / f"text.{side}") for side in ("en", "xx")]
    bert = tmp_path / "bert.pt"
    write_bert(bert, train_symbols(Path(text[0]).read_text().splitlines()))
    options = ["--model", bert, "--links", tiny_text / "text.gold", "--updates", 3]
    options += ["--objectives", "dwa,word_contrastive"]
    assert call(tmp_path / "run", *options, "--", "--word-contrastive-negatives", "strong", dev=[]) == 0
    assert f"{tmp_path}/run/checkpoint_last.pt, update 3\n" in capsys.readouterr().out
    state = torch.load(tmp_path / "run/checkpoint_last.pt", weights_only=False)
    chosen = state["cfg"]["criterion"]
    assert (chosen["dwa_label_by"], chosen["word_contrastive_negatives"]) == ("pointer", "strong")
    assert state["cfg"]["model"]["layer_norm_eps"] == 1e-12
    line = ["align", "--model", tmp_path / "run", "--src", text[0], "--tgt", text[1], "--out", tmp_path / "links"]
    assert main([str(each) for each in line]) == 0
    assert "pointer" in capsys.readouterr().err
    assert any(read_links(tmp_path / "links"))


@pytest.mark.slow
def test_self_training_writes_an_aligner_with_its_labelling(call, tiny_text, tmp_path, capsys):
    out = tmp_path / "run"
    assert call(out, "--objectives", "so", "--layer", 2, "--freeze-layers", 0, "--warmup", 2, "--updates", 4) == 0
    state = torch.load(out / "checkpoint_last.pt", weights_only=False)
    labelling = state["task_state"]["labelling"]
    assert labelling["method"]["name"] == "argmax" and labelling["layers"] == {"hidden": 2}
    assert state["cfg"]["criterion"]["objectives"] == "self_training"
    text = ["--src", str(tiny_text / "text.en"), "--tgt", str(tiny_text / "text.xx")]
    assert main(["align", "--model", str(out), *text, "--out", str(tmp_path / "links")]) == 0
    told = capsys.readouterr().err
    assert "layer 2 of 3" in told and "separate" in told and "argmax" in told
    found = score(read_links(tmp_path / "links"), read_gold(tiny_text / "text.gold")).aer
    assert found == pytest.approx(json.loads((out / "result.json").read_text())["aer"], abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "nowhere.pt"], "nowhere.pt"),
        (["--layer", "4"], "--layer"),
        (["--src", "nowhere.en"], "nowhere.en"),
        (["--src", "short.xx", "--tgt", "short.xx", "--languages", "en-xx"], "both sides are the same text"),
        (["--languages", "en-en"], "one language only"),
        (["--", "--no-such-option"], "unrecognized arguments: --no-such-option"),
        (["--tgt", "short.xx"], "different numbers of lines"),
        (["--links", "short.xx"], "different numbers of lines"),
    ],
)
def test_bad_input_is_refused_before_training(call, tmp_path, monkeypatch, capsys, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short.xx").write_text("0-0\n")
    assert call(tmp_path / "run", *options) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run/run.json").exists()


@pytest.mark.slow
def test_a_failed_training_shows_the_reason(call, tmp_path, capsys):
    assert call(tmp_path / "run", "--updates", 1, "--", "--max-pair-length", 4, output=None) == 2
    error = capsys.readouterr().err
    assert re.search(r"error: .*within the length limits[\s\S]*\n  log: .*/run/train\.log\n$", error)
    assert "Traceback" not in error and error.count("error") == 1


def test_given_options_are_used_and_others_may_follow_the_model():
    line = ["train-aligner", "--model", "m", "--src", "a.de", "--tgt", "a.en", "--out", "run", "--freeze-layers", "-1"]
    run = parse(build_parser().parse_args([*line, "--objectives", "so, dwa", "--", "--bf16"]))
    assert (run.freeze_layers, run.objectives, run.extra) == (None, ("self_training", "dwa"), ("--bf16",))
    assert {"freeze_layers", "objectives"} <= run.chosen and not {"lr", "layer", "updates"} & set(run.chosen)


def test_quiet_is_warnings_and_the_result(call, tmp_path, monkeypatch, capsys):
    def trained(training, say, hear):
        for line in ("preparing a, b", "warning: words that are not known"):
            say(line)
        hear('... | valid | {"valid_aer": "0.5", "valid_num_updates": "4"}\n', 12)
        return {"checkpoint": "best.pt", "updates": 4, "aer": 0.4, "before": 0.5, "language_embeddings": False}

    monkeypatch.setattr("xalign_fairseq.aligner.training.train.train_aligner", trained)
    assert call(tmp_path / "run") == 0
    told = capsys.readouterr()
    assert told.err.splitlines()[-3:] == [
        "preparing a, b",
        "warning: words that are not known",
        "update 4: AER 50.00, the lowest so far",
    ]
    assert call(tmp_path / "run", "--quiet") == 0
    quiet = capsys.readouterr()
    assert quiet.err == "warning: words that are not known\n" and quiet.out == told.out
    assert told.out.splitlines()[0] == "best.pt, update 4: AER 40.00, before training 50.00"


def test_gold_links_of_any_languages_make_a_link_scorer(tiny_checkpoint, tiny_text, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(gold, "Fitting", partial(Fitting, updates=1))
    for ending in ("en", "xx", "gold"):
        (tmp_path / f"en-xx.{ending}").write_text((tiny_text / f"text.{ending}").read_text())
    line = ["train-aligner", "--model", tiny_checkpoint, "--gold", tmp_path / "en-xx.gold", "--device", "cpu"]
    assert main([str(each) for each in [*line, "--out", tmp_path / "scorer"]]) == 0
    command = capsys.readouterr().out.splitlines()[-1].removeprefix("next: ").split()
    assert command[:2] == ["xalign", "align"] and command[4:7] == ["--method", "scored", "--scorer"]
    text = ["--src", tmp_path / "en-xx.en", "--tgt", tmp_path / "en-xx.xx", "--out", tmp_path / "links"]
    assert main([*command[1:8], *map(str, text), "--threshold", "0.05"]) == 0
    assert "scored" in capsys.readouterr().err and "-" in (tmp_path / "links").read_text()
    for options, found in (
        (["--src", text[1]], "next: add --best to use both"),
        (["--train-encoder", "--best", "--src", text[1], "--tgt", text[3]], "--best, --train-encoder"),
        (["--updates", 3, "--valid-src", text[1]], "--valid-src, --updates\n  next: leave them out"),
    ):
        assert main([str(each) for each in [*line, "--out", tmp_path / "other", *options]]) == 2
        assert found in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_all_steps_are_logged_with_cost_and_result(tmp_path, monkeypatch, capsys):
    runs = []

    def train_best(run, say, hear):
        runs.append(run)
        step = {"done": "the scorer", "cpu_seconds": 3.4, "before": 0.3, "aer": 0.2, "used": True}
        rest = {"done": "statistics", "cpu_seconds": 2.0, "before": None, "aer": None, "used": False}
        return {"steps": {"gold": step, "links": rest}}

    monkeypatch.setattr("xalign_fairseq.aligner.training.best.train_best", train_best)
    line = ["train-aligner", "--best", "--model", "m", "--src", "a.en", "--tgt", "a.xx", "--gold", "en-xx.gold"]
    line += ["--out", str(tmp_path / "best")]
    assert main([*line, "--updates", "2", "--device", "cpu"]) == 0
    first, second, align = capsys.readouterr().out.splitlines()
    assert first == "gold: the scorer; 3 CPU seconds, AER on held-out gold 30.00 to 20.00"
    assert second == "links: statistics; 2 CPU seconds, not used" and align.startswith("next: xalign align --model")
    [run] = runs
    assert (run.model, run.golds, run.languages) == ("m", ["en-xx.gold"], ("en", "xx"))
    assert (run.updates, run.device) == (2, "cpu")
    assert main([*line, "--objectives", "dwa"]) == 2
    assert "excludes the others" in capsys.readouterr().err
