#!/usr/bin/env python3
"""Store hidden states of sentence pairs, and the links that simalign 0.4 and awesome-align 0.1.7 find in them.

usage: peer_links.py --src FILE --tgt FILE FOLDER

Writes FOLDER/states.npz and FOLDER/links.json, which tests/alignment/test_peer_links.py compares our own methods with.
Needs: pip install ".[benchmark]". The pairs are the beginnings of lines of both files, spread over them; their states
come from a small encoder with random weights, in float16, and both programs get them in place of their encoder's. No
two runs store the same: the vocabulary's training breaks ties at random.
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import benchmark_model
import numpy as np
import torch

from xalign_fairseq.aligner.sentence_pairs import SentencePairs, WordPair
from xalign_fairseq.core.files import atomic_write

# Words of each pair: single words, two on a side (no second round of itermax), short against long, and plain pairs.
SHAPES = (
    (1, 1), (1, 6), (7, 1), (2, 2), (2, 8), (9, 2), (2, 3), (5, 2), (2, 14), (2, 5), (3, 2), (2, 10), (3, 3), (3, 4),
    (3, 7), (6, 3), (3, 12), (14, 4), (5, 6), (4, 9), (8, 8), (10, 9), (11, 15), (17, 12), (20, 22), (25, 25),
)  # fmt: skip
LAYER, SIZES = 2, {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
SPREAD = 0.1  # of the weights: states depend on their sentence, and do not become all alike
VOCABULARY, SEED = 8000, 1
NOISE, DRAWS = 1e-5, 5
THRESHOLD = 1e-3  # awesome-align's default
SIMALIGN = {"argmax": "inter", "itermax": "itermax", "match": "mwmf"}

Words = list[list[str]]  # the subwords of each word
Pieces = tuple[Words, Words]
States = tuple[np.ndarray, np.ndarray]


def choose(src: Path, tgt: Path) -> tuple[list[str], list[WordPair]]:
    """All lines, and the pairs: for each shape the first words of the next pair of lines that has so many."""
    lines = list(SentencePairs(src, tgt))
    pairs = []
    for number, (n, m) in enumerate(SHAPES):
        rest = lines[len(lines) * number // len(SHAPES) :]
        pairs.append(next((a[:n], b[:m]) for a, b in rest if len(a) >= n and len(b) >= m))
    return [" ".join(side) for pair in lines for side in pair], pairs


def encode(folder: Path, pairs: Sequence[WordPair]) -> tuple[list[Pieces], list[States]]:
    """The subwords of each word, and the hidden states (n, H) and (m, H) float16 of the subwords, of each pair."""
    from transformers import BertModel, BertTokenizer

    tokenizer = BertTokenizer.from_pretrained(folder)
    model = BertModel.from_pretrained(folder).eval()
    pieces = [tuple([tokenizer.tokenize(word) for word in side] for side in pair) for pair in pairs]

    def states(side: Words) -> np.ndarray:
        ids = tokenizer.convert_tokens_to_ids(["[CLS]", *(piece for word in side for piece in word), "[SEP]"])
        with torch.no_grad():
            found = model(torch.tensor([ids]), output_hidden_states=True).hidden_states[LAYER]
        return found[0, 1:-1].half().numpy()

    return pieces, [tuple(states(side) for side in pair) for pair in pieces]


def simalign_links(folder: Path, pieces: Sequence[Pieces], states: Sequence[States]) -> dict[str, list]:
    """SimAlign's word links of each pair by each of its methods, from stored states.

    Args:
        pieces: the subwords of each word, of both sides.
        states: (n, H) and (m, H) float32 of each pair.
    """
    from simalign import SentenceAligner

    aligner = SentenceAligner(model=str(folder), token_type="bpe", matching_methods="mai", layer=LAYER)
    found: dict[str, list] = {method: [] for method in SIMALIGN}
    for words, pair in zip(pieces, states, strict=True):
        # A word is the number of an entry of `both`, so that the tool's tokenizer can be asked for its subwords.
        both = [*words[0], *words[1]]
        aligner.embed_loader.tokenizer = SimpleNamespace(tokenize=lambda word, both=both: both[int(word)])
        aligner.embed_loader.get_embed_list = lambda _, pair=pair: _padded(pair)
        numbers = [str(number) for number in range(len(both))]
        links = aligner.get_word_aligns(numbers[: len(words[0])], numbers[len(words[0]) :])
        for method, theirs in SIMALIGN.items():
            found[method].append(sorted(links[theirs]))
    return found


def awesome_links(pieces: Sequence[Pieces], states: Sequence[States]) -> list[list[tuple[int, int]]]:
    """awesome-align's word links of each pair, all in one batch; arguments as those of :func:`simalign_links`."""
    from awesome_align import modeling
    from awesome_align.configuration_bert import BertConfig

    modeling.PAD_ID, modeling.CLS_ID, modeling.SEP_ID, piece = 0, 1, 2, 3
    width = states[0][0].shape[1]
    sides = [[pair[side] for pair in states] for side in (0, 1)]
    # The states of <cls>, </sep> and padding are not looked at.
    framed = [_padded([np.pad(side, ((1, 1), (0, 0))) for side in batch]) for batch in sides]
    ids = [_padded([np.array([1, *[piece] * len(side), 2]) for side in batch]) for batch in sides]
    maps = [[[i for i, word in enumerate(pair[side]) for _ in word] for pair in pieces] for side in (0, 1)]
    model = modeling.BertForMaskedLM(BertConfig(hidden_size=width, num_attention_heads=1, num_hidden_layers=0)).eval()
    model.bert = _Stored(framed)
    found = model.get_aligned_word(
        *ids, *maps, torch.device("cpu"), 0, 0, align_layer=LAYER, softmax_threshold=THRESHOLD, test=True
    )
    return [sorted((int(i), int(j)) for i, j in links) for links in found]


