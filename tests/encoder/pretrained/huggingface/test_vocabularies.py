import json
import sys

import pytest
import sentencepiece

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.huggingface.families import BERT, XLM_R
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import PADDING, dictionary_of_xlm_r, read_vocabulary
from xalign_fairseq.encoder.vocabulary import load_tokenizer

SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
SYMBOLS = [*SPECIALS, "<mask>"]
BERT_LINES = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "##re", "The", "cat"]
# <s> <pad> </s> <unk> of ours, then the others in their order, and <mask> last.
BERT_ORDER = [3, 0, 4, 2, 1, 6, 7, 8, 9, 5]


@pytest.fixture
def pieces(spm):
    """Texts and scores of the sentencepiece model."""
    processor = sentencepiece.SentencePieceProcessor(str(spm))
    return [(processor.id_to_piece(i), processor.get_score(i)) for i in range(processor.get_piece_size())]


@pytest.fixture
def write(tmp_path, spm, pieces):
    """The function that writes one of the files of a tokenizer, whole or changed."""

    def change(name, by=lambda content: None):
        if name == "sentencepiece.bpe.model":
            content = bytearray(spm.read_bytes())
        elif name == "vocab.txt":
            content = list(BERT_LINES)
        else:
            vocabulary = [*([symbol, 0.0] for symbol in SPECIALS), *map(list, pieces[3:]), ["<mask>", 0.0]]
            added = [added_token(entry[0], i) for i, entry in enumerate(vocabulary) if entry[0] in SYMBOLS]
            content = {
                "version": "1.0",
                "model": {"type": "Unigram", "vocab": vocabulary, "unk_id": 3},
                "normalizer": None,
                "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
                "added_tokens": added,
            }
        by(content)
        if isinstance(content, list):
            content = "".join(f"{line}\n" for line in content).encode()
        (tmp_path / name).write_bytes(json.dumps(content).encode() if isinstance(content, dict) else content)
        return tmp_path

    return change


def added_token(content, i):
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": i, "content": content, **flags}


def without_mask(found):
    found["model"]["vocab"].pop()
    found["added_tokens"].pop()


def into_bert(content):
    content["model"] = {"type": "WordPiece", "vocab": {symbol: i for i, symbol in enumerate(BERT_LINES)}}
    content["normalizer"] = {"type": "BertNormalizer", "lowercase": False}
    content["pre_tokenizer"] = {"type": "BertPreTokenizer"}


def test_a_sentencepiece_file_is_read_without_protobuf(write, spm, pieces, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece.sentencepiece_model_pb2", None)
    monkeypatch.delattr(sentencepiece, "sentencepiece_model_pb2", raising=False)
    assert len(read_vocabulary(write("sentencepiece.bpe.model"), XLM_R, len(pieces) + 2).order) == len(pieces) + 2


def test_xlm_rs_ids_equal_the_file(write, spm, pieces):
    size = len(pieces) + 2
    found = read_vocabulary(write("sentencepiece.bpe.model"), XLM_R, size)
    assert found.order == range(size)
    assert found.state["symbols"] == [*SPECIALS, *(piece for piece, _ in pieces[3:])]
    assert found.state["sentencepiece"].numpy().tobytes() == spm.read_bytes()
    assert found.scores == [score for _, score in pieces[3:]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: found["model"].update(type="BPE"), r"tokenizer is not XLM-R's[\s\S]*BPE after"),
        (lambda found: found.update(normalizer={"type": "Lowercase"}), r"Unigram after \['Lowercase'\]"),
        (lambda found: found.update(normalizer=3), r"unexpected content[\s\S]*tokenizer.json[\s\S]*\$\.normalizer"),
        (lambda found: found["model"]["vocab"].pop(0), r"special symbols are not XLM-R's[\s\S]*found: <pad> </s>"),
        (without_mask, "special symbols are not XLM-R's"),
        (lambda found: found["model"]["vocab"].clear(), r"special symbols are not XLM-R's[\s\S]*found: ...$"),
        (lambda found: found["model"]["vocab"].pop(9), r"file is damaged[\s\S]*tokenizer.json\n[\s\S]*as the last id"),
        (lambda found: found.update(added_tokens=[{"id": 8}]), r"tokenizer.json[\s\S]*\$\.added_tokens\[0\]"),
    ],
)
def test_a_tokenizer_json_that_differs_from_xlm_rs(write, pieces, change, message):
    with pytest.raises(XalignError, match=message):
        read_vocabulary(write("tokenizer.json", change), XLM_R, len(pieces) + 2)


