"""On stored hidden states, our methods give exactly the links of simalign 0.4 and awesome-align 0.1.7.

peers/ was written by scripts/peer_links.py of commit f30b300, which ran both programs.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from support.links import by_pair

from xalign_fairseq.links.pharaoh import parse_line
from xalign_fairseq.transport.methods import make_method
from xalign_fairseq.transport.token_links import word_links

PEERS = Path(__file__).parent / "peers"
SIMALIGN, AWESOME = "simalign 0.4", "awesome-align 0.1.7"
METHODS = {"argmax": SIMALIGN, "itermax": SIMALIGN, "match": SIMALIGN, "softmax": AWESOME}


@pytest.fixture(scope="module")
def cases():
    """Of each pair: states of both sides, float32, and the word of each subword."""
    stored = np.load(PEERS / "states.npz")
    edges = np.cumsum(stored["sizes"].ravel())[:-1]
    states = [torch.from_numpy(side).float() for side in np.split(stored["states"], edges)]
    words = [torch.from_numpy(side).long() for side in np.split(stored["words"], edges)]
    return [(states[at], states[at + 1], words[at], words[at + 1]) for at in range(0, len(states), 2)]


@pytest.fixture(scope="module")
def links():
    """By program, method and unit: the links of each pair."""
    stored = json.loads((PEERS / "links.json").read_text())
    return {
        program: {
            method: {unit: [set(parse_line(line).sure) for line in lines] for unit, lines in units.items()}
            for method, units in methods.items()
        }
        for program, methods in stored.items()
    }


def batch(cases):
    """States (B, T, H) with a token before, between and behind the sides, spans, and word indices, padded by -1."""
    sequences, spans = [], []
    for src, tgt, *_ in cases:
        edge = torch.full((1, src.shape[1]), 9.0)  # would win if it were read
        sequences.append(torch.cat([edge, src, edge, tgt, edge]))
        spans.append([1, 1 + len(src), 2 + len(src), 2 + len(src) + len(tgt)])
    pad = torch.nn.utils.rnn.pad_sequence
    words = [pad([case[side] for case in cases], batch_first=True, padding_value=-1) for side in (2, 3)]
    return pad(sequences, batch_first=True, padding_value=9.0), torch.tensor(spans), *words


def find(method, cases):
    """Our subword links, and our word links, of each pair."""
    hidden, spans, src_words, tgt_words = batch(cases)
    found = make_method(method)(hidden, spans)
    subwords = [set(pair) for pair in by_pair(found, len(cases))]
    return subwords, [set(pair) for pair in word_links(found, src_words, tgt_words)]


@pytest.mark.parametrize("method", METHODS)
def test_links_in_one_batch_equal_theirs(method, cases, links):
    subwords, words = find(method, cases)
    theirs = links[METHODS[method]][method]
    assert subwords == theirs["subwords"]
    assert words == theirs["words"]
