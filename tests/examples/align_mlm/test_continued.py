"""ALIGN-MLM's dictionary continued from e5-small, with a training and measures that are made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.examples.recipes import load
from tests.examples.stand_ins import EXAMPLES, run_script
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.data.lexicon import HELD_OUT, TRAINED, Lexicon

run, table = load("align_mlm/continued", "run", "table")


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """What was called of a run whose training writes its cost and whose measures say nothing."""
    called, at = [], {"updates": 0}

    def train(data, head, folder, options):
        called.append(("train", options["--max-update"], options["--objectives"]))
        at["updates"] = int(options["--max-update"])
        (folder / "cpu_seconds").write_text("90.4")

    def measure(data, benchmark, folder):
        called.append(("measure",))
        return {"retrieval": {}}

    monkeypatch.setattr(run, "train", train)
    monkeypatch.setattr(run, "measure", measure)
    monkeypatch.setattr(run, "updates_of", lambda path: at["updates"])
    folder = tmp_path / "mlm-1"
    folder.mkdir()
    return folder, called


def go_on(folder, setting):
    options = {**run.COMMON, **run.SETTINGS[setting], "--seed": "1"}
    run.go_on(folder, folder, folder, folder, setting, options)


def test_a_run_is_trained_and_measured_once(made_up):
    folder, called = made_up
    for _ in range(2):
        go_on(folder, "mlm")
    assert called == [("train", "100", "sentence_mlm"), ("measure",)]
    found = read_json(folder / "result.json")
    assert found["cpu_seconds"] == 90 and found["seed"] == 1 and found["command"].endswith("RUNS mlm 1")


def test_the_encoder_as_it_comes_is_measured_alone(made_up):
    folder, called = made_up
    go_on(folder, "none")
    assert called == [("measure",)]
    assert read_json(folder / "result.json")["cpu_seconds"] == 0


def test_a_trained_run_that_was_killed_is_only_measured(made_up, monkeypatch):
    folder, called = made_up
    go_on(folder, "mlm")
    (folder / "result.json").unlink()
    write_json(folder / "run.json", {**read_json(folder / "run.json"), "commit": "that of before"})
    go_on(folder, "mlm")
    assert called[2:] == [("measure",)]
    assert read_json(folder / "result.json")["commit"] == "that of before"


def test_a_lexicon_is_turned_with_its_parts():
    lexicon = Lexicon(
        "en", "de", *(np.array(each) for each in ([5, 6, 7], [2, 1], [8, 9], [1, 1], [TRAINED, HELD_OUT]))
    )
    turned = run.turned(lexicon)
    assert (turned.src, turned.tgt) == ("de", "en")
    assert turned.src_ids.tolist() == [8, 9] and turned.tgt_sizes.tolist() == [2, 1]
    assert turned.part.tolist() == lexicon.part.tolist()


def test_no_test_set_steers():
    assert not any("simalign" in name or "/test/" in name for name in run.study.TRIALS)


def made_up_record(setting, seed, aer):
    score = {"trained": 60.0, "held out": 30.0}
    return {
        "setting": setting, "seed": seed, "options": {**run.COMMON, **run.SETTINGS[setting]}, "cpu_seconds": 120,
        "embeddings": {
            "en-de": score, "de-en": {"trained": 50.0, "held out": 20.0}, "en-fr": {**score, "trained": 80.0},
        },
        "development": {"7": {"mean": aer + 1}, "8": {"mean": aer}}, "retrieval": {"de": 90.0, "hi": 80.0},
    }  # fmt: skip


def test_the_table_has_means_over_lexicons_and_seeds(tmp_path):
    (tmp_path / "README.md").write_text("<!-- study:measures -->\nold\n<!-- end -->\n")
    for setting, seed, aer in (("none", 1, 20.0), ("align_mlm", 1, 18.0), ("align_mlm", 2, 19.0)):
        folder = tmp_path / f"runs/{setting}-{seed}"
        folder.mkdir(parents=True)
        write_json(folder / "result.json", made_up_record(setting, seed, aer))
    table.main(tmp_path / "runs", tmp_path)
    none, align = (tmp_path / "README.md").read_text().splitlines()[3:5]
    assert [each.strip() for each in none.strip("|").split("|")] == [
        "none", "0", "", "", "2.0", "70.0", "50.0", "30.0", "20.0", "20.0", "21.0", "85.0",
    ]  # fmt: skip
    assert "| align_mlm | 100 | 1e-4 | 2 | 2.0 | 70.0 ± 0.0 |" in align and "| 18.5 ± 0.7 | 19.5 ± 0.7 |" in align
    assert (tmp_path / "results/align_mlm-2.json").is_file()


def test_lexicons_that_are_there_stay(tmp_path):
    data = tmp_path / "bin"
    data.mkdir()
    (data / "lexicon.en-fr.json").touch()
    for name in ("deu", "hin"):
        (tmp_path / f"eng-{name}.tsv").write_text("a\tb\n" * 3)
    done = run_script(tmp_path, "align_mlm/continued/prepare.sh", data,
                      instead={"xalign": '#!/bin/sh\necho "$@"\n'}, FREEDICT=str(tmp_path))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [line.split()[3] for line in done.stdout.splitlines()] == ["en-de", "en-hi"]
    assert not list(data.glob("*.tsv"))


def test_every_setting_is_in_the_table_and_on_the_page():
    page = (EXAMPLES / "align_mlm/continued/README.md").read_text()
    assert set(table.ORDER) == set(run.SETTINGS)
    assert all(f"`{name}`" in page for name in run.SETTINGS)


def test_what_a_run_cost_is_that_of_all_its_pieces(tmp_path, monkeypatch):
    import subprocess

    clock = iter([0.0, 30.0, 30.0, 42.0])
    monkeypatch.setattr(run, "cpu_seconds", lambda: next(clock))
    monkeypatch.setattr(
        run.checkpoint, "load_encoder", lambda *read: (SimpleNamespace(config=SimpleNamespace(as_options=dict)), None)
    )
    monkeypatch.setattr(run, "read_pretrained", lambda path: ())
    monkeypatch.setattr(run, "encoder_options", lambda options, head: {})
    ends = iter([1, 0])
    monkeypatch.setattr(run.subprocess, "run", lambda line, **how: subprocess.CompletedProcess(line, next(ends)))
    with pytest.raises(subprocess.CalledProcessError):
        run.train(tmp_path, tmp_path, tmp_path, {**run.COMMON})
    run.train(tmp_path, tmp_path, tmp_path, {**run.COMMON})
    assert float((tmp_path / "cpu_seconds").read_text()) == 42.0
