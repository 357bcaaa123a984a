from dataclasses import replace

import pytest
import torch
from support.processes import run_workers
from support.word_pair_batches import DE, EN, RU, SENTENCES, Trial, assert_same_gradient, batch

from xalign_fairseq.objectives.word_contrastive import WordContrastive

BOTH = pytest.mark.parametrize("negatives", ["weak", "strong"])


def project(trial, word):
    """f of a word, by its matrices."""
    head = trial.heads["word_contrastive"]
    return head.outer.weight @ (head.inner.weight @ word).clamp(min=0)


def cosine(a, b):
    return a @ b / (a @ a * (b @ b)).sqrt()


def restatement(trial, sentences, strong, masked=False):
    """Eq. 7 and 8 with their minus sign in plain loops: the sum over B pairs, and the share of hits."""
    words = []
    for number, (s, t, language, s_tokens, t_tokens) in enumerate(trial.pairs(sentences)):
        words.append(("S", number, project(trial, s), (EN, s_tokens)))
        words.append(("T", number, project(trial, t), (language, t_tokens)))

    def same(a, b):
        """A repeated word: linked twice, in a repeated sentence pair, or of the same type."""
        return a[3] == b[3] if masked else torch.allclose(a[2], b[2], rtol=1e-9, atol=0)

    def partner_of(word):
        return next(other for other in words if other[1] == word[1] and other[0] != word[0])

    total, hits = 0.0, 0
    for anchor in words:
        partner = partner_of(anchor)
        none = [anchor, *(partner_of(word) for word in words if same(word, anchor))]
        candidates = [word for word in words if word is not anchor and (strong or word[0] != anchor[0])]
        candidates = [word for word in candidates if word is partner or not any(same(word, each) for each in none)]
        scores = [cosine(anchor[2], word[2]) / 0.1 for word in candidates]
        positive = cosine(anchor[2], partner[2]) / 0.1
        total -= (positive - torch.stack(scores).logsumexp(0)) / 2
        hits += bool(max(scores) <= positive + 1e-9)
    return total, hits


@pytest.mark.parametrize("masked", [False, True])
@BOTH
def test_equals_the_equations(negatives, masked):
    trial = Trial(WordContrastive, negatives=negatives, mask_repeated=masked)
    loss, gradient = trial.gradient(batch())
    total, hits = restatement(trial, SENTENCES, negatives == "strong", masked)
    assert loss.total.item() == pytest.approx(total.item(), rel=1e-10) and total > 1
    assert_same_gradient(trial, gradient, total)
    assert loss.count.item() == 9
    assert [each.item() for each in loss.stats["accuracy"]] == [hits, 18]
    s_t = sum(cosine(project(trial, s), project(trial, t)) for s, t, *_ in trial.pairs())
    assert [each.item() for each in loss.stats["similarity"]] == [pytest.approx(s_t.item()), 9]


@BOTH
def test_a_pair_that_is_drawn_twice_is_not_its_own_negative(negatives):
    trial = Trial(WordContrastive, negatives=negatives)
    (src_lang, tgt_lang), src, tgt, links = SENTENCES[0]
    turned = ((tgt_lang, src_lang), tgt, src, [(j, i) for i, j in links])
    for sentences in ((*SENTENCES, turned), (*SENTENCES, SENTENCES[0])):
        total, hits = restatement(trial, sentences, negatives == "strong")
        loss = trial.loss(batch(sentences))
        assert loss.total.item() == pytest.approx(total.item(), rel=1e-9)
        assert loss.stats["accuracy"][0] == hits
    # Then a pair of one word has no negative at all.
    (src_lang, tgt_lang), src, tgt, links = SENTENCES[3]
    assert trial.loss(batch((SENTENCES[3], ((tgt_lang, src_lang), tgt, src, links)))).total.abs() < 1e-9


def test_the_same_tokens_in_another_language_are_another_word():
    sentences = [((EN, language), [[5 + language]], [[20]], [(0, 0)]) for language in (DE, RU)]
    for negatives in ("weak", "strong"):
        masked, plain = (Trial(WordContrastive, negatives=negatives, mask_repeated=on) for on in (True, False))
        assert masked.loss(batch(sentences)).total.item() == plain.loss(batch(sentences)).total.item()


@pytest.mark.parametrize("masked", [False, True])
@BOTH
def test_one_pair_alone_has_no_negatives(negatives, masked):
    loss, gradient = Trial(WordContrastive, negatives=negatives, mask_repeated=masked).gradient(batch(SENTENCES[3:]))
    assert loss.total.item() == pytest.approx(0, abs=1e-12) and loss.count.item() == 1
    assert all(grad.abs().max() < 1e-9 for grad in gradient.values())


# The batches of two workers: different sizes, the second time one without links.
SHARES = ((SENTENCES[:3], SENTENCES[3:]), (SENTENCES, [((EN, DE), [[5]], [[20]], [], False)]))
VARIANTS = [(negatives, masked) for negatives in ("weak", "strong") for masked in (False, True)]


def worker(rank):
    """Losses and gradients of one worker on its part."""
    results = []
    for negatives, masked in VARIANTS:
        trial = Trial(WordContrastive, negatives=negatives, mask_repeated=masked, gather=True)
        for shares in SHARES:
            loss, gradient = trial.gradient(batch(shares[rank]))
            alone = trial.loss(batch(shares[rank]), training=False).total.detach()
            results.append((loss.total.detach(), loss.count, loss.stats["accuracy"][0], gradient, alone))
    return results


def test_two_workers_are_one_with_both_batches(tmp_path):
    results = iter(zip(*run_workers(worker, 2, tmp_path), strict=True))
    for negatives, masked in VARIANTS:
        trial = Trial(WordContrastive, negatives=negatives, mask_repeated=masked, gather=True)
        for shares in SHARES:
            whole, gradient = trial.gradient(batch([*shares[0], *shares[1]]))
            workers = next(results)
            for mine, theirs in enumerate((whole.total.detach(), whole.count, whole.stats["accuracy"][0])):
                assert torch.allclose(theirs, sum(each[mine] for each in workers)), (negatives, masked)
            for name, grad in gradient.items():
                assert torch.allclose(grad, sum(each[3][name] for each in workers), atol=1e-9), name
            for share, each in zip(shares, workers, strict=True):
                assert torch.allclose(trial.loss(batch(share)).total, each[4])


def lacking_worker(rank):
    """Losses and gradients of one worker; the second one repeats an earlier batch."""
    results = []
    for negatives, masked in VARIANTS:
        trial = Trial(WordContrastive, negatives=negatives, mask_repeated=masked, gather=True)
        loss, gradient = trial.gradient(replace(batch(SHARES[0][rank]), stands_in=rank == 1))
        results.append((loss.total.detach(), loss.count, gradient))
    return results


def test_a_stand_in_batch_gives_other_workers_no_negatives(tmp_path):
    for (negatives, masked), workers in zip(
        VARIANTS, zip(*run_workers(lacking_worker, 2, tmp_path), strict=True), strict=True
    ):
        trial = Trial(WordContrastive, negatives=negatives, mask_repeated=masked, gather=True)
        loss, gradient = trial.gradient(batch(SHARES[0][0]))
        assert torch.allclose(workers[0][0], loss.total) and workers[0][1] == loss.count
        assert workers[1][0] == workers[1][1] == 0
        for name, grad in gradient.items():
            assert torch.allclose(grad, workers[0][2][name], atol=1e-9), name
            assert not workers[1][2][name].any(), name
