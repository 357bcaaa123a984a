"""Folders in the shapes of published encoders, small and random, as transformers writes and reads them itself.

States are compared in float64, ids on text in many scripts; what is exported again has the same states.
"""

import json

import pytest
import torch
from support.huggingface_folders import TEXT, UNSEEN, imported

from xalign_fairseq.encoder.pretrained.exporting import export
from xalign_fairseq.encoder.pretrained.huggingface.families import find_family
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_json import SAMPLE
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import read_vocabulary
from xalign_fairseq.encoder.vocabulary import load_tokenizer

transformers = pytest.importorskip("transformers")
BLANKS = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}
NEWER_4 = [{"type": "Strip", "strip_left": False, "strip_right": True}, BLANKS]
LINES = [*TEXT, *UNSEEN, *SAMPLE]


@pytest.fixture
def other_spm(train_spm, tmp_path):
    """With other and more pieces than the other models."""
    return train_spm(tmp_path / "other", normalization_rule_name="nfkc", seed_sentencepiece_size=900)


@pytest.fixture
def write(build, save, tmp_path, spm, other_spm):
    """The function that writes one of the shapes."""

    def with_spm(kind, options, model=spm, rows=0, file="tokenizer.json", added=()):
        import sentencepiece

        own = sentencepiece.SentencePieceProcessor(str(model)).get_piece_size() + 2
        folder = tmp_path / "folder"
        whole = build(kind, vocab_size=own + rows, **options)
        whole.save_pretrained(folder)
        (folder / "sentencepiece.bpe.model").write_bytes(model.read_bytes())
        tokenizer = transformers.XLMRobertaTokenizer.from_pretrained(folder)
        tokenizer.add_tokens(list(added))
        tokenizer.save_pretrained(folder)
        if file == "tokenizer.json":
            (folder / "sentencepiece.bpe.model").unlink()
        return whole, folder

    def e5_small():
        model, folder = with_spm("BertModel", {"layer_norm_eps": 1e-12}, rows=35)
        path = folder / "tokenizer.json"
        whole = json.loads(path.read_text(encoding="utf-8"))
        whole["normalizer"] = {"type": "Sequence", "normalizers": [whole["normalizer"], *NEWER_4]}
        path.write_text(json.dumps(whole), encoding="utf-8")
        return model, folder

    def with_wordpiece(kind):
        model = build(kind)
        return model, save(model)

    shapes = {
        "e5-small": e5_small,
        "minilm-l12": lambda: with_spm("BertModel", {"layer_norm_eps": 1e-12}, rows=35, file="both"),
        "xlm-v, glot500": lambda: with_spm("XLMRobertaForMaskedLM", {}, model=other_spm),
        "e5-base, e5-large": lambda: with_spm("XLMRobertaModel", {}),
        "bge-m3": lambda: with_spm("XLMRobertaModel", {"max_position_embeddings": 8194}),
        "added tokens": lambda: with_spm("XLMRobertaForMaskedLM", {}, rows=2, added=["<en>", "Königsberg"]),
        "mbert": lambda: with_wordpiece("BertForMaskedLM"),
        "labse": lambda: with_wordpiece("BertModel"),
    }
    return lambda shape: shapes[shape]()


SHAPES = {  # and their messages
    "e5-small": "35 rows of padding",
    "minilm-l12": "of 2 token types only the first is used: the tokenizer gives no other",
    "xlm-v, glot500": "", "e5-base, e5-large": "no masked-language-model head", "bge-m3": "", "mbert": "",
    "added tokens": "2 tokens added later (<en> Königsberg)", "labse": "",
}  # fmt: skip


def order_of(folder):
    """The model's ids of ours."""
    config = json.loads((folder / "config.json").read_text())
    return torch.tensor(read_vocabulary(folder, find_family(config["model_type"], folder), config["vocab_size"]).order)


def hidden_of(model, ids, keep):
    """All float64 hidden states at unpadded positions."""
    body = getattr(model, model.base_model_prefix, model).double()
    with torch.no_grad():
        found = body(ids, attention_mask=keep.long(), output_hidden_states=True).hidden_states
    return [each[keep] for each in found]


@pytest.mark.parametrize("shape", SHAPES)
def test_states_and_ids_equal_transformers_and_survive_an_export(write, make_tokens, tmp_path, shape, caplog):
    model, folder = write(shape)
    order = order_of(folder)
    state, encoder = imported(folder)
    assert SHAPES[shape] in caplog.text
    tokens = make_tokens(len(order) - 1)
    keep = tokens.ne(1)
    expected = hidden_of(model, order[tokens], keep)
    with torch.no_grad():
        states = encoder.double().states(tokens)
    for layer, each in enumerate(expected):
        torch.testing.assert_close(states.layer(layer)[keep], each, rtol=2e-6, atol=2e-6)

    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = load_tokenizer(state, encoder.config.vocab_size)
    for line in LINES:
        line = " ".join(line.replace("▁", " ").split())
        assert order[ours.encode(line)].tolist() == theirs(line)["input_ids"][1:-1], line

    export(folder, tmp_path / "exported")
    again = transformers.AutoModel.from_pretrained(tmp_path / "exported")
    for layer, each in enumerate(hidden_of(again, order_of(tmp_path / "exported")[tokens], keep)):
        torch.testing.assert_close(each, expected[layer], rtol=2e-6, atol=2e-6)


def test_texts_beyond_512_tokens_are_not_truncated(write):
    model, folder = write("bge-m3")
    _, encoder = imported(folder)
    assert encoder.config.max_positions == 8192
    tokens = torch.randint(4, encoder.config.vocab_size - 1, (1, 1500), generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        found = encoder.double().states(tokens).layer(1)
    torch.testing.assert_close(found[0], hidden_of(model, tokens, tokens.ne(1))[1], rtol=2e-6, atol=2e-6)
