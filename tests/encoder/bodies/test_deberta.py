"""DeBERTa: transformers' states, of v3's and of v2's kind, and what is refused."""

import pytest
from support.body_folders import assert_same_states, write_model
from support.huggingface_folders import configure

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.reading import read_pretrained


@pytest.mark.parametrize("kind", [
    {}, {"share_att_key": False}, {"position_biased_input": True}, {"relative_attention": False},
])  # fmt: skip
def test_states_are_those_of_transformers(tmp_path, kind):
    assert_same_states(tmp_path, "deberta-v2", **kind)


def test_a_convolution_is_refused(tmp_path):
    write_model(tmp_path, "deberta-v2")
    configure(tmp_path, conv_kernel_size=3)
    with pytest.raises(XalignError, match="conv_kernel_size 3"):
        read_pretrained(tmp_path)
