"""The continuation study: what is measured, verdicts by hand, and a report that is that of the results beside it."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

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
    record = {"name": name, "setting": setting, "seed": seed, "command": f"bash 1_train.sh {setting}", "commit": "abc",
              "machine": "x CPU", "updates": 400 if seed else 0, "tokens": 1_500_000 if seed else 0, "minutes": 2.5,
              "how": {"aer": chosen}, **other}  # fmt: skip
    study.write(study.place(examples, name), record, counts)


@pytest.fixture
def results(study, tmp_path):
    """weak is far better than none and tlm, strong far worse, ppa the same."""
    add(study, tmp_path, "none", 20, 30, 40)
    for seed, wobble in ((1, 0), (2, 1), (3, 2)):
        add(study, tmp_path, f"tlm-{seed}", 20 + wobble, 30 + wobble, 40 + wobble)
        add(study, tmp_path, f"weak-{seed}", 44 + wobble, 90 + wobble, 92 + wobble)
        add(study, tmp_path, f"strong-{seed}", 2 + wobble, 1 + wobble, 0 + wobble)
        add(study, tmp_path, f"ppa-{seed}", 20 + wobble, 30 + wobble, 40 + wobble)
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
        "none": 1, "tlm": 3, "weak": 3, "strong": 3, "ppa": 3,
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
    assert summary["none"][1:] == ["", "", "–", "–", "–", "60.00", "30.00", "40.00"]
    assert summary["weak"][1:3] == ["helps, helps, helps"] * 2
    assert summary["strong"][1:3] == ["hurts, hurts, hurts"] * 2
    assert summary["ppa"][1:3] == ["no difference, no difference, no difference"] * 2
    differences = {tuple(row[:3]): row[3:] for row in rows(text, "Differences")}
    assert differences["weak", "none", "AER"][:2] == ["helps", "**−50.00**"]
    assert differences["weak", "tlm", "retrieval"][:2] == ["helps", "**+60.00**"]
    assert differences["ppa", "tlm", "alignment score"][:2] == ["no difference", "0.00"]
    assert ("none", "tlm", "AER") not in differences and ("tlm", "none", "AER") in differences
    # the smallest p of 1000 resamples, times the settings that are compared with the baseline
    assert differences["weak", "none", "AER"][3:] == ["0.001", "0.004"]
    assert differences["weak", "tlm", "AER"][3:] == ["0.001", "0.003"]


def test_each_paper_has_its_settings_beside_the_baselines(study, report, results):
    text = report.to_markdown(study.read(results))
    assert {row[0] for row in rows(text, "Explicit alignments")[2:]} >= {"none", "tlm", "weak", "strong"}
    assert "ppa" not in {row[0] for row in rows(text, "Explicit alignments")}
    assert text.split("## WEAM\n\n")[1] == "No results yet.\n"


def test_one_seed_is_tested_over_items_alone(study, report, tmp_path):
    add(study, tmp_path, "none", 20, 30, 40)
    add(study, tmp_path, "weam-1", 44, 90, 40)
    text = report.to_markdown(study.read(tmp_path))
    assert [row[:4] for row in rows(text, "Differences")[2:]] == [
        ["weam", "none", "AER", "helps"],
        ["weam", "none", "retrieval", "helps"],
        ["weam", "none", "alignment score", "no difference"],
    ]
    assert "44.00 ±" not in text


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
    add(study, results, "weam-1", 10, 10, 10)
    assert run("--check") == 1 and "report.py" in capsys.readouterr().err


def test_dictionary_words_are_single_known_and_different(evaluate, tmp_path):
    lines = ["house\tHaus", "hand\tHand", "house\tHeim", "red house\tRothaus", "rare\tselten", "cat\tKatze", "u2\tU"]
    (tmp_path / "dict").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "en").write_text("house hand red u2 cat\n" * 5 + "rare\n")
    (tmp_path / "de").write_text("Haus Hand Rothaus selten Heim U\n" * 5 + "Katze\n" * 4)
    pairs = evaluate.read_dictionary(tmp_path / "dict", tmp_path / "en", tmp_path / "de")
    assert (pairs.src, pairs.tgt) == (["house"], ["Haus", "Heim"])


def test_what_training_left_is_read_without_paths(evaluate, tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"setting": "tlm", "command": "bash 1_train.sh", "commit": "abc"}))
    (tmp_path / "train.log").write_text(
        "cfg | {'data': '/somewhere'}\n"
        "epoch 001: loss=9, wps=1, wpb=4000.5, bsz=9, num_updates=20, lr=0.1\n"
        "epoch 001: loss=9, wps=1, wpb=3000, bsz=9, num_updates=30, lr=0.1\n"
        "epoch 001: loss=9, wps=1, wpb=3000, bsz=9, num_updates=30, lr=0.1\n"  # logged again by a resumed run
        "done training in 90.0 seconds\ndone training in 30.0 seconds\n"
    )
    found = evaluate.training_record(tmp_path)
    assert (found["updates"], found["tokens"], found["minutes"]) == (30, 20 * 4000.5 + 10 * 3000, 2.0)
    assert found["command"] == "bash 1_train.sh" and found["machine"].endswith("CPU") and "/" not in str(found)
    assert evaluate.training_record(tmp_path / "nowhere")["updates"] == 0


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
        assert not [value for value in record.values() if isinstance(value, str) and ("/" in value)], path
