"""The continuation study: what is measured, verdicts by hand, and a report that is that of the results beside it."""

import importlib.util
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.errors import XalignError

RECIPE = Path(__file__).parents[2] / "examples/continuation"


def load(name):
    """A script of the recipe as a module."""
    spec = importlib.util.spec_from_file_location(name, RECIPE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def study():
    return load("study")


@pytest.fixture(scope="module")
def report(study):
    return load("report")


@pytest.fixture(scope="module")
def evaluate(study):
    return load("evaluate")


def items(right, of=100):
    """Counts of items of which the first are right."""
    return np.stack([np.arange(of) < right, np.ones(of)], axis=1)


def links(hits, of=50):
    """Counts of sentences with two links each, both sure and right in the first ``hits`` and wrong elsewhere."""
    right = 2 * (np.arange(of) < hits)
    return np.stack([right, right, np.full(of, 2), np.full(of, 2)], axis=1)


def add(study, examples, name, hits, right, aligned, **other):
    """Write made-up results of a run, of which all measures of a kind are equal."""
    setting, seed = study.split_name(name)
    counts = {}
    for measure in study.MEASURES:
        kind = hits if measure.startswith("aer") else aligned if measure.startswith("alignment") else right
        counts[measure] = links(kind) if measure.startswith("aer") else items(kind)
    chosen = {"encoding": "joint", "layer": 2, "method": "argmax", "silver_aer": 0.25, "signature": "a|b"}
    record = {"name": name, "setting": setting, "seed": seed, "pair": "de-en", "command": f"bash 1_train.sh {setting}",
              "commit": "abc", "machine": "x CPU", "updates": 400 if seed else 0, "minutes": 2.5,
              "tokens": 1_500_000 if seed else 0, "how": {"aer": chosen}, **other}  # fmt: skip
    study.write(study.place(examples, name), record, counts)


@pytest.fixture
def results(study, tmp_path):
    """weak is far better than none and TLM, strong and weam far worse than none, ppa and weam like their TLM."""
    add(study, tmp_path, "none", 20, 30, 40)
    for seed, wobble in ((1, 0), (2, 1), (3, 2)):
        add(study, tmp_path, f"tlm-{seed}", 20 + wobble, 30 + wobble, 40 + wobble)
        add(study, tmp_path, f"weak-{seed}", 44 + wobble, 90 + wobble, 92 + wobble)
        add(study, tmp_path, f"strong-{seed}", 2 + wobble, 1 + wobble, 0 + wobble)
        add(study, tmp_path, f"ppa-{seed}", 20 + wobble, 30 + wobble, 40 + wobble)
        add(study, tmp_path, f"tlm30-{seed}", 2 + wobble, 1 + wobble, 0 + wobble)
        add(study, tmp_path, f"weam-{seed}", 2 + wobble, 1 + wobble, 0 + wobble)
    return tmp_path


def rows(text, title):
    """The tables under a heading, by cells."""
    part = text.split(f"## {title}\n\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")]


def test_results_lie_with_their_papers(study, results):
    assert (results / "explicit_alignments/results/continuation/weak-3.npz").exists()
    assert (results / "ppa/results/continuation/ppa-1.json").exists()
    found = study.read(results)
    assert {setting: len(mine) for setting, mine in found.items()} == {
        "none": 1, "tlm": 3, "tlm30": 3, "weak": 3, "strong": 3, "ppa": 3, "weam": 3,
    }  # fmt: skip
    # 88 of 100 links on either side are right: 1 - (88 + 88) / (100 + 100)
    assert found["weak"][0].score("aer") == pytest.approx(0.12)
    assert found["weak"][0].score("accuracy") == pytest.approx(0.9)
    # names that begin alike are not taken for each other
    add(study, results, "ppa_mean-1", 1, 1, 1)
    assert len(study.read(results)["ppa"]) == 3 and len(study.read(results)["ppa_mean"]) == 1


