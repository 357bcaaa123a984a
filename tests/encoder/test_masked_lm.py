import torch
import torch.nn.functional as F

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.masked_lm import EMBEDDINGS, HEAD, PARTS, has_head, is_same, new_head, usable
from xalign_fairseq.encoder.transformer import Encoder

CONFIG = EncoderConfig(30, 1, 16, 16, 2)


def test_a_complete_tied_head_is_kept(caplog):
    weights = {f"encoder.{name}": value for name, value in Encoder(CONFIG).state_dict().items()}
    assert usable(weights) == weights and has_head(weights)
    once = {name: value for name, value in weights.items() if name != HEAD + "weight"}
    assert usable(once) == once
    assert usable({**weights, HEAD + "weight": weights[EMBEDDINGS].clone()}).keys() == weights.keys()
    assert not caplog.records


def test_second_names():
    one = torch.ones(2)
    assert is_same(one, one) and is_same(one, one.clone()) and is_same(None, one) and is_same(one, None)
    assert not any(is_same(one, other) for other in (one + 1, torch.ones(3), one[:1]))


def logits(embeddings, hidden, scores=None):
    """Of a new head on the embeddings."""
    encoder = Encoder(EncoderConfig(len(embeddings), 1, 16, 16, 2))
    encoder.sentence_encoder.embed_tokens.weight.data.copy_(embeddings)
    head = new_head(embeddings, scores)
    encoder.lm_head.load_state_dict({name.removeprefix(HEAD): value for name, value in head.items()})
    with torch.no_grad():
        return encoder.lm_head(hidden)


def test_a_new_head_predicts_the_pieces_that_states_are_closest_to():
    generator = torch.Generator().manual_seed(1)
    embeddings = F.layer_norm(torch.randn(30, 16, generator=generator), (16,))
    assert torch.equal(logits(embeddings, embeddings).argmax(1), torch.arange(30))
    hidden = torch.rand(9, 16, generator=generator) * 3 - 1.5
    expected = F.layer_norm(hidden, (16,)) @ embeddings.T
    torch.testing.assert_close(logits(embeddings, hidden), expected, rtol=0, atol=0.3)
    scores = [-1.5 - i for i in range(25)]
    difference = logits(embeddings, hidden, scores) - logits(embeddings, hidden)
    lowest = scores[-1]
    torch.testing.assert_close(difference[0], torch.tensor([*[lowest] * 4, *scores, lowest]), rtol=0, atol=1e-4)


def test_a_new_head_is_tied_and_draws_nothing():
    embeddings = torch.ones(30, 16)
    before = torch.get_rng_state()
    head = new_head(embeddings)
    assert torch.equal(torch.get_rng_state(), before)
    assert head[HEAD + "weight"].data_ptr() == embeddings.data_ptr() and not head[HEAD + "bias"].any()
    assert {*head} == {HEAD + part for part in ("weight", *PARTS)}
