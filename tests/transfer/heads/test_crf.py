"""The CRF against sums and maxima over all taggings."""

import itertools

import pytest
import torch

from xalign_fairseq.transfer.heads.crf import LinearChainCRF

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
        generator = torch.Generator().manual_seed(seed)
        scores = torch.randn(3, 4, 3, generator=generator, dtype=torch.float64)
        mask = torch.arange(4) < torch.tensor(LENGTHS)[:, None]
        found = crf.decode(scores, mask)
        for i, length in enumerate(LENGTHS):
            every = taggings(crf, scores[i, :length])
            assert tuple(found[i, :length].tolist()) == max(every, key=every.get)


def test_sentences_without_words_have_no_tags(crf):
    assert crf.decode(torch.zeros(2, 0, len(crf.first)), torch.zeros(2, 0, dtype=torch.bool)).shape == (2, 0)


def test_the_chain_can_outweigh_the_words():
    crf = LinearChainCRF(2)
    scores = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    mask = torch.ones(1, 2, dtype=torch.bool)
    assert crf.decode(scores, mask).tolist() == [[1, 0]]
    with torch.no_grad():
        crf.neighbours[1, 0], crf.last[0] = -3.0, -1.5  # then 1 1 has 1, 0 0 has -0.5, 0 1 has 0
    assert crf.decode(scores, mask).tolist() == [[1, 1]]


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
    # Without a chain it is the cross-entropy of each word; about 20,000 nats, which float16 would round to 16.
    expected = torch.nn.functional.cross_entropy(scores.double().flatten(0, 1), tags.flatten(), reduction="none")
    torch.testing.assert_close(found.double(), expected.view(2, 300).sum(1), rtol=1e-6, atol=0)
    assert crf.decode(scores, mask).equal(scores.argmax(2))
