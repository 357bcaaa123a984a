import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.mmap import MMapWriter, dtype_for_vocabulary
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.encoder.vocabulary import require_same_tokenizer, tokenizer_state
from xalign_fairseq.training.procrustes import LinkedBitext, with_maps

LETTERS = "abcdefghijklmnop"


@pytest.fixture
def data(tmp_path):
    """A data-bin of en-de and fr-en with links word by word."""
    Dictionary(LETTERS).save(tmp_path / "dict.txt")
    for src, tgt in (("en", "de"), ("fr", "en")):
        name = f"train.{src}-{tgt}"
        files = {lang: [[4 + i, 5 + i, 6 + i, 2] for i in range(8)] for lang in (src, tgt)}
        files |= {f"{lang}.words": [[0, 1, 2]] * 8 for lang in (src, tgt)}
        files["links"] = [[0, 0, 1, 1, 1, 1, 2, 2, 0]] * 8  # the last link is a possible one
        for suffix, rows in files.items():
            with MMapWriter(tmp_path / f"{name}.{suffix}", dtype_for_vocabulary(30)) as writer:
                for row in rows:
                    writer.add(row)
    return DataBin(tmp_path)


def test_every_linked_pair_is_read_once_for_any_batches(data):
    bitext = LinkedBitext(data, "train", ["en-de", "fr-en"], None, 32)
    assert (bitext.pivot, bitext.languages, len(bitext)) == ("en", ["de", "en", "fr"], 16)
    for most in (1, 20, 1000):  # a pair longer than the maximum is a separate batch
        batches = list(bitext.batches(most, torch.device("cpu"), None))
        rows = [row for batch in batches for row in batch.tokens.tolist()]
        assert len(rows) == 16 and len({tuple(row) for row in rows}) == 8
        assert sum(len(batch.links) for batch in batches) == 16 * 2  # only sure links
        assert len(batches) == 16 if most == 1 else len(batches) < 16


def test_a_checkpoint_without_a_tokenizer_gets_that_of_the_data(data):
    state, maps = {"args": None, "cfg": {}, "model": {}}, LanguageMaps(["de"], "en", 1, 4)
    assert with_maps(state, maps, data)["task_state"]["tokenizer"]["symbols"] == data.dictionary.symbols
    kept = {"tokenizer": {"symbols": ["own"]}, "other": 1}
    assert with_maps({**state, "task_state": kept}, maps, data)["task_state"] == kept


def test_a_data_bin_of_other_ids_is_refused(data):
    require_same_tokenizer(tokenizer_state(data.dictionary, None), data, 21)
    require_same_tokenizer({}, data, 21)
    with pytest.raises(XalignError, match="found: 21 ids"):
        require_same_tokenizer({}, data, 22)
    with pytest.raises(XalignError, match="not the one"):
        require_same_tokenizer(tokenizer_state(Dictionary(LETTERS[::-1]), None), data, 21)
