"""ModernBERT: transformers' states, and layers that see near tokens alone."""

import torch
from support.body_folders import assert_same_states, ragged_tokens


def test_states_are_those_of_transformers(tmp_path):
    assert_same_states(tmp_path, "modernbert")


def test_states_are_those_of_transformers_where_no_sentence_is_longer_than_a_window(tmp_path):
    assert_same_states(tmp_path, "modernbert", lengths=(5, 4, 2))


def test_settings_of_old_releases_are_read(tmp_path):
    encoder = assert_same_states(tmp_path, "modernbert", layer_types=["sliding_attention"] * 2 + ["full_attention"] * 2)
    kinds = [layer.inner.attention_type for layer in encoder.sentence_encoder.layers]
    assert kinds == ["sliding_attention"] * 2 + ["full_attention"] * 2


def test_a_layer_of_near_tokens_sees_no_further(tmp_path):
    encoder = assert_same_states(tmp_path, "modernbert", layer_types=["sliding_attention"] * 4)
    tokens = ragged_tokens(encoder, (19,))
    other = tokens.clone()
    other[0, 18] = 5 if tokens[0, 18] != 5 else 6
    near = encoder.states(tokens, grad=False).layer(1) - encoder.states(other, grad=False).layer(1)
    changed = near.abs().amax(2)[0] > 0
    assert changed.nonzero().flatten().tolist() == list(range(14, 19))  # 4 to each side
    torch.testing.assert_close(near[0, :14], torch.zeros(14, 32))


def test_windows_change_a_joint_pair_only_where_it_is_longer_than_they_reach(tmp_path):
    """With windows of 4 to each side, pairs of 5 tokens in all have the states of layers that see everything."""
    windowed = assert_same_states(tmp_path / "near", "modernbert")
    whole = assert_same_states(tmp_path / "all", "modernbert", local_attention=1000)
    for length, same in ((5, True), (6, False)):
        tokens = ragged_tokens(windowed, (length,))
        near, far = (each.states(tokens, grad=False).layer(-1) for each in (windowed, whole))
        assert torch.allclose(near, far, atol=1e-5) is same
