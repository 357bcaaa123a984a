"""Small ragged batches of pairs in three languages with links, shared by tests of word-pair objectives."""

import numpy as np
import torch

from support import small, trials
from support.small import typed
from support.trials import Task

LANGUAGES = ("de", "en", "ru")
DE, EN, RU = range(3)

# (languages, words of the source, words of the target, links); each word is the list of its tokens.
# Both directions of pairs, words of several tokens, repeated words, unaligned words, and a word linked twice.
SENTENCES = (
    ((EN, DE), [[5, 6], [7], [8]], [[20], [21, 22, 23], [24]], [(0, 1), (1, 0), (2, 2)]),
    ((RU, EN), [[40, 41], [42], [43, 44], [45]], [[7], [9]], [(0, 0), (2, 1), (3, 1)]),
    ((DE, EN), [[20], [25]], [[7], [10], [5, 6], [11]], [(0, 0), (1, 2)]),
    ((EN, RU), [[12]], [[46]], [(0, 0)]),
)


def pair(langs, src, tgt, links=(), gold=True):
    """The sample of one sentence pair; ``gold`` False: without prepared links."""
    ids = [[token for word in side for token in word] for side in (src, tgt)]
    words = [np.repeat(np.arange(len(side)), [len(word) for word in side]) for side in (src, tgt)]
    return small.pair(*ids, links if gold else None, words=words, langs=langs)


def bitext(sentences=SENTENCES):
    """The typed batch of ``sentences``."""
    return batch(sentences).bitext


def batch(sentences=SENTENCES):
    """The batch of ``sentences`` without monolingual text."""
    return typed([pair(*sentence) for sentence in sentences])


class Trial(trials.Trial):
    """An objective on these pairs, and their words in plain loops."""

    task = Task(LANGUAGES, "en")

    def hidden(self, sentence, side, layer=-1):
        """Hidden states (n, H) of the tokens of one side of one of SENTENCES, encoded alone without padding."""
        tokens = torch.tensor([[0, *(token for word in sentence[1 + side] for token in word), 2]])
        return self.encoder.states(tokens).layer(layer)[0]

    def word(self, sentence, side, number, pooling="first", layer=-1):
        """The vector (H,) of one word, in plain loops."""
        hidden, start = self.hidden(sentence, side, layer), 1 + sum(map(len, sentence[1 + side][:number]))
        vectors = hidden[start : start + len(sentence[1 + side][number])]
        return vectors[0] if pooling == "first" else vectors.mean(0)

    def pairs(self, sentences=SENTENCES, pooling="first", layer=-1):
        """The list of (s, t, language of t, tokens of s, tokens of t), in plain loops."""
        found = []
        for sentence in sentences:
            pivot = sentence[0].index(EN)
            for link in sentence[3]:
                sides = (pivot, 1 - pivot)
                vectors = [self.word(sentence, side, link[side], pooling, layer) for side in sides]
                tokens = [tuple(sentence[1 + side][link[side]]) for side in sides]
                found.append((*vectors, sentence[0][1 - pivot], *tokens))
        return found


def assert_same_gradient(trial, gradient, plain):
    """Check that a trial's gradient is that of a plainly computed loss and reaches most parameters."""
    parameters = trial.parameters
    expected = torch.autograd.grad(plain, list(parameters.values()), allow_unused=True)
    reached = 0
    for name, each in zip(parameters, expected, strict=True):
        if each is not None:
            torch.testing.assert_close(gradient[name], each, rtol=1e-7, atol=1e-9, msg=name)
            reached += each.abs().max() > 1e-4
    assert reached > 10
