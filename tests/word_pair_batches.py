"""Small ragged batches of pairs in three languages with links, and what tests of word-pair objectives share."""

import numpy as np
import torch

from xalign_fairseq.data.batches import Batch, collate
from xalign_fairseq.data.masking import MaskOptions
from xalign_fairseq.data.samples import GoldLinks, pair_sample
from xalign_fairseq.data.streams import Pair
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.transformer import Encoder

CONFIG = EncoderConfig(
    vocab_size=60, encoder_layers=2, encoder_embed_dim=8, encoder_ffn_embed_dim=16, encoder_attention_heads=2
)
MASK = MaskOptions(mask=59, vocab=60, probability=0.3)
LANGUAGES = ("de", "en", "ru")
DE, EN, RU = range(3)

# (languages, words of the source, words of the target, links); each word is the list of its tokens.
# Both directions of pairs, words of several tokens, repeated words, unaligned words, and a word twice linked.
SENTENCES = (
    ((EN, DE), [[5, 6], [7], [8]], [[20], [21, 22, 23], [24]], [(0, 1), (1, 0), (2, 2)]),
    ((RU, EN), [[40, 41], [42], [43, 44], [45]], [[7], [9]], [(0, 0), (2, 1), (3, 1)]),
    ((DE, EN), [[20], [25]], [[7], [10], [5, 6], [11]], [(0, 0), (1, 2)]),
    ((EN, RU), [[12]], [[46]], [(0, 0)]),
)


def pair(langs, src, tgt, links=(), gold=True):
    """The sample of one sentence pair; ``gold`` False: its links were not prepared."""
    ids = [np.array([token for word in side for token in word], dtype=np.int64) for side in (src, tgt)]
    sample = pair_sample(Pair(0, *ids), np.random.default_rng(0), MASK)
    sample.langs = langs
    if gold:
        words = [np.repeat(np.arange(len(side)), [len(word) for word in side]) for side in (src, tgt)]
        sample.gold = GoldLinks(*words, np.array([(i, j, 1) for i, j in links], dtype=np.int64).reshape(-1, 3))
        sample.partner = np.full(len(sample.tokens), -1)
    return sample


def bitext(sentences=SENTENCES):
    """The typed batch of ``sentences``."""
    return batch(sentences).bitext


def batch(sentences=SENTENCES):
    """The batch of ``sentences`` without monolingual text."""
    return Batch.from_sample(collate([pair(*sentence) for sentence in sentences], []))


class Trial:
    """An objective, ready to be run on batches with a float64 encoder of its own."""

    def __init__(self, cls, config=CONFIG, dtype=torch.float64, **options):
        torch.manual_seed(0)
        self.objective = cls(cls.config_class(**options))
        self.objective.languages, self.objective.pivot = LANGUAGES, "en"
        self.objective.prepare(config)
        self.encoder = Encoder(config).to(dtype)
        # At N(0, 0.02) all words look nearly alike.
        for parameter in self.encoder.parameters():
            parameter.data.mul_(8 if parameter.dim() > 1 else 1)
        head = self.objective.build_head(config)
        self.heads = torch.nn.ModuleDict({} if head is None else {cls.name: head.to(dtype)})

    @property
    def parameters(self):
        """Names and parameters that the objective can train."""
        named = [*self.encoder.sentence_encoder.named_parameters(), *self.heads.named_parameters()]
        return {name: parameter for name, parameter in named if parameter.requires_grad}

    def step(self, training=True, update=5):
        """The encoder of one update."""
        return StepEncoder(self.encoder, self.heads, training, update)

    def loss(self, given, training=True, update=5):
        """The loss of a batch."""
        return self.objective.forward(self.objective.step(self.step(training, update), given))

    def gradient(self, given):
        """The loss of a batch, and the gradient of its total by parameter."""
        loss = self.loss(given)
        parameters = self.parameters
        found = torch.autograd.grad(loss.total, list(parameters.values()), allow_unused=True)
        return loss, dict(zip(parameters, found, strict=True))

    def hidden(self, sentence, side, layer=-1):
        """Hidden states (n, H) of the tokens of one side of one of SENTENCES, encoded by itself without padding."""
        tokens = torch.tensor([[0, *(token for word in sentence[1 + side] for token in word), 2]])
        return self.encoder.states(tokens).layer(layer)[0]

    def word(self, sentence, side, number, pooling="first", layer=-1):
        """The vector (H,) of one word, by plain counting."""
        hidden, start = self.hidden(sentence, side, layer), 1 + sum(map(len, sentence[1 + side][:number]))
        vectors = hidden[start : start + len(sentence[1 + side][number])]
        return vectors[0] if pooling == "first" else vectors.mean(0)

    def pairs(self, sentences=SENTENCES, pooling="first", layer=-1):
        """By plain loops the list of (s, t, language of t, tokens of s, tokens of t)."""
        found = []
        for sentence in sentences:
            pivot = sentence[0].index(EN)
            for link in sentence[3]:
                sides = (pivot, 1 - pivot)
                vectors = [self.word(sentence, side, link[side], pooling, layer) for side in sides]
                tokens = [tuple(sentence[1 + side][link[side]]) for side in sides]
                found.append((*vectors, sentence[0][1 - pivot], *tokens))
        return found