class _Stored(torch.nn.Module):
    """Gives one batch of states after the other in place of an encoder."""

    def __init__(self, batches: Sequence[torch.Tensor]):
        super().__init__()
        self._batches = list(batches)

    def forward(self, *_: Any, **__: Any) -> torch.Tensor:
        return self._batches.pop(0)


def _padded(sequences: Sequence[np.ndarray]) -> torch.Tensor:
    return torch.nn.utils.rnn.pad_sequence([torch.from_numpy(sequence) for sequence in sequences], batch_first=True)


def all_links(folder: Path, pieces: Sequence[Pieces], states: Sequence[States]) -> dict[str, Any]:
    """By program, method and unit (subwords, words): the links of each pair as a Pharaoh line."""
    by_word = {"words": pieces, "subwords": [tuple([[x] for w in side for x in w] for side in pair) for pair in pieces]}
    links: dict[str, Any] = {"simalign 0.4": {m: {} for m in SIMALIGN}, "awesome-align 0.1.7": {"softmax": {}}}
    for unit, words in by_word.items():
        for method, found in simalign_links(folder, words, states).items():
            links["simalign 0.4"][method][unit] = _pharaoh(found)
        links["awesome-align 0.1.7"]["softmax"][unit] = _pharaoh(awesome_links(words, states))
    return links


def _pharaoh(pairs: Sequence[Sequence[tuple[int, int]]]) -> list[str]:
    return [" ".join(f"{i}-{j}" for i, j in links) for links in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--src", type=Path, required=True, help="text of the source language, a sentence a line")
    parser.add_argument("--tgt", type=Path, required=True, help="its translation")
    parser.add_argument("folder", type=Path, help="to write to")
    args = parser.parse_args()
    torch.set_num_threads(1)
    lines, pairs = choose(args.src, args.tgt)
    with tempfile.TemporaryDirectory() as name:
        model = Path(name)
        benchmark_model.make(model, lines, vocabulary=VOCABULARY, seed=SEED, initializer_range=SPREAD, **SIZES)
        pieces, halves = encode(model, pairs)
        states = [tuple(side.astype(np.float32) for side in pair) for pair in halves]
        links = all_links(model, pieces, states)
        # A case is of use only if its links do not hang on rounding.
        rng = np.random.default_rng(SEED)
        for _ in range(DRAWS):
            noisy = [tuple(x + NOISE * rng.standard_normal(x.shape, np.float32) for x in pair) for pair in states]
            if all_links(model, pieces, noisy) != links:
                raise SystemExit("links change under noise: take other lines, or another seed")
    args.folder.mkdir(parents=True, exist_ok=True)
    words = [np.repeat(np.arange(len(side)), [len(word) for word in side]) for pair in pieces for side in pair]
    with atomic_write(args.folder / "states.npz", "wb") as out:
        np.savez_compressed(
            out,
            states=np.concatenate([side for pair in halves for side in pair]),
            sizes=np.array([[len(side) for side in pair] for pair in halves], dtype=np.int16),
            words=np.concatenate(words).astype(np.int8),
        )
    with atomic_write(args.folder / "links.json") as out:
        out.write(json.dumps(links, indent=1) + "\n")


if __name__ == "__main__":
    main()
