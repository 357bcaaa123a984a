"""On which GPUs the package was verified, as ``xalign doctor`` tells it."""

import json

import pytest

from xalign_fairseq.cli import _doctor_gpus
from xalign_fairseq.core.json_files import read_json


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """The function that puts other runs in the place of the package's."""

    def put(*runs):
        monkeypatch.setattr(_doctor_gpus, "RUNS", tmp_path / "runs.json")
        (tmp_path / "runs.json").write_text(json.dumps({"runs": runs}))

    return put


def run(**stages):
    found = {name: {"status": status, "seconds": 3.0} for name, status in stages.items()}
    about = {"device": "NVIDIA H100", "driver": "580.1", "torch": "2.11.0", "cuda": "13.0", "python": "3.12.3"}
    return {**about, "commit": "abc1234", "date": "2026-11-22", "stages": found}


def test_without_runs_it_is_said_that_nothing_was_verified(runs):
    runs()
    (finding,) = _doctor_gpus.verified()
    assert finding.level == "note" and "not verified on any GPU" in finding.text


def test_a_run_tells_gpu_versions_and_stages(runs):
    runs(run(install="passed", tests="passed"), run(install="passed", tests="failed", models="not measured"))
    good, bad = _doctor_gpus.verified()
    assert good.level == "ok" and good.text.endswith("\npassed: install, tests")
    assert "NVIDIA H100 (driver 580.1, torch 2.11.0, commit abc1234), 2026-11-22" in good.text
    assert bad.level == "note"
    assert bad.text.endswith("\npassed: install; failed: tests; not measured: models")


def test_the_packages_own_file_is_read():
    assert len(_doctor_gpus.verified()) == max(1, len(read_json(_doctor_gpus.RUNS)["runs"]))
