import math
import unicodedata
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small import Letters

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.data.labelled.examples import QuestionExample
from xalign_fairseq.data.labelled.squad import read_squad
from xalign_fairseq.data.tokenizers.spm_training import train_sentencepiece
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transfer.families import qa
from xalign_fairseq.transfer.families.qa import QuestionAnswering, best_span
from xalign_fairseq.transfer.family import Limits

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "eval" / "xquad"


def family(tokens=20, overlap=2, **options):
    options = {"max_question_tokens": 3, **options}
    return QuestionAnswering(Letters(), [], Limits(tokens, overlap, 2), options)


def example(context, answer=None, question="ab"):
    answers = None if answer is None else ((answer, context.index(answer)),)
    return QuestionExample("1", "en", question, context, answers)


class Given(torch.nn.Module):
    """A head whose scores are the features themselves."""

    def forward(self, hidden):
        return hidden


def test_loss_by_hand():
    subject = family()
    # <s> a b </s> </s> c . d </s>: the candidates are <s>, c and d, at 0, 5 and 7; the answer is d
    batch = subject.collate([subject.encode(example("c.d", "d"))])
    scores = torch.full((1, 9, 2), 50.0)  # only at positions that are no candidates
    scores[0, [0, 5, 7], 0] = torch.tensor([0.0, 1.0, 2.0])
    scores[0, [0, 5, 7], 1] = torch.tensor([3.0, -1.0, 0.0])
    loss, count = subject.loss(Given(), scores, batch)
    first = -math.log(math.exp(2) / (1 + math.exp(1) + math.exp(2)))
    last = -math.log(1 / (math.exp(3) + math.exp(-1) + 1))
    assert loss.item() == pytest.approx(first + last, rel=1e-6)
    assert count.item() == 2


def test_windows_without_the_answer_point_to_the_beginning_and_unlabelled_ones_do_not_count():
    subject = family(tokens=10, overlap=1)  # room for 4 tokens of the context
    batch = subject.collate([subject.encode(example("abcdefg", "g")), subject.encode(example("abc"))])
    assert batch["targets"].tolist() == [[0, 0], [8, 8], [-1, -1]]
    assert batch["example"].tolist() == [0, 0, 1]
    scores = torch.zeros(3, 10, 2)
    scores[2] = torch.randn(10, 2)
    loss, count = subject.loss(Given(), scores, batch)
    assert loss.item() == pytest.approx(4 * math.log(5), rel=1e-6)  # <s> and 4 letters
    assert count.item() == 4
    loss, count = subject.loss(Given(), scores[2:, :9], subject.collate([subject.encode(example("abc"))]))
    assert (loss.item(), count.item()) == (0.0, 0)


def test_gradients_are_finite_and_reach_only_candidates():
    subject = family()
    batch = subject.collate([subject.encode(example("c.d", "d")), subject.encode(example("abcdefgh", "cd"))])
    scores = torch.randn(2, batch["tokens"].shape[1], 2, requires_grad=True)
    subject.loss(Given(), scores, batch)[0].backward()
    reached = scores.grad.abs().sum(-1) > 0
    assert scores.grad.isfinite().all()
    assert reached[0].nonzero().flatten().tolist() == [0, 5, 7]
    assert reached[1].nonzero().flatten().tolist() == [0, *range(5, 13)]


def brute_force(scores, candidates, longest):
    best = None
    for i in candidates:
        for j in candidates:
            if 0 <= j - i < longest:
                score = scores[i, 0] + scores[j, 1]
                if best is None or score > best[0]:
                    best = (score, i, j)
    return best


@pytest.mark.parametrize("seed", range(30))
def test_the_best_span_is_that_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 40))
    candidates = np.flatnonzero(rng.random(size) < 0.8)
    # Few different scores, so that there are ties.
    scores = rng.integers(0, 4, (size, 2)).astype(np.float32) if seed % 2 else rng.standard_normal((size, 2))
    longest = int(rng.integers(1, 10))
    assert best_span(scores, candidates, n_best=size, longest=longest) == brute_force(scores, candidates, longest)