def test_the_table_by_hand(study, report, results):
    text = report.to_markdown(study.read(results))
    summary = {row[0]: row for row in rows(text, "Summary")}
    # AER of 20, 21 and 22 of 50 sentences right: 60, 58, 56 %; 30, 31 and 32 of 100: deviation 1
    assert summary["tlm"][3:] == ["3", "400", "1.50M", "58.00 ± 2.00", "31.00 ± 1.00", "41.00 ± 1.00"]
    assert summary["weam"][1:3] == ["hurts, hurts, hurts", "no difference, no difference, no difference"]
    assert summary["tlm30"][2] == "" and summary["none"][1:] == ["", "", "–", "–", "–", "60.00", "30.00", "40.00"]
    assert summary["weak"][1:3] == ["helps, helps, helps"] * 2
    assert summary["strong"][1:3] == ["hurts, hurts, hurts"] * 2
    assert summary["ppa"][1:3] == ["no difference, no difference, no difference"] * 2
    differences = {tuple(row[:3]): row[3:] for row in rows(text, "Differences")}
    assert differences["weak", "none", "AER"][:3] == ["items and seeds", "helps", "**−50.00**"]
    assert differences["weak", "tlm", "retrieval"][1:3] == ["helps", "**+60.00**"]
    assert differences["ppa", "tlm", "alignment score"][1:3] == ["no difference", "0.00"]
    assert ("none", "tlm", "AER") not in differences and ("tlm", "none", "AER") in differences
    # p of the smallest of 1000 resamples; t = 0.5 / (0.02 / sqrt(3)) has p 0.0005; times the settings of the comparison
    assert differences["weak", "none", "AER"][4:] == ["0.001", "0.001", "0.006"]
    assert differences["weak", "tlm", "AER"][4:] == ["0.001", "0.000", "0.004"]
    # WEAM has a TLM of its own, in the same family
    assert ("weam", "tlm", "AER") not in differences and ("tlm30", "tlm", "AER") not in differences
    assert differences["weam", "tlm30", "AER"][1] == "no difference" == differences["ppa", "tlm", "AER"][1]
    assert "against TLM (weam: tlm30): AER, retrieval, alignment score" in rows(text, "Summary")[0]


def test_each_paper_has_its_settings_beside_the_baselines(study, report, results):
    text = report.to_markdown(study.read(results))
    assert {row[0] for row in rows(text, "Explicit alignments")[2:]} >= {"none", "tlm", "weak", "strong"}
    assert "ppa" not in {row[0] for row in rows(text, "Explicit alignments")}
    assert [row[0] for row in rows(text, "WEAM")[2:5]] == ["none", "tlm30", "weam"]
    assert "tlm" not in {row[0] for row in rows(text, "WEAM")}
    for path in (results / "weam/results/continuation").iterdir():
        path.unlink()
    assert report.to_markdown(study.read(results)).split("## WEAM\n\n")[1] == "No results yet.\n"


def test_one_seed_is_tested_over_items_alone(study, report, tmp_path):
    add(study, tmp_path, "none", 20, 30, 40)
    add(study, tmp_path, "weam-1", 44, 90, 40)
    text = report.to_markdown(study.read(tmp_path))
    assert [row[:5] for row in rows(text, "Differences")[2:]] == [
        ["weam", "none", "AER", "items", "helps"],
        ["weam", "none", "retrieval", "items", "helps"],
        ["weam", "none", "alignment score", "items", "no difference"],
    ]
    assert {row[-2] for row in rows(text, "Differences")[2:]} == {"–"}
    assert "44.00 ±" not in text
    assert rows(text, "Summary")[3][1:4] == ["helps, helps, no difference (items alone)", "", "1"]


