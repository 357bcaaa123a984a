import itertools

import pytest
import torch
from support.small import Letters

from xalign_fairseq.data.labelled.examples import WordsExample
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transfer.families.tagging import LinearChainCRF, Tagging
from xalign_fairseq.transfer.family import Limits

CONFIG = EncoderConfig(vocab_size=16, encoder_embed_dim=6, encoder_attention_heads=2)


def sentence(words, tags=None):
    return WordsExample("1", "en", tuple(words.split()), None if tags is None else tuple(tags.split()))


def family(**options):
    return Tagging(Letters(), ["ADJ", "NOUN", "VERB"], Limits(6, 1), options)


def prepare(task, examples, seed=1):
    """A batch, hidden states that depend only on the token, and a head."""
    torch.manual_seed(seed)
    batch = task.collate([task.encode(each) for each in examples])
    return batch, torch.randn(16, 6)[batch["tokens"]], task.build_head(CONFIG).eval()


def test_a_batch_holds_tags_where_words_are():
    batch, _, _ = prepare(family(), [sentence("ab c", "NOUN VERB"), sentence("d"), sentence("a b c", "X ADJ VERB")])
    assert batch["tags"].tolist() == [[1, 2, -1], [-1, -1, -1], [-1, 0, 2]]
    assert batch["word_position"].tolist() == [[1, 3, -1], [1, -1, -1], [1, 2, 3]]


def test_loss_of_the_linear_layer():
    batch, hidden, head = prepare(family(), [sentence("ab c", "NOUN VERB"), sentence("a", "X"), sentence("d")])
    total, words = family().loss(head, hidden, batch)
    probabilities = (torch.stack([hidden[0, 1], hidden[0, 3]]) @ head.linear.weight.T + head.linear.bias).softmax(1)
    torch.testing.assert_close(total, -(probabilities[0, 1].log() + probabilities[1, 2].log()))
    assert words == 2


def test_a_crf_that_has_learned_nothing_is_the_linear_layer():
    examples = [
        sentence("ab c", "NOUN VERB"),
        sentence("a b c d e f g", "VERB ADJ VERB X VERB VERB ADJ"),
        sentence("d"),
    ]
    batch, hidden, head = prepare(family(crf=True), examples)
    plain = family().build_head(CONFIG).eval()
    plain.linear = head.linear
    expected, words = family().loss(plain, hidden, batch)
    torch.testing.assert_close(family(crf=True).loss(head, hidden, batch), (expected, words))
    assert words == 8


@pytest.mark.parametrize("crf", [False, True])
def test_dropout_and_size(crf):
    head = family(crf=crf).build_head(CONFIG).train()
    assert not head(torch.ones(20, 4, 6)).allclose(head(torch.ones(20, 4, 6)))
    assert head(torch.ones(2, 4, 6)).shape == (2, 4, 3)


def test_a_crf_decides_loss_and_prediction():
    task, examples = family(crf=True), [sentence("a a a", "NOUN VERB NOUN")]
    batch, hidden, head = prepare(task, examples)
    before, _ = task.loss(head, hidden, batch)
    with torch.no_grad():
        head.crf.neighbours.fill_diagonal_(-1e4)  # no tag twice in a row
    assert task.loss(head, hidden, batch)[0] < before - 0.1
    [(first, second, third)] = task.predict(head, hidden, batch, examples)
    assert first != second != third


def test_predictions_are_valid_bio_on_request():
    labels = ("B-LOC", "I-LOC", "O")
    example = WordsExample("1", "en", ("a", "b"), ("I-LOC", "I-LOC"))
    for repair, expected in ((False, ["I-LOC", "I-LOC"]), (True, ["B-LOC", "I-LOC"])):
        task = Tagging(Letters(), labels, Limits(), {"repair_bio": repair})
        batch, hidden, head = prepare(task, [example])
        with torch.no_grad():
            head.linear.weight.zero_()
            head.linear.bias.copy_(torch.tensor([0.0, 1.0, 0.0]))
        assert task.predict(head, hidden, batch, [example]) == [expected]


LENGTHS = (4, 1, 3)


