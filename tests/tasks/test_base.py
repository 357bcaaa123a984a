import numpy as np
import pytest
from support.small import MASK
from support.text import write

import xalign_fairseq

xalign_fairseq.register()

from fairseq.data import FairseqDataset  # noqa: E402

from xalign_fairseq.data.streams import MonoStream  # noqa: E402
from xalign_fairseq.tasks.base import FairseqStreams  # noqa: E402


@pytest.mark.parametrize("training", [True, False])
def test_the_dataset_has_fairseqs_interface(tmp_path, training):
    blocks = MonoStream([write(tmp_path / "m", [[50, 51, 52, 2]] * 30)], 11)
    dataset = FairseqStreams(None, blocks, MASK, 1, training)
    assert isinstance(dataset, FairseqDataset) and dataset.can_reuse_epoch_itr_across_epochs is not training
    indices = np.arange(3)
    assert dataset.filter_indices_by_size(indices, None)[0] is indices
    assert dataset.num_tokens(0) == dataset.size(0) == 11