def test_what_has_no_seed_is_tested_over_items_alone_and_against_seeds_by_one_sample(study, report, tmp_path):
    add(study, tmp_path, "none", 20, 30, 40)
    add(study, tmp_path, "procrustes", 20, 90, 40)
    for seed, right in ((1, 30), (2, 31), (3, 35)):
        add(study, tmp_path, f"tlm-{seed}", 20, right, 40)
    found = {(each.baseline, each.measure): each for each in report.compare(study.read(tmp_path))
             if each.setting == "procrustes"}  # fmt: skip
    assert found["none", "accuracy"].p_seeds is None and found["none", "accuracy"].verdict == "helps"
    # t = (90 - 32) / sqrt(7 / 3); with two degrees of freedom p = 1 - t / sqrt(t^2 + 2)
    t = 58 / np.sqrt(7 / 3)
    assert found["tlm", "accuracy"].p_seeds == pytest.approx(1 - t / np.sqrt(t**2 + 2), rel=1e-3)
    # seeds that are equal and equal to the other: no difference, whatever 0 / 0 is
    assert found["tlm", "aer"].p_seeds == 1


def test_both_tests_must_find_a_difference(study, report, tmp_path):
    """All seeds are above the baseline, which convinces the bootstrap, but they differ as much among themselves."""
    add(study, tmp_path, "none", 20, 30, 40)
    for seed, right in ((1, 33), (2, 40), (3, 47)):
        add(study, tmp_path, f"tlm-{seed}", 20, right, 40)
    [found] = [each for each in report.compare(study.read(tmp_path)) if each.measure == "accuracy"]
    t = 10 / (7 / np.sqrt(3))
    assert found.p_seeds == pytest.approx(1 - t / np.sqrt(t**2 + 2))
    assert found.p_bootstrap < 0.05 < found.p_value == found.p_seeds and found.verdict == "no difference"


def test_two_settings_are_compared_by_welch(study, report, tmp_path):
    for seed, first, second in ((1, 30, 40), (2, 32, 44), (3, 34, 54)):
        add(study, tmp_path, f"tlm-{seed}", 20, first, 40)
        add(study, tmp_path, f"ppa-{seed}", 20, second, 40)
    [found] = [each for each in report.compare(study.read(tmp_path)) if each.measure == "accuracy"]
    # means 32 and 46, variances 4 and 52: t = 14 / sqrt(56 / 3), with (56 / 3)^2 / ((4 / 3)^2 / 2 + (52 / 3)^2 / 2)
    # = 2.3 degrees of freedom; equal variances would have 4
    t, freedom = 14 / np.sqrt(56 / 3), (56 / 3) ** 2 / ((4 / 3) ** 2 / 2 + (52 / 3) ** 2 / 2)
    grid = np.linspace(-t, t, 200_001)
    density = (1 + grid**2 / freedom) ** (-(freedom + 1) / 2)
    norm = math.gamma((freedom + 1) / 2) / (math.sqrt(freedom * math.pi) * math.gamma(freedom / 2))
    assert found.p_seeds == pytest.approx(1 - norm * np.trapezoid(density, grid), rel=1e-6)


def test_results_of_different_pairs_are_refused(study, report, results, monkeypatch, capsys):
    add(study, results, "weam-1", 10, 10, 10, pair="en-fr")
    with pytest.raises(XalignError, match="different pairs"):
        study.read(results)
    monkeypatch.setattr(sys, "argv", ["report.py", "--examples", str(results)])
    assert report.main() == 2 and "weam-1 of en-fr" in capsys.readouterr().err


def test_seeds_are_in_the_order_of_numbers(study, tmp_path):
    for seed in (10, 2, 1):
        add(study, tmp_path, f"tlm-{seed}", 20, 30, 40)
    assert [run.record["seed"] for run in study.read(tmp_path)["tlm"]] == [1, 2, 10]


@pytest.mark.parametrize("name", ["", "tlm", "tlm-", "tlm-x", "tml-1", "ppa mean-1", "tlm-1-2", "tlm/1"])
def test_a_name_that_is_no_run_is_told(study, name):
    with pytest.raises(XalignError, match="no such run"):
        study.split_name(name)


