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
    monkeypatch.setitem(sys.modules, "xalign_fairseq.transport.diagnosis", None)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert re.search(r"^Sinkhorn\n  WRONG Sinkhorn: not checked: .*diagnosis", out, re.MULTILINE)
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
