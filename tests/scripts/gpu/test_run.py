"""The runner with tiny stages: failures, timeouts, and stages that can't be measured."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def stage(gpu_script):
    """A function that makes a stage from a line of sh."""
    make = gpu_script("stages").Stage
    return lambda name, line, **more: make(
        name, ("sh", "-c", line), **{"seconds": 20, "least": 0, "cuda": False, **more}
    )


@pytest.fixture
def runner(gpu_script, kit, machine, tmp_path):
    """A function that makes a runner of stages."""
    run = gpu_script("run")

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


def test_a_stage_that_takes_too_long_is_stopped_and_not_tried_again(runner, stage, results, tmp_path):
    stages = stage("slow", "echo x >> {work}/tries; sleep 60", seconds=1), stage("next", "true")
    assert runner(*stages).run([]) == 1
    assert statuses(results()) == {"slow": "timed out", "next": "passed"}
    assert results()["slow"]["reason"] == "not finished after 1 s"
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


def test_every_stage_can_be_told_apart_and_its_command_filled(gpu_script):
    stages = gpu_script("stages").STAGES
    names = dict.fromkeys(
        (*("python", "machine_python", "source", "data", "encoder", "kit"), *("work", "files", "seconds", "minutes")),
        "x",
    )
    assert len({stage.name for stage in stages}) == len(stages)
    # A quarter of an hour: first a trace of the device, then training, then the aligner.
    assert [stage.name for stage in stages[:4]] == ["install", "steps", "training", "aligner"]
    assert sum(stage.seconds for stage in stages[1:4]) <= 840
    for stage in stages:
        assert [part.format(**names) for part in stage.command]
        for script in (part.removeprefix("{source}/") for part in stage.command if part.endswith(".py")):
            assert (ROOT / script).is_file()
        assert stage.least < stage.seconds <= 580  # a command there may take ten minutes
