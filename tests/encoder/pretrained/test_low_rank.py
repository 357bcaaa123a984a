import numpy as np
import pytest
import torch

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.core.array_files import ArrayForm, read_arrays, write_arrays
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.low_rank import (
    NAME,
    PACKAGED,
    RECORD,
    is_low_rank,
    packaged_sets,
    record_of,
    write_low_rank,
)
from xalign_fairseq.encoder.pretrained.reading import find_pretrained, read_pretrained
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.scored import PACKAGED as SCORER
from xalign_fairseq.transport.scored import load_scorer

CHANGED = "sentence_encoder.layers.1.fc1.weight"


@pytest.fixture
def made(tiny_checkpoint, tmp_path):
    """A file, the change in it, and its scorer."""
    torch.manual_seed(3)
    scorer = LinkScorer(16, (1, 3), (3,), rank=4, width=8).eval()
    rows, columns = read_pretrained(tiny_checkpoint)[0]["model"][f"encoder.{CHANGED}"].shape
    pair = torch.randn(rows, 2), torch.randn(2, columns)
    record = {"model": str(tiny_checkpoint), "sets": {"en-xx": {"sha256": "1"}}}
    write_low_rank(tmp_path / "encoder.npz", {CHANGED: pair}, scorer.state_dict(), record)
    return tmp_path / "encoder.npz", pair, scorer


def test_the_product_is_added_and_the_scorer_is_the_model_s_own(made, tiny_checkpoint):
    path, (up, down), scorer = made
    before, after = (read_pretrained(each)[0]["model"] for each in (tiny_checkpoint, path))
    assert {name for name in before if not torch.equal(before[name], after[name])} == {f"encoder.{CHANGED}"}
    change = after[f"encoder.{CHANGED}"] - before[f"encoder.{CHANGED}"]
    torch.testing.assert_close(change, up @ down, atol=0.02, rtol=0.01)  # in half precision
    with Aligner.from_pretrained(path, device="cpu", dtype="float32") as aligner:
        assert aligner.linking.method == "scored" and aligner.linking.layers == (1, 3)
        for name, value in aligner.scorer.state_dict().items():
            torch.testing.assert_close(value, scorer.state_dict()[name])
    with Aligner.from_pretrained(path, linking=Linking("grow"), device="cpu") as aligner:
        assert aligner.linking.method == "grow"


def test_the_packaged_model_was_not_trained_on_test_languages():
    assert find_pretrained(NAME) == PACKAGED and is_low_rank(PACKAGED)
    assert PACKAGED.stat().st_size < 1_100_000
    record = record_of(read_arrays(PACKAGED, ArrayForm(np.generic)))
    assert record["model"] == "e5-small" and list(record["sets"]) == ["en-cs", "ja-en", "en-es", "en-pt"]
    assert packaged_sets() == {each["sha256"] for each in load_scorer(SCORER)[1]["sets"].values()}


def test_a_damaged_file_is_refused(made, tmp_path):
    path, _, _ = made
    arrays = read_arrays(path, ArrayForm(np.generic))
    short = {name: each[:1] if name.endswith("/up") else each for name, each in arrays.items()}
    for content in ({}, short, {name: each for name, each in arrays.items() if not name.endswith("/down")}):
        write_arrays(tmp_path / "bad.npz", content)
        with pytest.raises(XalignError, match="no change of a model"):
            read_pretrained(tmp_path / "bad.npz")
    (tmp_path / "bad.npz").write_bytes(path.read_bytes()[:100])
    with pytest.raises(XalignError, match="damaged"):
        read_pretrained(tmp_path / "bad.npz")
    write_arrays(tmp_path / "bad.npz", arrays | {RECORD: np.array('{"model": "moved.pt", "sets": {}}')})
    with pytest.raises(XalignError, match=r"(?s)does not exist.*moved\.pt"):
        read_pretrained(tmp_path / "bad.npz")
