import pytest
import torch

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.vocabulary import load_tokenizer
from xalign_fairseq.evaluation.embedding_comparison import compare_embeddings, frequent_pairs

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


SENTENCES = [
    (["The", "house", ",", "2"], ["das", "Haus", ",", "3"]),
    (["the", "Berlin", "house"], ["Haus", "Berlin", "das"]),
    (["a", "tree"], ["Baum"]),
]
LINKS = [{(0, 0), (1, 1), (2, 2), (3, 3)}, {(0, 2), (1, 1), (2, 0)}, {(1, 0), (0, 0)}]


def test_pairs_by_frequency_without_identical_words_and_without_numbers():
    assert frequent_pairs(SENTENCES, LINKS) == [
        (("house", "Haus"), 2),
        (("The", "das"), 1),
        (("the", "das"), 1),
        (("a", "Baum"), 1),
        (("tree", "Baum"), 1),
    ]
    left = frequent_pairs(SENTENCES, LINKS, {"the", "baum"})  # on either side, case-insensitive
    assert [pair for pair, _ in left] == [("house", "Haus")]
    with pytest.raises(XalignError, match="no linked pair"):
        frequent_pairs([(["1", "x"], ["2", "x"])], [{(0, 0), (1, 1)}])
