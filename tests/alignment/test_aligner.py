import io
import random

import pytest
import sentencepiece
import torch

from xalign_fairseq.alignment import aligner as module
from xalign_fairseq.alignment.aligner import Aligner, choose_device
from xalign_fairseq.alignment.labels import LabelOptions, pair_links
from xalign_fairseq.alignment.words import to_word_links
from xalign_fairseq.data.tokenizer import SentencePieceTokenizer
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pointer import Pointer
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.errors import XalignError

TEXT = "the red house is big a cat sees dogs run home now we have seven trees near river they sing old songs"
WORDS = TEXT.split()
STRANGE = [
    "",
    "   ",
    "\t",
    "a",
    "😀",
    "👩‍👩‍👧 family",
    "nul\0in word",
    "\0",
    "tab\tbetween",
    "no\u00a0break",
    "e\u0301",
    "日本語",
    "x" * 3000,
]


def train(model_type, vocab_size):
    rng = random.Random(0)
    lines = [" ".join(rng.sample(WORDS, 6)) for _ in range(300)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, model_type=model_type, vocab_size=vocab_size,
        hard_vocab_limit=False, minloglevel=2, num_threads=1,
    )  # fmt: skip
    return SentencePieceTokenizer(model.getvalue())


@pytest.fixture(scope="module")
def tokenizer():
    """Pieces of one to a few letters, so that most words are several."""
    return train("bpe", 40)


def small_encoder(tokenizer, positions=512):
    torch.manual_seed(0)
    config = EncoderConfig(
        vocab_size=tokenizer.dictionary.embedding_size, encoder_layers=3, encoder_embed_dim=16,
        encoder_ffn_embed_dim=32, encoder_attention_heads=2, max_positions=positions,
    )  # fmt: skip
    encoder = Encoder(config).double()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return encoder


@pytest.fixture
def aligner(tokenizer):
    return Aligner(small_encoder(tokenizer), tokenizer, layer=2)


@pytest.fixture(scope="module")
def pairs():
    rng = random.Random(1)
    sides = [[" ".join(rng.choices(WORDS, k=rng.randint(0, 14))) for _ in range(60)] for _ in range(2)]
    return list(zip(*sides, strict=True))


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
    links, probability = pair_links(hidden, torch.tensor([[1, 1 + n, 2 + n, 2 + n + m]]), options)
    subword = [(i, j) for _, i, j in links.nonzero().tolist()]
    return {
        (a, b): max(float(probability[0, i, j]) for i, j in subword if (src_words[i], tgt_words[j]) == (a, b))
        for a, b in to_word_links(subword, src_words, tgt_words)
    }


@pytest.mark.parametrize("method", ["itermax", "argmax", "union", "itermax-paper"])
def test_links_and_probabilities_are_those_of_each_pair_alone(aligner, pairs, method):
    aligner.options = options = LabelOptions(filter=method, order="rows-first", mu=0.5, iterations=3)
    found = links_of(aligner, pairs)
    assert sum(map(len, found)) > 200
    for (src, tgt), links in zip(pairs, found, strict=True):
        expected = alone(aligner, 2, options, src, tgt)
        assert links.keys() == expected.keys()
        assert links == pytest.approx(expected, abs=1e-9)
        assert all(0 < probability <= 1 for probability in links.values())


@pytest.mark.parametrize("batch_tokens", [1, 60, 1000, 10**6])
def test_batch_size_order_and_chunks_never_change_a_link(aligner, pairs, batch_tokens, monkeypatch):
    expected = links_of(aligner, pairs)
    aligner.batch_tokens = batch_tokens
    order = random.Random(batch_tokens).sample(range(len(pairs)), len(pairs))
    monkeypatch.setattr(module, "SORTED_AT_ONCE", 17)
    for place, links in zip(order, links_of(aligner, [pairs[k] for k in order]), strict=True):
        assert links == pytest.approx(expected[place], abs=1e-9)