def test_only_the_best_firsts_and_lasts_are_combined_and_ties_go_to_the_earliest():
    scores = np.zeros((6, 2))
    scores[:, 0] = [9, 0, 1, 2, 2, 5]
    scores[:, 1] = [9, 8, 7, 3, 3, 0]
    some = np.arange(1, 6)  # position 0 is no candidate
    assert best_span(scores, some, n_best=5, longest=5) == (8.0, 1, 1)  # 0 + 8, 1 + 7 at 2: the earliest
    assert best_span(scores, some, n_best=2, longest=5) is None  # firsts 3 (of equals) and 5, lasts 1 and 2
    assert best_span(scores, some, n_best=3, longest=5) == (5.0, 3, 3)  # firsts 3, 4, 5; lasts 1, 2, 3
    assert best_span(np.zeros((6, 2)), some, n_best=5, longest=5) == (0.0, 1, 1)
    assert best_span(np.zeros((6, 2)), some[:0], n_best=5, longest=5) is None


def test_an_answer_has_at_most_30_tokens():
    subject = family(tokens=60)
    one = example("abcdefgh" * 5)
    batch = subject.collate([subject.encode(one)])
    scores = torch.zeros(1, batch["tokens"].shape[1], 2)
    scores[0, 6, 0], scores[0, 36, 1] = 9, 9  # 31 tokens from b
    scores[0, 7, 1] = 1
    assert subject.predict(Given(), scores, batch, [one]) == ["bc"]


def test_the_answer_is_cut_from_the_original_context_by_the_best_window():
    subject = family(tokens=10, overlap=1)
    one, other, blank = example("ab c .d efg"), example("h g"), example(" .")
    batch = subject.collate([subject.encode(each) for each in (one, other, blank)])
    assert batch["example"].tolist() == [0, 0, 0, 1, 2]  # "abc.", ".def", "defg"
    scores = torch.zeros(5, batch["tokens"].shape[1], 2)
    scores[0, 5, 0] = scores[0, 7, 1] = 3  # a ... c
    scores[1, 6, 0] = scores[1, 7, 1] = 4  # d e
    scores[2, 7, 0] = scores[2, 8, 1] = 4  # f g, as good but later
    scores[3, 5, 0] = scores[3, 6, 1] = -1e4
    scores[4] = 7
    scores[:, 0] = 99  # <s> is not an answer
    assert subject.predict(Given(), scores, batch, [one, other, blank]) == ["d e", "h", ""]


def test_half_precision_features_give_a_float32_loss():
    subject = family()
    head = subject.build_head(EncoderConfig(len(Letters.dictionary) + 1, 2, 16, 32, 2))
    batch = subject.collate([subject.encode(example("abcdefgh", "cd"))])
    hidden = torch.randn(1, batch["tokens"].shape[1], 16)
    exact, _ = subject.loss(head.double(), hidden.double(), batch)
    rough, _ = subject.loss(head.bfloat16(), hidden.bfloat16(), batch)
    assert rough.dtype == torch.float32
    assert rough.item() == pytest.approx(exact.item(), rel=0.05)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real questions are not there")
@pytest.mark.parametrize("language", ["en", "ar", "zh"])
def test_real_answers_are_found_in_their_windows(tmp_path, monkeypatch, language):
    """A perfect model returns the gold text, unless the answer's end is inside a piece."""
    examples = read_squad(REAL / f"xquad.{language}.json.gz", language)
    contexts = list(dict.fromkeys(" ".join(each.context.split()) for each in examples))
    (tmp_path / "text").write_text("\n".join(contexts) + "\n", encoding="utf-8")
    tokenizer = SentencePieceTokenizer(train_sentencepiece([scan(tmp_path / "text")], 4000, seed=1))
    subject = QuestionAnswering(tokenizer, [], Limits(128, 48, 2), {"max_question_tokens": 40})
    monkeypatch.setattr(qa, "best_span", partial(best_span, longest=99))
    chosen = examples[::8]
    batch = subject.collate([subject.encode(each) for each in chosen])
    scores = torch.zeros(*batch["tokens"].shape, 2)
    scores.scatter_(1, batch["targets"][:, None, :], 1.0)
    found = subject.predict(Given(), scores, batch, chosen)
    wrong = 0
    for each, answer in zip(chosen, found, strict=True):
        gold = each.answers[0][0]
        wrong += answer != gold
        # The surplus is the rest of a piece: punctuation after the answer, or letters of its word.
        assert gold in answer
        rest = answer.replace(gold, "", 1)
        assert len(rest) <= 3 or not any(unicodedata.category(char).startswith("Z") for char in rest)
    assert wrong <= 0.03 * len(chosen)