def test_names_of_runs(study):
    assert study.split_name("ppa_mean-12") == ("ppa_mean", 12) and study.split_name("tlm30-3") == ("tlm30", 3)
    assert study.split_name("none") == ("none", None) and study.split_name("procrustes") == ("procrustes", None)


def test_without_results_the_report_says_so(report):
    text = report.to_markdown({})
    assert text.count("No results yet.") == 8


def test_an_outdated_report_is_noticed(study, report, results, monkeypatch, capsys):
    pytest.importorskip("matplotlib")

    def run(*options):
        monkeypatch.setattr(sys, "argv", ["report.py", "--examples", str(results), *options])
        return report.main()

    assert run("--check") == 1
    assert run() == 0 and run("--check") == 0
    assert (results / "continuation/results/report/measures.png").read_bytes().startswith(b"\x89PNG")
    add(study, results, "moco-1", 10, 10, 10)
    assert run("--check") == 1 and "report.py" in capsys.readouterr().err


def test_dictionary_words_are_single_known_and_different(evaluate, tmp_path):
    lines = ["house\tHaus", "hand\tHand", "house\tHeim", "red house\tRothaus", "rare\tselten", "cat\tKatze", "u2\tU"]
    (tmp_path / "dict").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "en").write_text("house hand red u2 cat\n" * 5 + "rare\n")
    (tmp_path / "de").write_text("Haus Hand Rothaus selten Heim U\n" * 5 + "Katze\n" * 4)
    pairs = evaluate.read_dictionary(tmp_path / "dict", tmp_path / "en", tmp_path / "de")
    assert (pairs.src, pairs.tgt) == (["house"], ["Haus", "Heim"])


INTERVAL = "epoch 001: loss=9, wps=1, wpb=4000.5, bsz=9, num_updates=20, lr=0.1\n"
GPUS = "rank   0: capabilities = 9.0 ; name = Fast GPU   \nrank   1: capabilities = 9.0 ; name = Fast GPU   \n"


def left_behind(folder, log, **record):
    """What training leaves in a run's folder."""
    (folder / "run.json").write_text(json.dumps({"setting": "tlm", "command": "bash 1_train.sh", **record}))
    (folder / "train.log").write_text(log)
    return folder


def test_what_training_left_is_read_without_paths(evaluate, tmp_path):
    log = (
        "cfg | {'data': '/somewhere'}\n" + INTERVAL +
        "epoch 001 | loss 9 | wps 1 | wpb 3000.5 | bsz 9 | num_updates 30 | lr 0.1 | gnorm 1\n"
        "epoch 001 | valid on 'valid' subset | loss 9 | wpb 9 | num_updates 30 | best_loss 9\n"
        "epoch 002 | loss 9 | wps 1 | wpb 2000 | bsz 9 | num_updates 35 | lr 0 | gnorm 1\n"
        "epoch 002 | loss 9 | wps 1 | wpb 2000 | bsz 9 | num_updates 35 | lr 0 | gnorm 1\n"  # by a run that was resumed
        "done training in 90.0 seconds\ndone training in 30.0 seconds\n"
    )  # fmt: skip
    found = evaluate.training_record(left_behind(tmp_path, log))
    # all updates, though the last interval that was logged ends with update 20
    assert (found["updates"], found["tokens"], found["minutes"]) == (35, 30 * 3000.5 + 5 * 2000, 2.0)
    assert found["command"] == "bash 1_train.sh" and found["machine"].endswith("CPU") and "/" not in str(found)
    assert evaluate.training_record(tmp_path / "nowhere")["updates"] == 0


def test_the_machine_is_that_of_training(evaluate, tmp_path):
    assert evaluate.training_record(left_behind(tmp_path, INTERVAL, machine="abc CPU"))["machine"] == "abc CPU"
    # a run that was resumed lists its GPUs twice
    found = evaluate.training_record(left_behind(tmp_path, GPUS + INTERVAL + GPUS, machine="Fast GPU"))
    assert found["machine"] == "2 x Fast GPU"


