"""The aligner on Hugging Face folders: SimAlign's links from the library's own hidden states."""

import hashlib
from functools import partial
from itertools import pairwise

import pytest
import torch
from support.checkpoints import share_mapped
from support.huggingface_folders import BERT_SYMBOLS, TEXT, configure
from support.links import by_pair, joined_words

from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.neural.processes import AlignerPool
from xalign_fairseq.aligner.tools.engines import CheckpointEngine
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceTokenizer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Cosine

transformers = pytest.importorskip("transformers")
SPECIALS = {"<s>": "[CLS]", "</s>": "[SEP]", "<unk>": "[UNK]"}


def plain(build, save, kind):
    model = build(kind)
    return model, save(model)


def untied(build, save, kind):
    model = build(kind, tie_word_embeddings=False)
    assert not torch.equal(model.get_output_embeddings().weight, model.get_input_embeddings().weight)
    return model, save(model)


def padded(build, save, kind):
    model = build(kind)
    model.resize_token_embeddings(len(model.get_input_embeddings().weight) + 7, mean_resizing=False)
    return model, save(model)


def with_added_tokens(build, save, kind):
    model = build(kind)
    folder = save(model)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert tokenizer.add_tokens(["<en>", "<de>"]) == 2
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    for name in ("vocab.txt", "sentencepiece.bpe.model"):
        (folder / name).unlink(missing_ok=True)  # as the library leaves them
    return model, folder


def with_null_positions(build, save, kind):
    model, folder = plain(build, save, kind)
    configure(folder, position_embedding_type=None)
    return model, folder


SHAPES = [
    (plain, "XLMRobertaForMaskedLM", ""),
    (plain, "BertForMaskedLM", "token type 1 is left out"),
    (plain, "XLMRobertaModel", "has no masked-language-model head"),
    (plain, "BertModel", "has no masked-language-model head"),
    (untied, "XLMRobertaForMaskedLM", "head is left out: it is not tied"),
    (untied, "BertForMaskedLM", "head is left out: it is not tied"),
    (padded, "XLMRobertaModel", "7 rows of padding"),
    (padded, "BertForMaskedLM", "7 rows of padding"),
    (with_added_tokens, "XLMRobertaForMaskedLM", "2 tokens added later (<en> <de>)"),
    (with_added_tokens, "BertModel", "2 tokens added later (<en> <de>)"),
    (with_null_positions, "XLMRobertaForMaskedLM", ""),
    (with_null_positions, "BertForMaskedLM", "token type 1 is left out"),
]


@pytest.mark.parametrize(("shape", "kind", "said"), SHAPES, ids=[f"{each[0].__name__} {each[1]}" for each in SHAPES])
def test_links_are_those_of_the_librarys_states(build, save, caplog, shape, kind, said):
    model, folder = shape(build, save, kind)
    assert_same_links(model, folder)
    assert caplog.text.count(said) == 1 if said else not caplog.records


@pytest.mark.parametrize("saved", ["sentencepiece.bpe.model", "tokenizer.json"])
def test_bert_with_xlm_rs_tokenizer_and_rows_beyond_it(build, save, spm, vocab_size, caplog, saved):
    """As multilingual-e5-small and paraphrase-multilingual-MiniLM-L12-v2."""
    model = build("BertModel", vocab_size=vocab_size + 35)
    folder = save(model)
    for name in ("vocab.txt", "tokenizer_config.json"):
        (folder / name).unlink()
    (folder / "sentencepiece.bpe.model").write_bytes(spm.read_bytes())
    theirs = transformers.XLMRobertaTokenizer.from_pretrained(folder)
    if saved == "tokenizer.json":
        theirs.save_pretrained(folder)
        (folder / "sentencepiece.bpe.model").unlink()
    tokenizer = assert_same_links(model, folder)
    for line in TEXT:
        assert tokenizer.encode(line) == theirs(line)["input_ids"][1:-1]
    assert caplog.text.count("left out of the model's vocabulary: 35 rows of padding") == 1
    assert caplog.text.count("of 2 token types the first is used, as the tokenizer gives no other") == 1


def assert_same_links(model, folder):
    """SimAlign's links of a folder by the aligner, and by the library's model; the aligner's tokenizer."""
    aligner = Aligner.from_pretrained(folder, linking=Linking("itermax", layers=(1,)), device="cpu", dtype="float32")
    assert aligner.linking.layers == (1,) and aligner.linking.encoding == "separate"
    pairs = [(src.split()[:3], tgt.split()[:3]) for src, tgt in pairwise(TEXT[:7])]
    links = 0
    for pair, alignment in zip(pairs, aligner.align(*zip(*pairs, strict=True)), strict=True):
        (src, src_words), (tgt, tgt_words) = (states_of(model, aligner.tokenizer, side) for side in pair)
        n, m = len(src), len(tgt)
        [found] = by_pair(Cosine("itermax")(torch.cat([src, tgt])[None], torch.tensor([[0, n, n, n + m]])), 1)
        assert alignment.links.keys() == joined_words(found, src_words, tgt_words)
        links += len(alignment.links)
    assert links > 10
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert CheckpointEngine(aligner, folder).describe()["sha256"] == {"model.safetensors": weights}
    return aligner.tokenizer


def test_processes_map_the_same_file(build, save):
    folder = save(build())
    load = partial(Aligner.from_pretrained, folder, linking=Linking(layers=(1,)), dtype="float32")
    with AlignerPool(load, ["cpu", "cpu"]) as pool:
        assert pool.ask(partial(share_mapped, path=folder / "model.safetensors")) > 0.9  # all but the positions
        assert list(pool.stream([("The red house", "Der rote Hund")])) == load(device="cpu").align(
            ["The red house"], ["Der rote Hund"]
        )


def test_what_a_process_changes_is_not_in_the_file(folder):
    before = (folder / "model.safetensors").read_bytes()
    aligner = Aligner.from_pretrained(folder, device="cpu", dtype="float32")
    assert share_mapped(aligner, folder / "model.safetensors") > 0.9
    with torch.no_grad():
        for parameter in aligner.encoder.parameters():
            parameter.add_(1)
    assert (folder / "model.safetensors").read_bytes() == before


def states_of(model, tokenizer, words):
    """Hidden states of a sentence's tokens at layer 1, and the word of each."""
    ids, owners = tokenizer.encode_words(words)
    ids = [0, *ids, 2]
    if isinstance(tokenizer, WordPieceTokenizer):
        symbols = [tokenizer.dictionary.symbols[k] for k in ids]
        ids = [BERT_SYMBOLS.index(SPECIALS.get(symbol, symbol)) for symbol in symbols]
    with torch.no_grad():
        return model(torch.tensor([ids]), output_hidden_states=True).hidden_states[1][0, 1:-1], owners