@pytest.mark.parametrize("listed", ["tokenizer.json", "added_tokens.json"])
def test_rows_beyond_the_tokenizer_are_left_out_and_named(write, pieces, caplog, listed, tmp_path):
    own = len(pieces) + 2
    later = {f"<t{k}>": own + k for k in range(7)}
    if listed == "added_tokens.json":
        folder = write("sentencepiece.bpe.model")
        (folder / listed).write_text(json.dumps(later))
    else:
        entries = [added_token(token, i) for token, i in later.items()]
        folder = write("tokenizer.json", lambda content: content["added_tokens"].extend(entries))
    assert read_vocabulary(folder, XLM_R, own).order == range(own)  # its embeddings were not enlarged
    assert not caplog.records
    found = read_vocabulary(folder, XLM_R, own + 7 + PADDING)
    assert found.order == range(own) and len(found.state["symbols"]) == own - 1
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path}: left out of the model's vocabulary: 7 tokens added later (<t0> <t1> <t2> <t3> <t4> ...) and "
        f"{PADDING} rows of padding"
    ]
    with pytest.raises(XalignError, match=r"does not fit[\s\S]*; and 7 tokens added later"):
        read_vocabulary(folder, XLM_R, own + 8 + PADDING)


@pytest.mark.parametrize("name", ["vocab.txt", "tokenizer.json"])
def test_berts_symbols_are_put_into_fairseqs_order(write, name):
    found = read_vocabulary(write(name, into_bert if name == "tokenizer.json" else len), BERT, len(BERT_LINES))
    assert list(found.order) == BERT_ORDER
    assert found.state["symbols"] == [*SPECIALS, "[unused1]", "the", "##re", "The", "cat"]
    tokenizer = load_tokenizer({"task_state": {"tokenizer": found.state}}, len(found.order))
    assert tokenizer.encode("The there dog") == [7, 5, 6, 3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"model": {"type": "BPE", "vocab": []}, "normalizer": None}, r"not BERT's[\s\S]*BPE after None"),
        ({"model": {"type": "Unigram", "vocab": []}, "normalizer": None}, "special symbols are not XLM-R's"),
        ({"model": {"vocab": {"a": 0}}, "normalizer": {"type": "NFC"}}, "WordPiece after NFC"),
        ({"model": ["a"], "normalizer": 3}, r"tokenizer.json[\s\S]*\$\.model"),
        ({"model": {"vocab": {"a": 0}}, "normalizer": {"type": "BertNormalizer"}}, "BertNormalizer and None"),
        (
            {
                "model": {"vocab": {"a": 0, "b": 2}},
                "normalizer": {"type": "BertNormalizer"},
                "pre_tokenizer": {"type": "BertPreTokenizer"},
            },
            "ids are not consecutive",
        ),
    ],
)
def test_a_tokenizer_json_that_differs_from_berts(tmp_path, content, message):
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(XalignError, match=message):
        read_vocabulary(tmp_path, BERT, 9)


@pytest.mark.parametrize(
    ("part", "option", "usual", "other"),
    [("model", "max_input_chars_per_word", 100, 200), ("normalizer", "clean_text", True, False)],
)
def test_a_tokenizer_json_with_rules_that_differ_from_berts(write, part, option, usual, other):
    def folder(value):
        def change(content):
            into_bert(content)
            content[part][option] = value

        return write("tokenizer.json", change)

    assert list(read_vocabulary(folder(usual), BERT, len(BERT_LINES)).order) == BERT_ORDER
    with pytest.raises(XalignError, match=rf"not BERT's[\s\S]*tokenizer.json\n  found: {option} {other}\n.*{usual}"):
        read_vocabulary(folder(other), BERT, len(BERT_LINES))


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_a_vocabulary_that_is_cut_by_other_rules(write, tmp_path, file):
    (tmp_path / file).write_text(json.dumps({"tokenizer_class": "BertJapaneseTokenizer"}))
    with pytest.raises(XalignError, match=rf"not BERT's[\s\S]*{file}\n  found: BertJapaneseTokenizer"):
        read_vocabulary(write("vocab.txt"), BERT, len(BERT_LINES))


