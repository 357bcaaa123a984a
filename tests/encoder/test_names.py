import torch

from xalign_fairseq.encoder import names


def test_joint_projections_are_split_in_the_order_q_k_v():
    old = {"decoder.sentence_encoder.layers.2.self_attn.in_proj_weight": torch.arange(6.0).view(6, 1)}
    found = names.today(old)
    prefix = "encoder.sentence_encoder.layers.2.self_attn."
    assert {key: value.flatten().tolist() for key, value in found.items()} == {
        f"{prefix}q_proj.weight": [0, 1],
        f"{prefix}k_proj.weight": [2, 3],
        f"{prefix}v_proj.weight": [4, 5],
    }


def test_old_names_become_todays_and_buffers_without_weights_go():
    old = {
        "decoder.sentence_encoder.emb_layer_norm.bias": torch.zeros(1),
        "decoder.lm_head.dense.weight": torch.ones(1),
        "decoder.sentence_encoder.embed_positions._float_tensor": torch.ones(1),
        "encoder.sentence_encoder.version": torch.ones(1),
    }
    assert set(names.today(old)) == {
        "encoder.sentence_encoder.layernorm_embedding.bias",
        "encoder.lm_head.dense.weight",
    }


def test_todays_names_stay(roberta):
    state = {key: value for key, value in roberta[0].state_dict().items() if not key.endswith("version")}
    state["heads.transfer_pos.features.layers.0.self_attn.in_proj_bias"] = torch.zeros(6)
    found = names.today(state)
    assert list(found) == list(state)
    assert all(found[key] is state[key] for key in state)
