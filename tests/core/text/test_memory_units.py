import gzip

import pytest

from xalign_fairseq.core.text import memory_units as module
from xalign_fairseq.core.text.memory_units import memory_units


@pytest.mark.parametrize("block", [1, 3, 7, 1 << 16])
def test_the_pieces_are_the_file(tmp_path, monkeypatch, block):
    monkeypatch.setattr(module, "BLOCK", block)
    units = [
        "<tu><seg>a &amp; b</seg></tu>\n ",
        '<tu tuid=">"><!-- <tu> --><seg/></tu>',
        "<tu><![CDATA[</tu>]]></tu>\t",
    ]
    between = ["<tmx><body>\n", "<!-- comment --> ", "<?order 1?>", "</body></tmx>\n"]
    path = tmp_path / "m.tmx.gz"
    path.write_bytes(gzip.compress("".join(b + u for b, u in zip(between, [*units, ""], strict=True)).encode()))
    found = list(memory_units(path))
    assert found == [(b.encode(), u.encode()) for b, u in zip(between, [*units, ""], strict=True)]