def ids(text):
    return Letters().encode(text)


def encode(question, context, tokens, overlap=0, separators=2, answer=None, question_tokens=None):
    """The windows of a question; ``answer`` is the range of its characters."""
    limits = Limits(tokens=tokens, overlap=overlap, separators=separators)
    subject = QuestionAnswering(Letters(), [], limits, {"max_question_tokens": question_tokens or len(question)})
    answers = None if answer is None else ((context[slice(*answer)], answer[0]),)
    encoded = subject.encode(QuestionExample("1", "en", question, context, answers))
    return encoded, SimpleNamespace(**encoded.arrays)


def test_a_context_that_fits_is_one_window():
    encoded, windows = encode("ab", "c de.f", 20, answer=(2, 4))
    [tokens] = encoded.windows
    assert tokens.tolist() == [0, *ids("ab"), 2, 2, *ids("cde.f"), 2]
    assert windows.begin[0].tolist() == [0, 0, 0, 0, 0, 0, 2, 3, 0, 5, 0]
    assert windows.end[0].tolist() == [0, 0, 0, 0, 0, 1, 3, 4, 0, 6, 0]
    assert windows.targets.tolist() == [[6, 7]]
    assert encoded.cut == 0 and encoded.second == 5


def test_long_questions_are_cut_and_counted():
    encoded, _ = encode("abcdef", "gh", 20, question_tokens=4)
    assert encoded.windows[0].tolist() == [0, *ids("abcd"), 2, 2, *ids("gh"), 2]
    assert encoded.cut == 2


@settings(deadline=None)
@given(
    st.text("abcdefgh. ", max_size=60),
    st.integers(1, 6),
    st.integers(1, 8),
    st.integers(0, 7),
    st.integers(0, 60),
    st.integers(0, 20),
)
def test_windows_hold_every_token_and_their_targets_spell_the_answer(context, asked, more, overlap, first, length):
    question = "abcdefgh"[:asked]
    tokens = asked + 4 + overlap + more
    encoded, windows = encode(question, context, tokens, overlap=overlap, answer=(first, first + length))
    head = asked + 3
    assert all(len(each) <= tokens for each in encoded.windows)
    parts = [each[head:-1].tolist() for each in encoded.windows]
    joined = parts[0]
    for i, part in enumerate(parts[1:], 1):
        new = overlap if i < len(parts) - 1 else len(parts[0]) - (len(ids(context)) - len(joined))
        assert new >= overlap
        assert joined[len(joined) - new :] == part[:new]
        joined = joined + part[new:]
    assert joined == ids(context)
    answer = context[first : first + length].strip(". ")
    has = 0
    for row, (begin, end) in enumerate(zip(windows.begin, windows.end, strict=True)):
        assert not begin[:head].any() and not end[:head].any() and not end[-1]
        left, right = windows.targets[row]
        if (left, right) != (0, 0):
            has += 1
            assert context[begin[left] : end[right]] == answer
    if answer and (len(parts) == 1 or len(ids(answer)) <= overlap + 1):
        assert has
    if not answer:
        assert has == 0


def test_limits_without_room_are_an_error():
    def check(limits, most):
        QuestionAnswering.check(limits, {**QuestionAnswering.defaults, "max_question_tokens": most})

    check(Limits(tokens=128, overlap=32), 64)
    check(Limits(tokens=8, overlap=1, separators=1), 3)
    with pytest.raises(XalignError, match=r"(?s)no room.*1 tokens of context in a window of 8, of which 1 overlap"):
        check(Limits(tokens=8, overlap=1, separators=1), 4)
    with pytest.raises(XalignError, match="no room"):
        check(Limits(tokens=8, overlap=0, separators=2), 4)


def test_gold_labels_and_options():
    assert QuestionAnswering.gold(example("abc")) is None
    assert QuestionAnswering.gold(QuestionExample("1", "en", "a", "ab", (("a", 0), ("b", 1)))) == ["a", "b"]