def test_a_batch_holds_no_more_tokens_than_allowed(aligner, pairs, monkeypatch):
    shapes = []
    states = aligner.encoder.states
    monkeypatch.setattr(aligner.encoder, "states", lambda given: shapes.append(given.tokens.shape) or states(given))
    aligner.batch_tokens = 200
    aligner.align(*zip(*pairs, strict=True))
    assert all(rows * length <= 200 or rows == 1 for rows, length in shapes)
    assert any(rows > 3 for rows, _ in shapes)
    assert [length for _, length in shapes] == sorted((length for _, length in shapes), reverse=True)


def test_equal_words_find_each_other_at_layer_0():
    """Without position embeddings, layer 0 knows a word by its embedding alone: the links are the permutation."""
    words = train("word", 30)
    encoder = small_encoder(words)
    torch.nn.init.zeros_(encoder.sentence_encoder.embed_positions.weight)
    torch.nn.init.ones_(encoder.sentence_encoder.layernorm_embedding.weight)
    torch.nn.init.zeros_(encoder.sentence_encoder.layernorm_embedding.bias)
    rng = random.Random(3)
    order = rng.sample(range(len(WORDS)), len(WORDS))
    aligner = Aligner(encoder, words, layer=0, options=LabelOptions(filter="argmax"))
    [found] = aligner.align([WORDS], [[WORDS[k] for k in order]])
    assert set(found.links) == {(k, order.index(k)) for k in range(len(WORDS))}


def test_strings_and_lists_of_words_are_the_same(aligner, pairs):
    lists = [(src.split(), tgt.split()) for src, tgt in pairs]
    assert links_of(aligner, lists) == links_of(aligner, pairs)
    assert aligner.align(["the  red\tcat "], ["a cat"])[0].src == ["the", "red", "cat"]


@pytest.mark.parametrize("other", ["the red house", ""])
def test_strange_lines_keep_their_place(aligner, other):
    found = aligner.align(STRANGE, [other] * len(STRANGE)) + aligner.align([other] * len(STRANGE), STRANGE)
    assert [alignment.src for alignment in found[: len(STRANGE)]] == [line.split() for line in STRANGE]
    for alignment in found:
        assert all(i < len(alignment.src) and j < len(alignment.tgt) for i, j in alignment.links)
        assert alignment.links or not (alignment.src and alignment.tgt) or "\0" in alignment.src + alignment.tgt


def test_no_pairs_at_all_and_one_word_each(aligner):
    assert aligner.align([], []) == []
    [pair] = aligner.align(["cat"], ["dogs"])
    assert set(pair.links) == {(0, 0)}


def test_sides_of_different_lengths(aligner):
    with pytest.raises(XalignError, match="differ in their number of sentences"):
        aligner.align(["a"], ["a", "b"])


def test_a_pair_beyond_the_positions_is_cut_in_proportion(tokenizer, monkeypatch):
    aligner = Aligner(small_encoder(tokenizer, positions=23), tokenizer, layer=1)
    seen = []
    states = aligner.encoder.states
    monkeypatch.setattr(aligner.encoder, "states", lambda given: seen.append(given.tokens) or states(given))
    letter = next(p for p in tokenizer.dictionary.symbols[4:] if len(tokenizer.encode_words([p.strip("▁")])[0]) == 1)
    word = letter.strip("▁")
    cases = {
        (30, 10): (15, 5),
        (10, 30): (5, 15),
        (1, 500): (1, 19),
        (500, 1): (19, 1),
        (10, 10): (10, 10),
        (11, 10): (10, 10),
    }
    for (n, m), (kept_n, kept_m) in cases.items():
        [pair] = aligner.align([[word] * n], [[word] * m])
        ids = seen.pop()[0].tolist()
        assert len(ids) == 23
        assert [k for k, token in enumerate(ids) if token == 2] == [1 + kept_n, 22]
        assert (len(pair.src), len(pair.tgt), pair.cut) == (n, m, n + m > 20)
        assert pair.links
        assert all(i < kept_n and j < kept_m for i, j in pair.links)


