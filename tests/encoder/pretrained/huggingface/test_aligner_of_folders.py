"""The aligner on Hugging Face folders: SimAlign's links from the library's own hidden states."""

from itertools import pairwise

import pytest
import torch
from support.huggingface_folders import BERT_SYMBOLS, TEXT, assert_same_hidden
from support.links import by_pair, joined_words
from support.small import diagonal, pair

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.data.batches import collate
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer
from xalign_fairseq.objectives import DWA, TLM
from xalign_fairseq.training.alignment_model import AlignmentModel
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Cosine

transformers = pytest.importorskip("transformers")
SPECIALS = {"<s>": "[CLS]", "</s>": "[SEP]", "<unk>": "[UNK]"}


@pytest.mark.parametrize("kind", ["XLMRobertaForMaskedLM", "BertForMaskedLM"])
def test_links_are_those_of_the_librarys_states(build, save, kind):
    model = build(kind)
    assert_same_links(model, save(model))


def assert_same_links(model, folder):
    """SimAlign's links of a folder by the aligner, and by the library's model."""
    aligner = Aligner.from_pretrained(folder, linking=Linking("itermax", layers=(1,)), device="cpu", dtype="float32")
    assert aligner.linking.layers == (1,) and aligner.linking.encoding == "separate"
    pairs = [(src.split()[:3], tgt.split()[:3]) for src, tgt in pairwise(TEXT[:7])]
    links = 0
    for both, alignment in zip(pairs, aligner.align(*zip(*pairs, strict=True)), strict=True):
        (src, src_words), (tgt, tgt_words) = (states_of(model, aligner.tokenizer, side) for side in both)
        n, m = len(src), len(tgt)
        [found] = by_pair(Cosine("itermax")(torch.cat([src, tgt])[None], torch.tensor([[0, n, n, n + m]])), 1)
        assert alignment.links.keys() == joined_words(found, src_words, tgt_words)
        links += len(alignment.links)
    assert links > 10


def states_of(model, tokenizer, words):
    """Hidden states of a sentence's tokens at layer 1, and the word of each."""
    ids, owners = tokenizer.encode_words(words)
    ids = [0, *ids, 2]
    if isinstance(tokenizer, WordPieceTokenizer):
        symbols = [tokenizer.dictionary.symbols[k] for k in ids]
        ids = [BERT_SYMBOLS.index(SPECIALS.get(symbol, symbol)) for symbol in symbols]
    with torch.no_grad():
        return model(torch.tensor([ids]), output_hidden_states=True).hidden_states[1][0, 1:-1], owners


def objectives():
    return [TLM(), DWA(label_layer=1, start_update=0)]


@pytest.mark.parametrize("kind", ["XLMRobertaForMaskedLM", "BertForMaskedLM"])
def test_a_model_is_trained_written_and_loaded_by_both(build, save, transformers, tmp_path, kind):
    library = build(kind)
    model = AlignmentModel.from_pretrained(save(library), objectives())
    tokens = torch.tensor([[0, 5, 6, 7, 2]])
    before = model.encoder.states(tokens).layer().detach()
    made = model(collate([pair([5, 6, 7], [8, 9, 10, 11], diagonal(3, 4))], []))
    made.loss.backward()
    torch.optim.SGD(model.parameters(), lr=0.1).step()
    assert made.losses["dwa"].count > 0
    model.save_pretrained(tmp_path / "out")
    again = transformers.AutoModel.from_pretrained(tmp_path / "out").eval()
    assert again.config.model_type == library.config.model_type
    if kind.startswith("XLM"):  # ids of a BERT are in its own order
        assert_same_hidden(model.encoder, again, tokens)
    assert not torch.allclose(model.encoder.states(tokens).layer(), before, atol=1e-3)
    back = AlignmentModel.from_pretrained(tmp_path / "out", objectives())
    for name, value in model.state_dict().items():
        if name != "_extra_state":
            torch.testing.assert_close(back.state_dict()[name], value, msg=name)
