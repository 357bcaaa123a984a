import numpy as np
import pytest
import sentencepiece
import torch
from support.huggingface_folders import (
    BERT_SYMBOLS,
    PREFIX,
    assert_same_logits,
    change_weights,
    configure,
    imported,
    to_bin,
)

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.inputs import Input
from xalign_fairseq.encoder.pretrained import known
from xalign_fairseq.encoder.pretrained.exporting import export
from xalign_fairseq.encoder.pretrained.huggingface import importing
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import convert


@pytest.mark.parametrize("form", ["shards", "bin"])
def test_logits_equal_transformers(build, save, vocab_size, make_tokens, form):
    model = build()
    folder = save(model, max_shard_size="20KB" if form == "shards" else "1GB")
    if form == "bin":
        to_bin(folder)
    state, encoder = imported(folder)
    assert_same_logits(encoder, model, make_tokens(vocab_size))
    assert encoder.config.max_positions == 20
    assert {f"encoder.{name}" for name in encoder.state_dict()} == set(state["model"])


def test_a_base_model_without_head_and_with_pooler(build, save, spm, caplog):
    state, _ = imported(save(build("XLMRobertaModel")))
    assert "no masked-language-model head" in caplog.text
    assert "not used from" in caplog.text and "pooler (2 tensors)" in caplog.text
    head = {name: value for name, value in state["model"].items() if ".lm_head." in name}
    assert torch.equal(head["encoder.lm_head.dense.weight"], torch.eye(24))
    processor = sentencepiece.SentencePieceProcessor(str(spm))
    scores = [processor.get_score(i) for i in range(3, processor.get_piece_size())]
    expected = torch.tensor([*[min(scores)] * 4, *scores, min(scores)])
    assert torch.equal(head["encoder.lm_head.bias"], expected)
    assert torch.equal(head["encoder.lm_head.weight"], state["model"][PREFIX + "embed_tokens.weight"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_act": "relu"}, r"differs from XLM-R[\s\S]*hidden_act relu[\s\S]*hidden_act gelu"),
        ({"eos_token_id": None}, r"differs from XLM-R[\s\S]*eos_token_id None"),
        ({"is_decoder": True}, "is_decoder True"),
        ({"hidden_size": None}, r"sizes are not[\s\S]*no whole number above 0 as hidden_size$"),
        ({"num_hidden_layers": -1}, "no whole number above 0 as num_hidden_layers"),
        ({"layer_norm_eps": "1e-5"}, r"no number where[\s\S]*layer_norm_eps '1e-5'"),
        ({"vocab_size": 512}, r"parameter differs[\s\S]*word_embeddings[\s\S]*\(512, 24\)"),
        ({"intermediate_size": 41}, r"parameter differs[\s\S]*intermediate.dense[\s\S]*\(40, 24\)[\s\S]*\(41, 24\)"),
        ({"max_position_embeddings": 20}, r"parameter differs[\s\S]*position_emb[\s\S]*\(22, 24\)[\s\S]*\(20, 24\)"),
        ({"num_hidden_layers": 2}, r"0 missing[\s\S]*16 unknown \['encoder.layer.2"),
        ({"num_hidden_layers": 4}, r"16 missing \['encoder.layer.3[\s\S]*0 unknown"),
    ],
)
def test_a_configuration_of_another_model(folder, changes, message):
    configure(folder, **changes)
    with pytest.raises(XalignError, match=message):
        importing.read(folder)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lm_head.dense.bias", r"1 missing \['lm_head.dense.bias'\], 0 unknown"),
        ("roberta.embeddings.LayerNorm.bias", r"1 missing \['embeddings.LayerNorm.bias'\], 0 unknown"),
        ("roberta.encoder.extra.weight", r"0 missing \[\], 1 unknown \['encoder.extra.weight'\]"),
    ],
)
def test_a_parameter_too_few_or_too_many_is_named(folder, name, message):
    change_weights(folder, lambda state: state.update({name: torch.ones(1)}) if "extra" in name else state.pop(name))
    with pytest.raises(XalignError, match=message):
        importing.read(folder)


