"""WEAM's scripts: errors for what they cannot train."""

import numpy as np
import pytest

from tests.examples.stand_ins import run_script
from xalign_fairseq.data.mmap import MMapWriter


@pytest.mark.parametrize(("pair", "told"), [("en-de", "name it de-en"), ("fr-en", "train fr-en"), ("de", "train de-")])
def test_a_pair_that_is_not_there_is_told(tmp_path, pair, told):
    data = tmp_path / "data"
    data.mkdir()
    (data / "dict.txt").write_text("a 1\n")
    for lang in ("de", "en"):
        with MMapWriter(data / f"train.de-en.{lang}", np.uint16) as writer:
            writer.add([4, 2])
    (tmp_path / "model.pt").touch()
    done = run_script(
        tmp_path, "weam/2_train.sh", data, tmp_path / "run", "weam", pair, INIT=str(tmp_path / "model.pt")
    )
    assert done.returncode == 2 and not done.stdout and not (tmp_path / "run").exists()
    assert done.stderr.startswith("error: the data-bin has no such language pair") and told in done.stderr
