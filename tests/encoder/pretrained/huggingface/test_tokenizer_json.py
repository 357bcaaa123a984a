import base64
import json

import pytest
import sentencepiece
import tokenizers
from support.huggingface_folders import TEXT, UNSEEN
from support.text import sentencepiece_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.model_proto import rule_charsmap
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_json import SAMPLE, added_tokens, read_unigram

SYMBOLS = ["<s>", "<pad>", "</s>", "<unk>"]
WORDS = [{"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}]
BLANKS = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}
RIGHT = {"type": "Strip", "strip_left": False, "strip_right": True}
NMT_NFKC = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(rule_charsmap("nmt_nfkc")).decode()}


@pytest.fixture(scope="module")
def model(train_spm, tmp_path_factory):
    """Of the sample's own characters, so that a difference is one of pieces."""
    path = tmp_path_factory.mktemp("spm") / "m.model"
    path.write_bytes(sentencepiece_model([*TEXT, *SAMPLE] * 5, vocab_size=900, character_coverage=1.0))
    return path


@pytest.fixture
def write(model, tmp_path):
    """The function that writes a ``tokenizer.json``."""
    processor = sentencepiece.SentencePieceProcessor(str(model))
    rest = [(processor.id_to_piece(i), processor.get_score(i)) for i in range(3, processor.get_piece_size())]
    vocabulary = [*((symbol, 0.0) for symbol in SYMBOLS), *rest, ("<mask>", 0.0)]

    def write(normalizers, splitter=WORDS):
        content = {
            "version": "1.0",
            "added_tokens": [
                {"id": i, "content": symbol, "single_word": False, "lstrip": False, "rstrip": False,
                 "normalized": False, "special": True}
                for i, symbol in [*enumerate(SYMBOLS), (len(vocabulary) - 1, "<mask>")]
            ],
            "normalizer": {"type": "Sequence", "normalizers": normalizers},
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": splitter},
            "model": {"type": "Unigram", "unk_id": 3, "vocab": vocabulary, "byte_fallback": False},
        }  # fmt: skip
        path = tmp_path / "tokenizer.json"
        path.write_text(json.dumps(content))
        return path

    return write


def assert_same_ids(path, lines=(*TEXT, *UNSEEN, *SAMPLE)):
    """On words with single spaces between; a lone space is not a word."""
    theirs = tokenizers.Tokenizer.from_file(str(path))
    ours = SentencePieceTokenizer(read_unigram(path))
    for line in (" ".join(line.replace("▁", " ").split()) for line in lines):
        assert ours.encode(line) == theirs.encode(line, add_special_tokens=False).ids, line


@pytest.mark.parametrize(
    "normalizers",
    [[], [NMT_NFKC], [NMT_NFKC, BLANKS], [NMT_NFKC, RIGHT, BLANKS], [NMT_NFKC, {**BLANKS, "content": " "}]],
    ids=["none", "transformers 5", "spaces", "newer 4", "older 4"],
)
@pytest.mark.parametrize("splitter", [WORDS, WORDS[1:]], ids=["WhitespaceSplit and Metaspace", "Metaspace"])
def test_files_of_transformers_are_read_without_warnings(write, caplog, normalizers, splitter):
    assert_same_ids(write(normalizers, splitter))
    assert not caplog.records


@pytest.mark.parametrize(
    "normalizers",
    [
        [NMT_NFKC, {"type": "NFKC"}],
        [{"type": "Strip", "strip_left": True, "strip_right": True}, NMT_NFKC],
        [NMT_NFKC, {"type": "Replace", "pattern": {"String": "▁▁"}, "content": "▁"}],
        [{"type": "Nmt"}, {"type": "NFKC"}, BLANKS],
    ],
    ids=lambda steps: " ".join(step["type"] for step in steps),
)
def test_an_equivalent_normalisation_is_read_with_a_warning(write, caplog, normalizers):
    path = write(normalizers)
    assert_same_ids(path, SAMPLE)
    [record] = caplog.records
    assert record.getMessage().startswith(
        f"{path} normalises and splits text differently from XLM-R's (Unigram after ['"
    )


def test_truncation_and_padding_lengths_are_ignored(write):
    path = write([NMT_NFKC, {"type": "NFKC"}])
    library = tokenizers.Tokenizer.from_file(str(path))
    library.enable_truncation(8)  # as sentence-transformers does
    library.enable_padding(length=8, pad_id=1, pad_token="<pad>")
    library.save(str(path))
    assert SentencePieceTokenizer(read_unigram(path)).encode(SAMPLE[1])[:8] == library.encode(SAMPLE[1]).ids


@pytest.mark.parametrize(
    ("normalizers", "splitter"),
    [
        ([NMT_NFKC, {"type": "Lowercase"}], WORDS),
        ([NMT_NFKC, {"type": "Replace", "pattern": {"String": "ß"}, "content": "ss"}], WORDS),
        ([NMT_NFKC, {"type": "NFD"}, {"type": "StripAccents"}], WORDS),
        ([NMT_NFKC], [{**WORDS[1], "prepend_scheme": "never"}]),
        ([NMT_NFKC], [{"type": "Punctuation", "behavior": "Isolated"}, WORDS[1]]),
        ([NMT_NFKC], [{"type": "WhitespaceSplit"}]),
    ],
)
def test_other_ids_are_refused(write, normalizers, splitter):
    path = write(normalizers, splitter)
    with pytest.raises(XalignError, match=rf"no sentencepiece model of XLM-R's kind[\s\S]*where: {path}\n"):
        read_unigram(path)


@pytest.mark.parametrize(
    ("step", "found"),
    [
        ({"type": "Unheard"}, r"can't be read[\s\S]*tokenizer.json"),
        ({**NMT_NFKC, "precompiled_charsmap": "ä!"}, r"file is damaged[\s\S]*normalizer"),
    ],
)
def test_a_file_that_cannot_be_read(write, step, found):
    with pytest.raises(XalignError, match=found):
        read_unigram(write([step]))


def test_added_tokens_are_those_of_tokenizer_json_and_without_it_of_their_own_file(tmp_path):
    assert added_tokens(tmp_path) == {}
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<en>": 7}))
    assert added_tokens(tmp_path) == {"<en>": 7}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"added_tokens": [{"id": 8, "content": "<de>"}]}))
    assert added_tokens(tmp_path) == {"<de>": 8}