@pytest.fixture
def crf():
    torch.manual_seed(1)
    crf = LinearChainCRF(3).double()
    with torch.no_grad():
        for parameter in crf.parameters():
            parameter.normal_()
    return crf


@pytest.fixture
def batch():
    generator = torch.Generator().manual_seed(2)
    scores = torch.randn(3, 4, 3, generator=generator, dtype=torch.float64)
    tags = torch.randint(3, (3, 4), generator=generator)
    mask = torch.arange(4) < torch.tensor(LENGTHS)[:, None]
    return scores, tags.masked_fill(~mask, -1), mask


def score(crf, scores, tags):
    total = crf.first[tags[0]] + crf.last[tags[-1]] + sum(scores[w, tag] for w, tag in enumerate(tags))
    return (total + sum(crf.neighbours[a, b] for a, b in itertools.pairwise(tags))).item()


def taggings(crf, scores):
    """Every tagging of one sentence (W, tags) and its score."""
    return {tags: score(crf, scores, tags) for tags in itertools.product(range(3), repeat=len(scores))}


def log_sum(values):
    return torch.tensor(list(values), dtype=torch.float64).logsumexp(0)


def test_likelihood_is_the_share_of_the_tagging_among_all(crf, batch):
    scores, tags, mask = batch
    found = crf.negative_log_likelihood(scores, tags, mask)
    for i, length in enumerate(LENGTHS):
        every = taggings(crf, scores[i, :length])
        torch.testing.assert_close(found[i], log_sum(every.values()) - every[tuple(tags[i, :length].tolist())])


def test_a_word_without_a_tag_may_have_any(crf, batch):
    scores, tags, mask = batch
    tags[0, 1], tags[2] = -1, -1
    found = crf.negative_log_likelihood(scores, tags, mask)
    every = taggings(crf, scores[0])
    agreeing = [v for t, v in every.items() if all(t[w] == tags[0, w] for w in (0, 2, 3))]
    torch.testing.assert_close(found[0], log_sum(every.values()) - log_sum(agreeing))
    torch.testing.assert_close(found[2], torch.zeros((), dtype=torch.float64))


def test_viterbi_finds_the_best_tagging(crf):
    for seed in range(20):
        scores = torch.randn(3, 4, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        found = crf.decode(scores, torch.arange(4) < torch.tensor(LENGTHS)[:, None])
        for i, length in enumerate(LENGTHS):
            every = taggings(crf, scores[i, :length])
            assert tuple(found[i, :length].tolist()) == max(every, key=every.get)


def test_padding_and_company_change_nothing(crf, batch):
    scores, tags, mask = batch
    losses, best = crf.negative_log_likelihood(scores, tags, mask), crf.decode(scores, mask)
    scores = scores.masked_fill(~mask[..., None], 1e6)
    torch.testing.assert_close(crf.negative_log_likelihood(scores, tags, mask), losses)
    for i, length in enumerate(LENGTHS):
        alone = scores[i : i + 1, :length], mask[i : i + 1, :length]
        torch.testing.assert_close(
            crf.negative_log_likelihood(alone[0], tags[i : i + 1, :length], alone[1])[0], losses[i]
        )
        assert crf.decode(*alone)[0].tolist() == best[i, :length].tolist()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_narrow_scores_are_summed_in_float32(dtype):
    crf = LinearChainCRF(5).to(dtype)
    scores = (30 * torch.randn(2, 300, 5, generator=torch.Generator().manual_seed(3))).to(dtype)
    tags, mask = scores.argmin(2), torch.ones(2, 300, dtype=torch.bool)
    found = crf.negative_log_likelihood(scores, tags, mask)
    assert found.dtype == torch.float32
    # Without a chain: the cross-entropy of each word; about 20,000 nats, which float16 would round to 16.
    expected = torch.nn.functional.cross_entropy(scores.double().flatten(0, 1), tags.flatten(), reduction="none")
    torch.testing.assert_close(found.double(), expected.view(2, 300).sum(1), rtol=1e-6, atol=0)
    assert crf.decode(scores, mask).equal(scores.argmax(2))


def test_sentences_without_words_have_no_tags(crf):
    assert crf.decode(torch.zeros(2, 0, len(crf.first)), torch.zeros(2, 0, dtype=torch.bool)).shape == (2, 0)
