import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from support import four_bit_files
from support.processes import is_alive, wait_for

from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.trimming import trim


def test_a_complete_kit_is_read(script, kit):
    kits = script("kit")
    assert kits.read(kit)["commit"] == "abc1234"
    (kit / "kit.json").write_text('{"python": "2.7"}')
    with pytest.raises(kits.KitError, match=r"for Python 2.7[\s\S]* TARGET=3"):
        kits.read(kit)


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("kit.json", "not a kit: it has no kit.json; scripts/gpu/pack.sh"),
        ("requirements.txt", "lacks requirements.txt; pack it again"),
    ],
)
def test_an_incomplete_kit_is_an_error_without_a_traceback(script, kit, capsys, missing, message):
    (kit / missing).unlink()
    kits = script("kit")
    assert kits.tell(lambda: kits.read(kit)) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and message in said


@pytest.fixture
def bounded(script, tmp_path, monkeypatch):
    """A function that runs a line of sh in a folder; its output goes to log."""
    module = script("bounded")
    monkeypatch.setattr(module, "GRACE", 0.5)
    return lambda line, seconds=20: module.run(["sh", "-c", line], tmp_path / "log", seconds, os.environ, tmp_path)


def test_the_exit_code_and_both_outputs(bounded, tmp_path):
    assert bounded("echo one; echo two >&2; exit 3") == 3
    assert (tmp_path / "log").read_text() == "one\ntwo\n"


def test_a_process_that_takes_too_long_is_ended_with_its_children(bounded, tmp_path):
    assert bounded("sleep 600 & echo $! > child; trap '' TERM; sleep 600", seconds=5.0) is None
    wait_for(lambda: not is_alive(int((tmp_path / "child").read_text())))


def test_processes_left_by_a_command_are_ended(bounded, tmp_path):
    assert bounded("sleep 60 & echo $! > child") == 0
    wait_for(lambda: not is_alive(int((tmp_path / "child").read_text())))


ROOT = Path(__file__).parents[3]
CUDA = {"device": "NVIDIA H100", "devices": 1, "driver": "580.1", "torch": "2.11.0", "cuda": "13.0", "python": "3.12.3"}
ROW = {"tool": "simalign", "method": "itermax", "encoding": "separate", "layer": 8, "dtype": "float32"}
ROW |= {"pairs_per_second": 50.0, "times_simalign": 1.0, "peak_mb": 900.0}
ALIGNER = {"rows": [ROW], "machine": "NVIDIA H100", "pairs": 64, "subwords": 60.0, "commit": "abc1234", "command": "c"}


@pytest.fixture
def out(tmp_path):
    """A function that writes the result of a stage."""
    folder = tmp_path / "out"
    folder.mkdir()

    def write(stage, status="passed", figures=None, start="2026-11-22T10:00:00+00:00", **more):
        result = {**CUDA, "stage": stage, "status": status, "commit": "abc1234", "seconds": 3.0, "start": start, **more}
        (folder / f"{stage}.json").write_text(json.dumps({**result, "figures": figures or {}}))
        return folder

    return write


@pytest.fixture
def collect(script, capsys):
    """The script's exit code and output."""
    module = script("collect")
    return lambda *given: SimpleNamespace(code=module.main([*map(str, given)]), stderr=capsys.readouterr().err)


def test_results_are_in_the_tables_and_in_doctors_file(collect, documents, out):
    out("aligner", figures={"aligner-cuda.json": ALIGNER})
    out("tests", "failed", {"tests.json": {"passed": 4, "failed": ["a"], "skipped": []}}, reason="exit code 1")
    folder = out("install", start="2026-11-22T09:00:00+00:00")
    (folder / "training-profile-cuda.txt").write_text("times")
    done = collect(folder, "--root", documents)
    assert done.code == 0, done.stderr
    (run,) = json.loads((documents / "scripts/gpu/gpu_runs.json").read_text())["runs"]
    assert run.items() >= {**CUDA, "commit": "abc1234", "date": "2026-11-22"}.items()
    assert next(iter(run["stages"])) == "install"
    assert run["stages"]["tests"] == {"status": "failed", "seconds": 3.0, "reason": "exit code 1", "tests": [4, 1, 0]}
    assert json.loads((documents / "scripts/results/aligner-cuda.json").read_text()) == ALIGNER
    assert (documents / "scripts/results/training-profile-cuda.txt").read_text() == "times"
    assert "failed: 4 passed, 1 failed, 0 skipped" in (documents / "docs/gpu.md").read_text()
    assert "| 50.0 (1.00) |" in (documents / "docs/performance.md").read_text()  # the aligner's own table
    assert collect("--root", documents, "--check").code == 0
    assert collect(folder, "--root", documents).code == 0  # again: replaces the first
    assert len(json.loads((documents / "scripts/gpu/gpu_runs.json").read_text())["runs"]) == 1