@pytest.mark.parametrize("said", [True, False])
def test_the_configuration_determines_text_normalisation(write, tmp_path, caplog, said):
    settings = {"do_lower_case": said, "strip_accents": not said, "tokenize_chinese_chars": said}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    found = read_vocabulary(write("vocab.txt"), BERT, len(BERT_LINES)).state["wordpiece"]
    assert (found["lowercase"], found["strip_accents"], found["chinese_chars"]) == (said, not said, said)
    assert not caplog.records


@pytest.mark.parametrize("cased", [True, False])
def test_case_is_inferred_from_the_symbols_by_default(write, caplog, cased):
    def uncased(lines):
        lines[8] = "dog"

    found = read_vocabulary(write("vocab.txt", len if cased else uncased), BERT, len(BERT_LINES)).state["wordpiece"]
    assert f"does not say whether to lower-case text; by the symbols: {not cased}" in caplog.text
    assert found["lowercase"] is not cased and found["chinese_chars"] and found["strip_accents"] is None


def test_mask_may_be_only_an_added_token_also_after_others(write, pieces, caplog):
    own = len(pieces) + 2
    only_added = write("tokenizer.json", lambda found: found["model"]["vocab"].pop())
    assert read_vocabulary(only_added, XLM_R, own).order == range(own)

    def change(found):
        without_mask(found)
        found["added_tokens"] += [added_token("<en>", own - 1), added_token("<mask>", own)]

    found = read_vocabulary(write("tokenizer.json", change), XLM_R, own + 3)
    assert list(found.order) == [*range(own - 1), own]
    assert "left out of the model's vocabulary: 1 token added later (<en>) and 2 rows of padding" in caplog.text
    with pytest.raises(XalignError, match="does not fit"):
        read_vocabulary(write("tokenizer.json", change), XLM_R, own)


def test_special_symbols_and_their_places():
    dictionary = dictionary_of_xlm_r(["<unk>", "<s>", "</s>", "b", "a"], "here")
    assert dictionary.symbols == [*SPECIALS, "b", "a"] and dictionary.embedding_size == 7
    for given, found in (
        (["<unk>", "<s>", "</s>", "<mask>", "<unk>"], "<unk> <s> </s> <mask> <unk>"),
        (["<unk>", "</s>", "<s>", "a"], "<unk> </s> <s>"),
        (["<unk>"], "<unk>"),
    ):
        with pytest.raises(XalignError, match=rf"where: here\n  found: {found}$"):
            dictionary_of_xlm_r(given, "here")


@pytest.mark.parametrize(
    ("family", "content", "message"),
    [
        (XLM_R, {}, r"no sentencepiece model[\s\S]*sentencepiece.bpe.model or tokenizer.json"),
        (XLM_R, {"sentencepiece.bpe.model": b"half a model"}, r"where: .*sentencepiece.bpe.model"),
        (BERT, {}, r"no WordPiece tokenizer[\s\S]*tokenizer.json or vocab.txt"),
        (BERT, {"vocab.txt": b"\xff\xfe"}, "not UTF-8"),
        (BERT, {"vocab.txt": "\n".join(BERT_LINES).encode()}, r"does not fit[\s\S]*10 ids"),
        (BERT, {"vocab.txt": "\n".join([*BERT_LINES[3:], "the"] * 2).encode()}, "symbols twice"),
    ],
)
def test_missing_and_damaged_files(tmp_path, family, content, message):
    for name, raw in content.items():
        (tmp_path / name).write_bytes(raw)
    with pytest.raises(XalignError, match=message):
        read_vocabulary(tmp_path, family, 9)
