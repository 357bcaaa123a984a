import pytest
import torch
from support.huggingface_folders import (
    BERT_SYMBOLS,
    POSITIONS,
    assert_same_hidden,
    assert_same_logits,
    change_weights,
    imported,
)

from xalign_fairseq.encoder.pretrained.huggingface import importing

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