@pytest.mark.parametrize("pair", ["de-fr", "en-xx", "en", "de-en-fr", "en-en"])
def test_a_pair_that_can_not_be_measured_is_told(evaluate, pair, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["evaluate.py", "model.pt", "none", "benchmark", "text", "--pair", pair])
    assert evaluate.main() == 2 and f"found: {pair}" in capsys.readouterr().err


def test_a_name_or_a_file_that_is_not_there_is_told(evaluate, tmp_path, monkeypatch, capsys):
    for name, message in (("tml-1", "no such run"), ("none", "does not exist")):
        monkeypatch.setattr(sys, "argv", ["evaluate.py", "model.pt", name, str(tmp_path), str(tmp_path)])
        assert evaluate.main() == 2 and message in capsys.readouterr().err


def test_words_are_normalised_before_the_map_of_layer_0(evaluate):
    """As the encoder does before layer 0, where the map was learnt; without maps they are read as they are."""
    torch.manual_seed(1)
    encoder = Encoder(EncoderConfig(vocab_size=12, encoder_layers=1, encoder_embed_dim=8, encoder_attention_heads=2,
                                    encoder_ffn_embed_dim=8, max_positions=8)).eval()  # fmt: skip
    torch.nn.init.normal_(encoder.sentence_encoder.layernorm_embedding.bias)
    torch.nn.init.zeros_(encoder.sentence_encoder.embed_positions.weight)
    model = evaluate.Model.__new__(evaluate.Model)
    model.encoder, model.maps = encoder, None
    assert model.input_embeddings().equal(encoder.sentence_encoder.embed_tokens.weight)
    model.maps = LanguageMaps(["de"], "en", layers=1, dim=8)
    words = torch.tensor([[4, 5, 6]])
    torch.testing.assert_close(model.input_embeddings()[words], encoder.states(words, grad=False).layer(0))


@pytest.mark.parametrize(("pair", "measured"), [("de-en", True), ("en-fr", False)])
def test_results_of_another_pair_are_measured_again(study, tmp_path, pair, measured):
    """The script beside results of de-en, with a stand-in for evaluate.py."""
    examples, runs = tmp_path / "examples", tmp_path / "runs"
    (examples / "continuation").mkdir(parents=True)
    script = examples / "continuation/2_evaluate.sh"
    script.write_text((RECIPE / script.name).read_text())
    script.with_name("evaluate.py").write_text("import sys; print(sys.argv[2:3] + sys.argv[5:])\n")
    (tmp_path / "benchmark/gold").mkdir(parents=True)
    (runs / "weak-1").mkdir(parents=True)
    for checkpoint in (tmp_path / "base.pt", runs / "weak-1/checkpoint_last.pt"):
        checkpoint.touch()
    add(study, examples, "none", 20, 30, 40)
    add(study, examples, "weak-1", 20, 30, 40)
    done = subprocess.run(
        ["bash", script, tmp_path / "base.pt", runs, "TEXT", "--device", "cpu"], capture_output=True, text=True,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PAIR": pair,
             "BENCHMARK": str(tmp_path / "benchmark")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    options = f"'--pair', '{pair}', '--device', 'cpu'"
    assert done.stdout.splitlines() == [
        f"{name}: measured already" if measured else f"['{name}', {options}]" for name in ("none", "weak-1")
    ]


@pytest.mark.slow
def test_the_report_is_that_of_its_results(study, report):
    runs = study.read(study.EXAMPLES)
    path = study.EXAMPLES / report.REPORT
    if not runs and not path.exists():
        pytest.skip("the study has no results yet")
    assert path.read_text() == report.to_markdown(runs)


def test_results_name_no_machine(study):
    for path in study.EXAMPLES.glob(f"*/results/{study.STUDY}/*.json"):
        record = json.loads(path.read_text())
        texts = [value for value in record.values() if isinstance(value, str)]
        assert texts and not [text for text in texts if re.search(r"(^|[\s='\"])[/~]", text)], path  # no absolute path
