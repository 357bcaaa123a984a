import pytest
import torch

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.data.batches import Batch, collate  # noqa: E402
from xalign_fairseq.data.inputs import Input  # noqa: E402
from xalign_fairseq.data.samples import (  # noqa: E402
    MaskOptions,
    block_sample,
    pair_sample,
)
from xalign_fairseq.data.streams import Pair  # noqa: E402
from xalign_fairseq.encoder.config import EncoderConfig  # noqa: E402
from xalign_fairseq.encoder.transformer import Encoder  # noqa: E402
from xalign_fairseq.models.xalign import XalignModel  # noqa: E402

SIZES = {
    "vocab_size": 60,
    "encoder_layers": 2,
    "encoder_embed_dim": 16,
    "encoder_ffn_embed_dim": 32,
    "encoder_attention_heads": 2,
}
SPEAKING = EncoderConfig(**SIZES, language_embeddings="bb,aa,cc")
TOKENS = torch.tensor([[0, 5, 6, 7, 2, 8, 9, 2], [0, 5, 2, 6, 2, 1, 1, 1]])


def encoder(config=SPEAKING, seed=0):
    torch.manual_seed(seed)
    return Encoder(config).double().eval()


def test_layer_zero_is_the_norm_of_three_embeddings():
    made = encoder()
    languages = torch.tensor([[0], [2]])
    parts = made.sentence_encoder
    found = made.states(Input(TOKENS, languages)).layer(0)
    for row, language in enumerate((0, 2)):
        for place in range(8):
            if TOKENS[row, place] == 1:
                assert not found[row, place].any()
                continue
            total = (
                parts.embed_tokens.weight[TOKENS[row, place]]
                + parts.embed_positions.weight[place + 2]
                + parts.embed_languages.weight[language]
            )
            torch.testing.assert_close(found[row, place], parts.layernorm_embedding(total))


def test_given_positions_replace_the_count():
    made = encoder(EncoderConfig(**SIZES))
    counted = torch.arange(8).expand(2, 8)
    assert torch.equal(made.states(Input(TOKENS, positions=counted)).layer(), made.states(TOKENS).layer())
    again = torch.tensor([[0, 1, 2, 3, 4, 1, 2, 3]]).expand(2, 8)
    assert not torch.equal(made.states(Input(TOKENS, positions=again)).layer(), made.states(TOKENS).layer())


def test_a_language_must_be_given_and_known():
    with pytest.raises(XalignError, match="language of a text was not given"):
        encoder().states(TOKENS).layer(0)
    assert SPEAKING.languages == ("bb", "aa", "cc") and SPEAKING.language_row("aa") == 1
    with pytest.raises(XalignError, match="bb, aa, cc"):
        SPEAKING.language_row("dd")
    with pytest.raises(XalignError, match="twice"):
        EncoderConfig(**SIZES, language_embeddings="aa,aa")


def batch():
    rng = __import__("numpy").random.default_rng(3)
    options = MaskOptions(mask=59, vocab=60, probability=0.5)
    pairs = [
        pair_sample(Pair(0, rng.integers(4, 58, n), rng.integers(4, 58, m), langs=langs), rng, options)
        for n, m, langs in ((3, 2, (0, 1)), (1, 4, (1, 0)))
    ]
    blocks = [block_sample(rng.integers(4, 58, 6), rng, options, lang=lang) for lang in (2, 0)]
    # numbers of the data (aa, bb, cc) -> rows of the encoder (bb, aa, cc)
    return Batch.from_sample(collate(pairs, blocks), torch.tensor([1, 0, 2]))


def test_tokens_of_a_pair_have_their_sides_language_and_reset_positions():
    bitext, mono = batch().bitext, batch().mono
    given = bitext.input("masked", reset_positions=True)
    assert given.tokens is bitext.masked
    assert given.languages.tolist() == [[1, 1, 1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1, 1]]
    assert given.positions.tolist() == [[0, 1, 2, 3, 4, 1, 2, 3], [0, 1, 2, 1, 2, 3, 4, 5]]
    assert bitext.side_input(1).languages.tolist() == [[0], [1]]
    assert mono.input().languages.tolist() == [[2], [1]]
    # A target word has the same embedding as in its side alone.
    made = encoder()
    read = bitext.input(reset_positions=True)
    joint, alone = made.states(read).layer(0), made.states(bitext.side_input(1)).layer(0)
    torch.testing.assert_close(joint[0, 5:7], alone[0, 1:3])


def test_language_embeddings_can_be_added_to_a_checkpoint(caplog):
    torch.manual_seed(0)
    plain, speaking = XalignModel(EncoderConfig(**SIZES)), XalignModel(SPEAKING)
    own = speaking.encoder.sentence_encoder.embed_languages.weight.detach().clone()
    speaking.load_state_dict(plain.state_dict())
    assert torch.equal(speaking.encoder.sentence_encoder.embed_languages.weight, own)
    assert "embed_languages" in caplog.text
    torch.testing.assert_close(
        speaking.encoder.sentence_encoder.embed_tokens.weight, plain.encoder.sentence_encoder.embed_tokens.weight
    )
