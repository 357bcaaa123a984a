import json
import logging

import pytest
import torch
from support.huggingface_folders import (
    BERT_SYMBOLS,
    POSITIONS,
    PREFIX,
    TEXT,
    UNSEEN,
    assert_same_hidden,
    assert_same_logits,
    change_weights,
    imported,
)

import xalign_fairseq
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.huggingface import importing
from xalign_fairseq.encoder.vocabulary import load_tokenizer

SPECIALS = ["[CLS]", "[PAD]", "[SEP]", "[UNK]"]
REST = [symbol for symbol in BERT_SYMBOLS if symbol not in (*SPECIALS, "[MASK]")]
# BERT's id of each of ours, by the rule's own words.
ORDER = [BERT_SYMBOLS.index(symbol) for symbol in (*SPECIALS, *REST, "[MASK]")]


@pytest.fixture
def bert_tokens(make_tokens):
    return make_tokens(len(BERT_SYMBOLS))


def theirs(tokens):
    return torch.tensor(ORDER)[tokens]


def test_logits_are_those_of_transformers(build, save, bert_tokens):
    model = build("BertForMaskedLM")
    assert model.config.layer_norm_eps == 1e-12 and model.config.type_vocab_size == 2
    state, encoder = imported(save(model))
    assert_same_logits(encoder, model, bert_tokens, ORDER)
    assert encoder.config.max_positions == POSITIONS and encoder.config.layer_norm_eps == 1e-12
    assert {f"encoder.{name}" for name in encoder.state_dict()} == set(state["model"])


def test_layer_norms_are_of_the_configuration(build, save, bert_tokens):
    model = build("BertForMaskedLM", layer_norm_eps=0.1)
    assert_same_logits(imported(save(model))[1], model, bert_tokens, ORDER)


def test_rows_of_positions_and_words(build, save):
    model = build("BertForMaskedLM")
    state, _ = imported(save(model))
    embeddings = model.bert.embeddings
    positions = state["model"][PREFIX + "embed_positions.weight"]
    assert positions.shape == (POSITIONS + 2, 24) and not positions[:2].any()
    kind = embeddings.token_type_embeddings.weight[0]
    torch.testing.assert_close(positions[2:], embeddings.position_embeddings.weight + kind)
    words = state["model"][PREFIX + "embed_tokens.weight"]
    for ours, symbol in ((0, "[CLS]"), (1, "[PAD]"), (2, "[SEP]"), (3, "[UNK]"), (4, "[unused1]"), (-1, "[MASK]")):
        assert torch.equal(words[ours], embeddings.word_embeddings.weight[BERT_SYMBOLS.index(symbol)])


def test_a_labse_without_head_prefix_and_with_pooler(build, save, bert_tokens, caplog):
    model = build("BertModel")
    folder = save(model)
    change_weights(
        folder, lambda state: [state.__setitem__(k.removeprefix("bert."), state.pop(k)) for k in list(state)]
    )
    _, encoder = imported(folder)
    assert "no masked-language-model head" in caplog.text and "pooler (2 tensors)" in caplog.text
    assert_same_hidden(encoder, model, bert_tokens, theirs(bert_tokens))


@pytest.mark.parametrize("differ", [True, False])
def test_the_second_token_type_is_left_out_and_named_where_it_counts(build, save, caplog, differ):
    model = build("BertForMaskedLM")
    if not differ:  # as in a folder that was exported
        torch.nn.init.zeros_(model.bert.embeddings.token_type_embeddings.weight)
    folder = save(model)
    importing.read(folder)
    said = [record.getMessage() for record in caplog.records]
    assert [each.partition(" is left out")[0] for each in said] == [f"{folder}: token type 1"] * differ


def test_next_sentence_prediction_is_left_out_and_named(build, save, bert_tokens, caplog):
    model = build("BertForPreTraining")
    _, encoder = imported(save(model))
    assert "cls.seq_relationship (2 tensors)" in caplog.text and "pooler (2 tensors)" in caplog.text
    keep = bert_tokens.ne(1)
    with torch.no_grad():
        expected = model(theirs(bert_tokens), attention_mask=keep.long()).prediction_logits[keep][:, ORDER]
        found = encoder.lm_head(encoder.states(bert_tokens).layer()[keep])
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_names_of_tensorflow_s_layer_norms(build, save, bert_tokens):
    model = build("BertForMaskedLM")
    folder = save(model)

    def rename(state):
        for name in [name for name in state if "LayerNorm." in name]:
            old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
            state[old] = state.pop(name)

    change_weights(folder, rename)
    assert_same_logits(imported(folder)[1], model, bert_tokens, ORDER)


def test_a_model_in_training_takes_every_parameter(bert_folder, caplog):
    xalign_fairseq.register()
    from xalign_fairseq.models.xalign import XalignModel

    state, encoder = imported(bert_folder)
    model = XalignModel(EncoderConfig.from_options(state["cfg"]["model"], encoder.config.vocab_size))
    assert model.encoder.config.layer_norm_eps == 1e-12
    caplog.clear()  # what the import says of token types
    with caplog.at_level(logging.WARNING):
        model.load_state_dict(state["model"], strict=True)
    assert not caplog.records


@pytest.mark.parametrize("file", ["vocab.txt", "tokenizer.json"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_ids_are_those_of_transformers(transformers, bert_folder, file, lowercase):
    (bert_folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": lowercase}))
    tokenizer = transformers.BertTokenizer.from_pretrained(bert_folder)
    if file == "tokenizer.json":
        tokenizer.save_pretrained(bert_folder)
        (bert_folder / "vocab.txt").unlink()
        (bert_folder / "tokenizer_config.json").unlink()  # the file itself says how text is normalised
    state, encoder = imported(bert_folder)
    ours = load_tokenizer(state, encoder.config.vocab_size)
    unknown = 0
    for line in TEXT + UNSEEN:
        ids = [ORDER[i] for i in ours.encode(line)]
        assert ids == tokenizer(line)["input_ids"][1:-1], line
        unknown += ids.count(BERT_SYMBOLS.index("[UNK]"))
    assert unknown > 0
    dictionary = ours.dictionary
    specials = (dictionary.bos_index, dictionary.pad_index, dictionary.eos_index, dictionary.unk_index)
    assert [ORDER[i] for i in (*specials, dictionary.mask_index)] == [
        tokenizer.cls_token_id, tokenizer.pad_token_id, tokenizer.sep_token_id, tokenizer.unk_token_id,
        tokenizer.mask_token_id,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["cls.predictions.transform.dense.bias", "bert.embeddings.LayerNorm.bias"])
def test_a_parameter_too_few_is_named(bert_folder, name):
    change_weights(bert_folder, lambda state: state.pop(name))
    with pytest.raises(XalignError, match=rf"BERT's kind[\s\S]*1 missing \['{name.removeprefix('bert.')}'\]"):
        importing.read(bert_folder)


def test_a_head_whose_bias_is_not_tied(build, save, bert_tokens, caplog):
    model = build("BertForMaskedLM")
    folder = save(model)
    change_weights(folder, lambda state: state.update({"cls.predictions.decoder.bias": torch.ones(1)}))
    _, encoder = imported(folder)
    assert "left out: it is not tied (cls.predictions.decoder.bias unlike cls.predictions.bias)" in caplog.text
    assert_same_hidden(encoder, model, bert_tokens, theirs(bert_tokens))
