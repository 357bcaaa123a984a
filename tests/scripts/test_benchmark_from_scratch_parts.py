"""What the parts of the aligner of bitext alone are worth, on a made-up text."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest
import torch
from support.text import write_bitext

from xalign_fairseq.aligner.statistical import folder as folders
from xalign_fairseq.aligner.statistical import learning
from xalign_fairseq.aligner.statistical.batches import batches, both_directions
from xalign_fairseq.aligner.statistical.tables import FIRST, first_tables

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture
def parts(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    spec = importlib.util.spec_from_file_location("parts", SCRIPTS / "benchmark_from_scratch_parts.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def test_a_row_for_each_part(parts, tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "NAMES", ("word", "prefix2"))
    text = tmp_path / "text" / "de-en"
    text.mkdir(parents=True)
    for path, lang in zip(write_bitext(text), ("de", "en"), strict=True):
        Path(path).rename(text / f"all.{lang}")
    gold = tmp_path / "gold"
    gold.write_text("0-0 1-1 2-2 3-3\n" * 4)
    sets = {name: {"begin": 40, "end": 44, "gold": str(gold)} for name in ("dev", "test")}
    (text / "sets.json").write_text(json.dumps(sets))
    parts.main([str(tmp_path / "text"), "de-en", "--work", str(tmp_path / "work"), "--out", str(tmp_path)])
    record = json.loads((tmp_path / "from_scratch_parts.json").read_text())["de-en"]
    assert record["pairs"] == 48
    assert set(record["rows"]) == {"all", "without growing", "word alone", "without word", "prefix2 alone",
                                   "without prefix2", "without agreement", "without jumps"}  # fmt: skip
    assert record["rows"]["all"] == {"dev": 0, "test": 0}
    assert "| all | 0.0 | 0.0 | 0.0 | 0.0 |" in (tmp_path / "from_scratch_parts.md").read_text()
    assert learning.PASSES[1] > 0
    rows = {name: dict.fromkeys(("dev", "test"), 0.02) for name in record["rows"]}
    table = parts.write_table({"de-en 9 1": record, "de-en 9 2": {**record, "rows": rows}})
    assert "| all | 1.0 ± 1.4 | 1.0 ± 1.4 | 1.0 | 1.0 |" in table


def test_directions_apart_count_their_own_links(parts):
    src, tgt = [["a", "b"], ["a"]], [["x", "y"], ["x"]]
    tables = first_tables(src, tgt)
    text = list(batches(tables, src, tgt))
    apart, together = parts.pass_apart(tables, text), learning.one_pass(tables, text)
    forward, backward = (torch.zeros(len(tables.pairs)) for _ in range(2))
    for batch in text:
        one, other = both_directions(tables, batch)
        forward.index_add_(0, batch.rows.reshape(-1), one.partner.permute(1, 2, 0).reshape(-1))
        backward.index_add_(0, batch.rows.reshape(-1), other.partner.permute(1, 0, 2).reshape(-1))
    # Keys: a-x, a-y, b-x, b-y; of a source unit's the first direction sums to 1, of a target unit's the other.
    of_a, of_x = forward[FIRST : FIRST + 2], backward[FIRST::2]
    torch.testing.assert_close(apart.pairs[FIRST : FIRST + 2, 0], of_a / of_a.sum())
    torch.testing.assert_close(apart.pairs[FIRST::2, 1], of_x / of_x.sum())
    assert not torch.allclose(apart.pairs, together.pairs)