def test_the_documents_here_are_as_the_results_say(collect):
    done = collect("--check")
    assert done.code == 0, done.stderr


PAIRS = ("de-en", "en-fr", "en-hi", "ro-en")


@pytest.fixture
def data(script):
    return script("pack_data")


def test_shares_are_equal_and_unused_room_goes_to_others(data):
    assert data.shares({"a": 10, "b": 100, "c": 100}, 90) == {"a": 10, "b": 40, "c": 40}
    assert data.shares({"b": 5, "a": 7}, 90) == {"b": 5, "a": 7}
    assert list(data.shares({"b": 70, "a": 7}, 20)) == ["b", "a"]


@pytest.fixture
def folders(tmp_path):
    """Gold sets of two lines each, and training text of 600 distinct pairs."""
    benchmark, text = tmp_path / "benchmark", tmp_path / "text"
    for pair in PAIRS:
        for name in ("hansards-wpt03-trial", "wpt05-hi-trial", "golden-collection", "simalign-testsets"):
            folder = benchmark / "gold" / name
            folder.mkdir(parents=True, exist_ok=True)
            for lang in pair.split("-"):
                (folder / f"{pair}.{lang}").write_text("one house\nsome trees\n")
            (folder / f"{pair}.gold").write_text("0-0 1-1\n0-0\n")
        (text / pair).mkdir(parents=True)
        for lang in pair.split("-"):
            lines = [f"{lang} line {number} of {number * number} letters {number:b}\n" for number in range(600)]
            (text / pair / f"train.{lang}").write_text("".join(lines))
    return benchmark, text


@pytest.mark.slow
def test_the_content_of_the_archive(data, folders, tmp_path, monkeypatch):
    monkeypatch.setattr(data, "VOCABULARY", 60)
    data.write(data.read(folders[1]), folders[0], tmp_path / "data.tar.xz", None)
    with tarfile.open(tmp_path / "data.tar.xz") as archive:
        names = set(archive.getnames())
    data_bin = {f"data-bin/{name}.bin" for name in ("train.de-en.de", "valid.en-hi.links", "test.ro-en.en", "train.de")}
    assert {*data_bin, "gold/golden-collection/en-fr.gold", "text/de-en.de"} < names
    assert "data-bin/valid.de-en.de.bin" not in names


def test_it_equals_the_output_of_xalign_trim(script, tmp_path, monkeypatch, capsys):
    script = script("pack_encoder")
    whole, text = tmp_path / "whole.bin", tmp_path / "text"
    whole.write_bytes(four_bit_files.make().content())
    text.write_text("the house\nthe houses\n")
    monkeypatch.setattr(script, "find", lambda: whole)
    monkeypatch.setattr(script.sys, "argv", ["pack_encoder.py", str(tmp_path / "small.bin"), str(text)])
    script.main()
    small, _ = read_pretrained(tmp_path / "small.bin")
    expected = trim(*read_pretrained(whole), [text], floor=0)
    said = capsys.readouterr().out
    assert said == f"whole.bin: {len(small['model']['encoder.sentence_encoder.embed_tokens.weight'])} of 13 pieces\n"
    assert small["model"].keys() == expected["model"].keys()
    for name, value in expected["model"].items():
        assert torch.equal(small["model"][name], value), name
    symbols = small["task_state"]["tokenizer"]["symbols"]
    assert symbols == expected["task_state"]["tokenizer"]["symbols"] and "▁Haus" not in symbols
    assert (tmp_path / "small.bin").stat().st_size < whole.stat().st_size


@pytest.fixture
def stage(script):
    """A function that makes a stage from a line of sh."""
    make, usual = script("stages").Stage, {"seconds": 20, "least": 0, "cuda": False}
    return lambda name, line, **more: make(name, ("sh", "-c", line), **{**usual, **more})


@pytest.fixture
def runner(script, kit, machine, tmp_path):
    """A function that makes a runner of stages."""
    run = script("run")

    def make(*stages, seconds=None):
        return run.Runner(kit, tmp_path / "out", tmp_path / "work", seconds, stages)

    return make


@pytest.fixture
def results(tmp_path):
    """A function that reads all results."""
    return lambda: {path.stem: json.loads(path.read_text()) for path in (tmp_path / "out").glob("*.json")}


def statuses(results):
    return {name: result["status"] for name, result in results.items()}


