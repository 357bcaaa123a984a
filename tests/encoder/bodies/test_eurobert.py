"""EuroBERT: transformers' states, with heads that share keys and values."""

from support.body_folders import assert_same_states


def test_states_are_those_of_transformers(tmp_path):
    encoder = assert_same_states(tmp_path, "eurobert")
    attention = encoder.sentence_encoder.layers[0].inner.self_attn
    assert attention.k_proj.weight.shape[0] * 2 == attention.q_proj.weight.shape[0]
