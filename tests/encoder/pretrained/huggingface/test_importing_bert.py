import numpy as np
import pytest
import torch
from support.huggingface_folders import BERT_SYMBOLS, POSITIONS, assert_same_logits, change_weights, imported

from xalign_fairseq.data.inputs import Input

SPECIALS = ["[CLS]", "[PAD]", "[SEP]", "[UNK]"]
REST = [symbol for symbol in BERT_SYMBOLS if symbol not in (*SPECIALS, "[MASK]")]
# BERT's id of each of our ids, by the rule's text.
ORDER = [BERT_SYMBOLS.index(symbol) for symbol in (*SPECIALS, *REST, "[MASK]")]


@pytest.fixture
def bert_tokens(make_tokens):
    return make_tokens(len(BERT_SYMBOLS))


def theirs(tokens):
    return torch.tensor(ORDER)[tokens]


def test_logits_equal_transformers(build, save, bert_tokens):
    model = build("BertForMaskedLM")
    assert model.config.layer_norm_eps == 1e-12 and model.config.type_vocab_size == 2
    state, encoder = imported(save(model))
    assert_same_logits(encoder, model, bert_tokens, ORDER)
    assert encoder.config.max_positions == POSITIONS and encoder.config.layer_norm_eps == 1e-12
    assert {f"encoder.{name}" for name in encoder.state_dict()} == set(state["model"])


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
        expected = model(theirs(PAIRS), attention_mask=keep.long(), token_type_ids=types).logits[keep][:, ORDER]
        found = encoder.lm_head(encoder.states(given).layer()[keep])
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


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