def test_several_layers_and_methods_from_one_pass(aligner, pairs, monkeypatch):
    settings = [(layer, LabelOptions(filter=method)) for layer in range(4) for method in ("argmax", "union")]
    expected = []
    for layer, options in settings:
        single = Aligner(aligner.encoder, aligner.tokenizer, layer=layer, options=options)
        expected.append(links_of(single, pairs))
    passes = []
    states = aligner.encoder.states
    monkeypatch.setattr(aligner.encoder, "states", lambda given: passes.append(len(given.tokens)) or states(given))
    found = list(aligner.sweep(pairs, settings))
    assert sum(passes) == sum(bool(src and tgt) for src, tgt in pairs)
    for setting in range(len(settings)):
        assert [row[setting].links for row in found] == expected[setting]


def test_progress_counts_every_pair_once(aligner, pairs):
    done = []
    stream = aligner.stream(iter(pairs), done.append)
    assert sum(1 for _ in stream) == sum(done) == len(pairs)


def test_the_layer_defaults_to_the_depth_of_xlm_aligns(aligner, tokenizer):
    assert Aligner(aligner.encoder, tokenizer).layer == 2
    assert Aligner(aligner.encoder, tokenizer, layer=-1).layer == 3
    with pytest.raises(XalignError, match="no such layer"):
        Aligner(aligner.encoder, tokenizer, layer=4)


def test_alignment_leaves_no_graph_and_no_dropout(tokenizer):
    encoder = small_encoder(tokenizer).train()
    aligner = Aligner(encoder, tokenizer)
    assert not encoder.training
    aligner.align(["the cat"], ["a dog"])
    assert all(parameter.grad is None for parameter in encoder.parameters())


def test_states_that_are_not_finite_give_no_links_and_spoil_no_other_pair(aligner, pairs):
    expected = links_of(aligner, pairs)
    broken = aligner.tokenizer.encode_words(["q"])[0][-1]
    with torch.no_grad():
        aligner.encoder.sentence_encoder.embed_tokens.weight[broken] = float("nan")
    found = links_of(aligner, [*pairs, ("the q", "a cat")])
    assert found[-1] == {}
    for links, unbroken in zip(found, expected, strict=False):
        assert links == pytest.approx(unbroken, abs=1e-9)


def test_devices(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto").type == choose_device("cpu").type == "cpu"
    with pytest.raises(XalignError, match="no CUDA device"):
        choose_device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("auto").type == "cuda"


def test_separate_encoding_gives_the_links_of_sentences_read_by_themselves(aligner, pairs):
    aligner = Aligner(aligner.encoder, aligner.tokenizer, layer=2, encoding="separate", batch_tokens=300)
    different = 0
    for (src, tgt), links in zip(pairs, links_of(aligner, pairs), strict=True):
        sides = [aligner.tokenizer.encode_words(side.split()) for side in (src, tgt)]
        hidden = [aligner.encoder.states(torch.tensor([[0, *ids, 2]])).layer(2)[:, 1:-1] for ids, _ in sides]
        n, m = (side.shape[1] for side in hidden)
        found, _ = pair_links(torch.cat(hidden, 1), torch.tensor([[0, n, n, n + m]]), aligner.options)
        expected = to_word_links(found[0].nonzero().tolist(), sides[0][1], sides[1][1]) if n and m else set()
        assert links.keys() == expected
        different += bool(expected - alone(aligner, 2, aligner.options, src, tgt).keys())
    assert different > 10


def test_a_pointer_reads_joint_pairs_only(aligner):
    with pytest.raises(XalignError, match="jointly encoded"):
        Aligner(aligner.encoder, aligner.tokenizer, pointer=Pointer(16), encoding="separate")