@pytest.mark.parametrize("name", ["lm_head.decoder.weight", "lm_head.decoder.bias"])
def test_an_untied_head_is_left_out_and_named(build, save, caplog, name):
    folder = save(build())
    to_bin(folder, lambda state: state[name].add_(1))
    _, encoder = imported(folder)
    assert f"head is left out: it is not tied ({name} unlike " in caplog.text
    assert caplog.text.count("no masked-language-model head: one is made from its embeddings") == 1
    assert torch.equal(encoder.lm_head.dense.weight, torch.eye(24))


def test_a_head_whose_bias_has_only_its_second_name(folder, caplog):
    before, _ = imported(folder)
    change_weights(folder, lambda state: state.update({"lm_head.decoder.bias": state.pop("lm_head.bias")}))
    after, _ = imported(folder)
    assert torch.equal(after["model"]["encoder.lm_head.bias"], before["model"]["encoder.lm_head.bias"])


def test_the_family_is_that_of_its_name_and_sizes_and_stays(build, save, monkeypatch, vocab_size, tmp_path):
    row = known.KnownModel("tiny", ("tiny-xlmr",), (3, 24, 40, vocab_size), known.WITH_HEAD)
    monkeypatch.setattr(known, "KNOWN", (row,))
    assert known.family_of(importing.read(save(build()))) == "tiny"
    folder = save(build("XLMRobertaModel"))
    assert known.family_of(importing.read(folder)) is None  # its head is a new one
    configure(folder, _name_or_path="someone/tiny-xlmr")
    assert known.family_of(importing.read(folder)) == "tiny"
    convert(folder, tmp_path / "one.pt")
    export(tmp_path / "one.pt", tmp_path / "again")
    monkeypatch.setattr(known, "KNOWN", ())
    for made in ("one.pt", "again"):  # by file contents, whatever their names and sizes
        assert known.family_of(read_pretrained(tmp_path / made)[0]) == "tiny"


# BERT's own ids and token types.
SPECIALS = ["[CLS]", "[PAD]", "[SEP]", "[UNK]"]
REST = [symbol for symbol in BERT_SYMBOLS if symbol not in (*SPECIALS, "[MASK]")]
# BERT's id of each of our ids, by the rule's text.
ORDER = [BERT_SYMBOLS.index(symbol) for symbol in (*SPECIALS, *REST, "[MASK]")]


# ``<s> a </s> b </s>`` of our ids, a second text of three tokens, one of five, and none; and their token types.
PAIRS = torch.tensor([[0, 5, 6, 2, 7, 8, 2, 1, 1], [0, 5, 2, 9, 10, 11, 5, 2, 1], [0, 5, 6, 7, 8, 9, 10, 11, 2]])
TYPES = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1, 1, 1, 0], [0] * 9])


@pytest.mark.parametrize(
    ("given", "types"),
    [
        (Input(PAIRS), TYPES),  # with padding as on a GPU
        (Input(PAIRS, lengths=np.array([7, 8, 9])), TYPES),  # packed
        (Input(PAIRS, one_text=True), 0 * TYPES),  # whatever it holds
    ],
)
def test_a_second_text_has_token_type_1(build, save, given, types):
    model = build("BertForMaskedLM")
    _, encoder = imported(save(model))
    assert encoder.config.token_types == 2
    keep = PAIRS.ne(1)
    with torch.no_grad():
        expected = model(torch.tensor(ORDER)[PAIRS], attention_mask=keep.long(), token_type_ids=types).logits[keep][
            :, ORDER
        ]
        found = encoder.lm_head(encoder.states(given).layer()[keep])
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_next_sentence_prediction_is_left_out_and_named(build, save, caplog):
    imported(save(build("BertForPreTraining")))
    assert "cls.seq_relationship (2 tensors)" in caplog.text and "pooler (2 tensors)" in caplog.text


def test_names_of_tensorflow_s_layer_norms(build, save, make_tokens):
    model = build("BertForMaskedLM")
    folder = save(model)

    def rename(state):
        for name in [name for name in state if "LayerNorm." in name]:
            old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
            state[old] = state.pop(name)

    change_weights(folder, rename)
    assert_same_logits(imported(folder)[1], model, make_tokens(len(BERT_SYMBOLS)), ORDER)
