import torch

from support.links import joined_words, pair_matrices
from support.small import move
from support.tiny_checkpoint import SIZES
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder


def small_encoder(tokenizer, positions=512):
    torch.manual_seed(0)
    config = EncoderConfig(tokenizer.dictionary.embedding_size, **{**SIZES, "max_positions": positions})
    encoder = Encoder(config).double()
    move(encoder, 0.3)
    return encoder


def links_of(aligner, pairs):
    return [alignment.links for alignment in aligner.align(*zip(*pairs, strict=True))]


def alone(aligner, layer, options, src, tgt):
    """The links of one pair from the definition: no batch, no padding, plain Python."""
    src_ids, src_words = aligner.tokenizer.encode_words(src.split())
    tgt_ids, tgt_words = aligner.tokenizer.encode_words(tgt.split())
    if not src_ids or not tgt_ids:
        return {}
    tokens = torch.tensor([[0, *src_ids, 2, *tgt_ids, 2]])
    n, m = len(src_ids), len(tgt_ids)
    hidden = aligner.encoder.states(tokens).layer(layer)
    links, probability = pair_matrices(hidden, torch.tensor([[1, 1 + n, 2 + n, 2 + n + m]]), options)
    subword = [(i, j) for _, i, j in links.nonzero().tolist()]
    return {
        (a, b): max(float(probability[0, i, j]) for i, j in subword if (src_words[i], tgt_words[j]) == (a, b))
        for a, b in joined_words(subword, src_words, tgt_words)
    }