def test_a_stage_that_fails_does_not_stop_the_rest(runner, stage, results, tmp_path):
    first = stage("first", "echo good > {files}/a.json; echo '[1, 2]' > {files}/a.json", files=("a.json",))
    assert runner(first, stage("second", "echo bad luck; exit 3"), stage("third", "true")).run([]) == 1
    found = results()
    assert statuses(found) == {"first": "passed", "second": "failed", "third": "passed"}
    assert found["first"]["figures"] == {"a.json": [1, 2]}
    assert found["second"]["reason"] == "exit code 3, see second.log" and found["second"]["log"] == ["bad luck"]
    assert (tmp_path / "out/second.log").read_text() == "bad luck\n"


def test_a_stage_that_takes_too_long_is_stopped_and_not_repeated(runner, stage, results, tmp_path):
    stages = stage("slow", "echo x >> {work}/tries; sleep 600", seconds=5), stage("next", "true")
    assert runner(*stages).run([]) == 1
    assert statuses(results()) == {"slow": "timed out", "next": "passed"}
    assert results()["slow"]["reason"] == "not finished after 5 s"
    assert runner(*stages).run([]) == 1  # the bad result remains
    assert (tmp_path / "work/tries").read_text() == "x\n"


@pytest.mark.parametrize(
    ("more", "missing", "reason"),
    [
        ({"cuda": True}, [], "there is no CUDA device"),
        ({"modules": ("scipy.sparse",)}, ["scipy.sparse", "other"], "not installed: scipy.sparse"),
        ({"parts": ("data.tar.xz", "encoder.bin")}, [], "the kit has no encoder.bin"),
    ],
)
def test_unmeasured_stages_have_a_reason_and_are_tried_again(
    runner, stage, results, machine, kit, more, missing, reason
):
    (kit / "data.tar.xz").touch()
    machine["missing"] = missing
    one = stage("one", "true", **more)
    assert runner(one).run([]) == 0
    assert (results()["one"]["status"], results()["one"]["reason"]) == ("not measured", reason)
    assert "figures" not in results()["one"]
    machine |= {"device": "NVIDIA H100", "missing": []}
    (kit / "encoder.bin").touch()
    assert runner(one).run([]) == 0
    assert results()["one"]["status"] == "passed"


def test_stages_have_distinct_names_and_commands_that_can_be_filled_in(script):
    stages = script("stages").STAGES
    names = "python machine_python source data encoder kit work files seconds minutes"
    names = dict.fromkeys(names.split(), "x")
    assert len({stage.name for stage in stages}) == len(stages)
    # 15 minutes: first a device trace, then training, then the aligner.
    assert [stage.name for stage in stages[:4]] == ["install", "steps", "training", "aligner"]
    assert sum(stage.seconds for stage in stages[1:4]) <= 840
    for stage in stages:
        assert [part.format(**names) for part in stage.command]
        for script in (part.removeprefix("{source}/") for part in stage.command if part.endswith(".py")):
            assert (ROOT / script).is_file()
        assert stage.least < stage.seconds <= 580  # a command there may take ten minutes


SCRIPT = Path(__file__).parents[3] / "scripts/gpu/run_tests.py"
CASES = {
    "passes": "@pytest.mark.gpu\ndef test_one():\n    pass\n\ndef test_other():\n    assert False\n",
    "fails": "@pytest.mark.gpu\ndef test_two():\n    assert 1 == 2\n",
    "skips": "@pytest.mark.gpu\n@pytest.mark.skipif(True, reason='no second GPU')\ndef test_three():\n    pass\n",
}


@pytest.fixture
def stage_of_tests(tmp_path):
    """A function that runs the stage on some test files; returns the exit code and the written files."""
    (tmp_path / "source/tests").mkdir(parents=True)
    (tmp_path / "source/pyproject.toml").write_text("[tool.pytest.ini_options]\nmarkers = ['gpu: needs one']\n")

    def run(*names):
        for name in names:
            (tmp_path / f"source/tests/test_{name}.py").write_text(f"import pytest\n\n{CASES[name]}")
        (tmp_path / "source/tests/test_elsewhere.py").write_text("import what_the_kit_does_not_have\n")
        command = [sys.executable, "-P", str(SCRIPT), str(tmp_path / "source"), str(tmp_path), "60", "2"]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, json.loads((tmp_path / "tests.json").read_text())

    return run


def test_passed_failed_and_skipped_are_counted(stage_of_tests):
    code, found = stage_of_tests("passes", "fails", "skips")
    assert code == 1
    assert (found["passed"], found["failed"]) == (1, ["tests.test_fails.test_two"])
    assert found["skipped"] == ["tests.test_skips.test_three: no second GPU"]
    names = ("passes.test_one", "fails.test_two", "skips.test_three")
    assert set(found["slowest"]) == {f"tests.test_{name}" for name in names}
