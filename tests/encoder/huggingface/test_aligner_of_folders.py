"""The aligner on Hugging Face folders: SimAlign's links from the library's own hidden states."""

import hashlib
from functools import partial
from itertools import pairwise

import pytest
import torch
from huggingface_folders import BERT_SYMBOLS, TEXT
from mapped_memory import share_mapped

from xalign_fairseq.aligner.aligner import Aligner
from xalign_fairseq.aligner.linking.engines import CheckpointEngine
from xalign_fairseq.aligner.processes import AlignerPool
from xalign_fairseq.transport.methods import Cosine
from xalign_fairseq.transport.words import to_word_links

SPECIALS = {"<s>": "[CLS]", "</s>": "[SEP]", "<unk>": "[UNK]"}


@pytest.mark.parametrize("kind", ["XLMRobertaForMaskedLM", "BertForMaskedLM"])
def test_links_are_those_of_the_librarys_states(build, save, kind):
    model = build(kind)
    folder = save(model)
    aligner = Aligner.from_pretrained(folder, method="itermax", layer=1, device="cpu")
    assert aligner.layers == (1,) and aligner.pair_encoder.encoding == "separate"
    pairs = [(src.split()[:3], tgt.split()[:3]) for src, tgt in pairwise(TEXT[:7])]
    links = 0
    for pair, alignment in zip(pairs, aligner.align(*zip(*pairs, strict=True)), strict=True):
        (src, src_words), (tgt, tgt_words) = (states_of(model, aligner.tokenizer, side) for side in pair)
        n, m = len(src), len(tgt)
        [found] = Cosine("itermax")(torch.cat([src, tgt])[None], torch.tensor([[0, n, n, n + m]])).by_pair(1)
        assert alignment.links.keys() == to_word_links(found.tolist(), src_words, tgt_words)
        links += len(alignment.links)
    assert links > 10
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert CheckpointEngine(aligner, folder).describe()["sha256"] == {"model.safetensors": weights}


def test_processes_map_the_same_file(build, save):
    folder = save(build())
    load = partial(Aligner.from_pretrained, folder, layer=1)
    with AlignerPool(load, ["cpu", "cpu"]) as pool:
        assert pool.ask(partial(share_mapped, path=folder / "model.safetensors")) > 0.9  # all but the positions
        assert list(pool.stream([("The red house", "Der rote Hund")])) == load(device="cpu").align(
            ["The red house"], ["Der rote Hund"]
        )


def states_of(model, tokenizer, words):
    """Hidden states of a sentence's tokens at layer 1, and the word of each."""
    ids, owners = tokenizer.encode_words(words)
    ids = [0, *ids, 2]
    if model.config.model_type == "bert":
        symbols = [tokenizer.dictionary.symbols[k] for k in ids]
        ids = [BERT_SYMBOLS.index(SPECIALS.get(symbol, symbol)) for symbol in symbols]
    with torch.no_grad():
        return model(torch.tensor([ids]), output_hidden_states=True).hidden_states[1][0, 1:-1], owners
