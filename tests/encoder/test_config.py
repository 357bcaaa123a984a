import argparse

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig


def test_layers_count_from_both_ends():
    config = EncoderConfig(vocab_size=10)
    assert [config.resolve_layer(asked) for asked in (0, 7, 12, -1, -2, -13)] == [0, 7, 12, 12, 11, 0]
    for asked in (13, -14):
        with pytest.raises(XalignError, match=rf"no such layer[\s\S]*layer[\s\S]*{asked}[\s\S]*0 .*to 12"):
            config.resolve_layer(asked)
    with pytest.raises(XalignError, match="10 and 4"):
        EncoderConfig(vocab_size=10, encoder_embed_dim=10, encoder_attention_heads=4)


def test_sizes_are_read_from_options_of_any_kind():
    options = {"encoder_layers": 3, "max_positions": 99, "vocab_size": 7, "dropout": None, "unrelated": 1}
    expected = EncoderConfig(vocab_size=11, encoder_layers=3, max_positions=99)
    assert EncoderConfig.from_options(options, vocab_size=11) == expected
    assert EncoderConfig.from_options(argparse.Namespace(**options), vocab_size=11) == expected


def test_options_restore_the_encoder():
    plain = EncoderConfig(vocab_size=100, encoder_layers=3, encoder_embed_dim=16, encoder_attention_heads=2)
    assert "language_embeddings" not in plain.as_options()
    assert not {"layer_norm_eps", "token_types"} & plain.as_options().keys()
    other = EncoderConfig(
        vocab_size=100, max_positions=66, language_embeddings="de,en", layer_norm_eps=1e-12, token_types=2
    )
    for config in (plain, other):
        assert EncoderConfig.from_options(config.as_options(), vocab_size=100) == config


@pytest.mark.parametrize(
    "sizes", [{"encoder_layers": 10**6}, {"encoder_embed_dim": 2**63}, {"vocab_size": 0}, {"dropout": 2.0}]
)
def test_impossible_sizes_are_refused(sizes):
    with pytest.raises(XalignError, match=f"where: {next(iter(sizes))}"):
        EncoderConfig(**{"vocab_size": 10, **sizes})
