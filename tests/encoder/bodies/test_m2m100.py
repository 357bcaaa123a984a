"""The encoder of M2M-100 and NLLB: transformers' states, scaled embeddings and sines of places."""

import pytest
from support.body_folders import assert_same_states


@pytest.mark.parametrize("scale", [True, False])
def test_states_are_those_of_transformers(tmp_path, scale):
    assert_same_states(tmp_path, "m2m_100", scale_embedding=scale)


def test_the_decoder_is_left_out(tmp_path):
    encoder = assert_same_states(tmp_path, "m2m_100")
    assert not [name for name, _ in encoder.named_parameters() if "encoder_attn" in name]
