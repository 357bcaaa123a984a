import json
import re
import sys

import pytest

from xalign_fairseq.cli import doctor, main
from xalign_fairseq.core.installation import FAIRSEQ


def test_a_healthy_installation(capsys):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("Nothing is wrong.\n")
    for said in (FAIRSEQ.replace("==", " "), "broadcast_object: ", "Sinkhorn on cpu: ", "apex: ", "GPU", "nvcc: "):
        assert said in out


@pytest.mark.usefixtures("no_transformers")
def test_a_missing_package_is_reported_and_the_rest_is_checked(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "msgspec", None)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert re.search(r"^GPUs\n  WRONG GPUs: not checked: .*msgspec", out, re.MULTILINE)
    assert " checks found something wrong.\n" in out


def test_an_import_that_fails_is_reported_with_the_patches(monkeypatch):
    import xalign_fairseq
    from xalign_fairseq.trainer import compat

    def broken():
        raise ImportError("no module named anything")

    monkeypatch.setattr(xalign_fairseq, "register", broken)
    found = doctor.patches()
    assert [finding.level for finding in found] == ["ok"] * len(compat.apply()) + ["WRONG"]
    assert "ImportError: no module named anything" in found[-1].text


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """A function that replaces the package's recorded runs by other ones."""

    def put(*runs):
        monkeypatch.setattr(doctor, "RUNS", tmp_path / "runs.json")
        (tmp_path / "runs.json").write_text(json.dumps({"runs": runs}))

    return put


def run(**stages):
    found = {name: {"status": status, "seconds": 3.0} for name, status in stages.items()}
    about = {"device": "NVIDIA H100", "driver": "580.1", "torch": "2.11.0", "cuda": "13.0", "python": "3.12.3"}
    return {**about, "commit": "abc1234", "date": "2026-11-22", "stages": found}


def test_without_runs_the_report_says_that_nothing_was_verified(runs):
    runs()
    (finding,) = doctor.verified_gpus()
    assert finding.level == "note" and "not verified on any GPU" in finding.text


def test_a_run_shows_gpu_versions_and_stages(runs):
    runs(run(install="passed", tests="passed"), run(install="passed", tests="failed", models="not measured"))
    good, bad = doctor.verified_gpus()
    assert good.level == "ok" and good.text.endswith("\npassed: install, tests")
    assert "NVIDIA H100 (driver 580.1, torch 2.11.0, commit abc1234), 2026-11-22" in good.text
    assert bad.level == "note"
    assert bad.text.endswith("\npassed: install; failed: tests; not measured: models")
