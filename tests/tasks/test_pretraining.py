import os

import numpy as np
import pytest

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.data.mmap import MMapWriter  # noqa: E402
from xalign_fairseq.errors import XalignError  # noqa: E402
from xalign_fairseq.tasks.pretraining import XalignPretrainingConfig, XalignPretrainingTask  # noqa: E402


@pytest.fixture
def shard(tmp_path):
    """Make a data-bin of one pair with the given symbols."""

    def make(name, pair, symbols="abc"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "dict.txt").write_text("".join(f"{symbol} 1\n" for symbol in symbols))
        for lang in pair.split("-"):
            with MMapWriter(folder / f"train.{pair}.{lang}", np.uint16) as writer:
                writer.add([4, 5, 2])
        return folder

    return make


def task(*folders, **options):
    data = os.pathsep.join(map(str, folders))
    made = XalignPretrainingTask(XalignPretrainingConfig(data=data, seed=1, **options))
    made.needs = {"bitext"}
    return made


def test_a_shard_may_hold_other_pairs_than_the_first(shard):
    both = task(shard("one", "en-fr"), shard("two", "de-en"))
    numbers = []
    for epoch in (1, 2, 3):
        both.load_dataset("train", epoch=epoch)
        numbers.append(both.datasets["train"][0].corpus)
    assert both.pair_names == ["de-en", "en-fr"]
    assert numbers == [1, 0, 1]


def test_shards_of_different_dictionaries_stop_at_once(shard):
    with pytest.raises(XalignError, match=r"different dictionaries[\s\S]*one[\s\S]*two"):
        task(shard("one", "en-fr"), shard("two", "en-fr", "acb"))


def test_a_missing_shard_stops_at_once(shard, tmp_path):
    with pytest.raises(XalignError, match=r"does not exist[\s\S]*nowhere"):
        task(shard("one", "en-fr"), tmp_path / "nowhere")


@pytest.mark.parametrize("symbols", ["abcd", "acb"])
def test_a_checkpoint_of_another_dictionary_is_refused(shard, symbols):
    state = task(shard("one", "en-fr")).state_dict()
    task(shard("same", "en-fr")).load_state_dict(state)
    with pytest.raises(XalignError, match=r"not the one that the checkpoint was trained with"):
        task(shard("two", "en-fr", symbols)).load_state_dict(state)
