"""Embeddings of linked words by several checkpoints: cosines by hand, and a picture."""

import pytest
import torch

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation.embedding_comparison import compare_embeddings, draw_embeddings

PAIRS = [("house", "tree"), ("red", "green"), ("house", "ship")]


@pytest.fixture
def other(transfer_encoder, tmp_path):
    """The checkpoint with the same vector for every token."""
    state = checkpoint.read(transfer_encoder)
    for key in [key for key in state["model"] if key.endswith(("embed_tokens.weight", "lm_head.weight"))]:  # tied
        state["model"][key] = torch.ones_like(state["model"][key])
    torch.save(state, tmp_path / "other.pt")
    return tmp_path / "other.pt"


def test_cosines_of_linked_and_of_other_pairs(transfer_encoder, other):
    state = checkpoint.read(transfer_encoder)
    encoder, _ = checkpoint.load_encoder(state)
    tokenizer = load_tokenizer(state, encoder.config.vocab_size)
    weight = encoder.sentence_encoder.embed_tokens.weight.detach().double()

    def cosine(*words):
        vectors = (torch.stack([weight[k] for k in tokenizer.encode(word)]).mean(0) for word in words)
        return torch.cosine_similarity(*vectors, dim=0).item()

    mine, same = compare_embeddings({"mine": str(transfer_encoder), "same": str(other)}, PAIRS)
    assert mine.checkpoint == "mine" and mine.src.shape == mine.tgt.shape == (3, 32) and mine.src[0].equal(mine.src[2])
    assert mine.cosine == pytest.approx(sum(cosine(*pair) for pair in PAIRS) / 3, abs=1e-6)
    rest = [("house", "green"), ("red", "tree"), ("red", "ship")]
    assert mine.others == pytest.approx(sum(cosine(*pair) for pair in rest) / 3, abs=1e-6)
    assert same.text() == "mean cosine of linked words 1.000, of other pairs 1.000"
    [single] = compare_embeddings({"mine": str(transfer_encoder)}, PAIRS[:1])
    assert single.others is None and "other pairs" not in single.text()


def test_a_picture(transfer_encoder, tmp_path):
    pytest.importorskip("matplotlib")
    compared = compare_embeddings({"mine": str(transfer_encoder)}, PAIRS)
    draw_embeddings(compared, PAIRS, tmp_path / "words.png")
    assert (tmp_path / "words.png").read_bytes().startswith(b"\x89PNG")
