import logging

import pytest
import torch
from support.body_folders import MODELS, TEXT, ragged_tokens, read_model, their_states, write_model
from support.huggingface_folders import change_weights, configure

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.checkpoint import load_encoder
from xalign_fairseq.encoder.masked_lm import PARTS
from xalign_fairseq.encoder.pretrained.exporting import export
from xalign_fairseq.encoder.pretrained.huggingface import adapting
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import convert, save_checkpoint

transformers = pytest.importorskip("transformers")


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_without_a_head_is_read_too(tmp_path, kind):
    model = write_model(tmp_path, kind)
    model.base_model.save_pretrained(tmp_path)
    encoder, tokenizer = read_model(tmp_path)
    tokens = ragged_tokens(encoder)
    last = encoder.states(tokens, grad=False).layer(-1)
    keep = tokens.ne(1)
    torch.testing.assert_close(last[keep], their_states(model, tokenizer, tokens)[-1][keep], rtol=1e-4, atol=2e-5)


def test_a_folder_is_known_by_its_configuration(tmp_path):
    assert not adapting.is_body(tmp_path)
    write_model(tmp_path, "deberta-v2")
    assert adapting.is_body(tmp_path)
    for other in ("xlm-roberta", ["bert"]):
        configure(tmp_path, model_type=other)
        assert not adapting.is_body(tmp_path)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda state: state.pop("model.layers.1.attn.Wo.weight"), "1 missing"),
        (lambda state: state.update({"model.layers.1.attn.other": torch.zeros(1)}), "1 unknown"),
        (lambda state: state.update({"model.final_norm.weight": torch.zeros(3)}), "size of a parameter differs"),
        *(({"vocab_size": rows}, "vocab_size") for rows in (None, 0, "60")),
    ],
)
def test_other_parameters_and_vocabularies_without_a_size_are_refused(tmp_path, change, match):
    write_model(tmp_path, "modernbert")
    configure(tmp_path, **change) if isinstance(change, dict) else change_weights(tmp_path, change)
    with pytest.raises(XalignError, match=match):
        adapting.read(tmp_path)


def test_a_checkpoints_damaged_body_is_refused(tmp_path):
    write_model(tmp_path, "modernbert")
    state, where = read_pretrained(tmp_path)
    state["cfg"]["model"]["transformers_config"] = "{"
    with pytest.raises(XalignError, match="where: transformers_config"):
        load_encoder(state, where)


@pytest.mark.parametrize(("kind", "changes"), [
    ("modernbert", {}), ("modernbert", {"classifier_bias": True, "norm_bias": True, "decoder_bias": False}),
    ("deberta-v2", {}),
])  # fmt: skip
def test_logits_equal_transformers(tmp_path, kind, changes):
    model = write_model(tmp_path, kind, **changes)
    encoder, tokenizer = read_model(tmp_path)
    tokens = ragged_tokens(encoder)
    keep, order = tokens.ne(1), torch.tensor(tokenizer.pipeline.order)
    with torch.no_grad():
        theirs = model(input_ids=order[tokens].where(keep, torch.tensor(0)), attention_mask=keep.long()).logits
        head, states = encoder.lm_head, encoder.states(tokens, grad=False).layer(-1)
        ours = head.features(states) @ head.weight.T + head.bias
    torch.testing.assert_close(ours[keep], theirs[..., order][keep], rtol=1e-4, atol=5e-5)


def is_made(folder):
    """Whether the loaded head was made from the embeddings."""
    return torch.equal(read_model(folder)[0].lm_head.dense.weight, torch.eye(32))


def test_heads_of_other_shapes_are_left_out(tmp_path):
    folder = tmp_path / "model"
    write_model(folder, "modernbert")
    assert not is_made(folder)
    configure(folder, classifier_activation="silu")
    assert is_made(folder)
    configure(folder, classifier_activation="gelu")
    change_weights(folder, lambda weights: weights.pop("head.norm.weight"))
    assert is_made(folder)


def test_unused_weights_are_logged(tmp_path, caplog):
    write_model(tmp_path, "modernbert")
    change_weights(tmp_path, lambda state: state.update({"classifier.weight": torch.zeros(1)}))
    with caplog.at_level(logging.WARNING):
        adapting.read(tmp_path)
    assert "not used" in caplog.text and "7 rows of padding" in caplog.text


# Parts of our head that ModernBERT's lacks.
LACKING = {"encoder.lm_head.dense.bias", "encoder.lm_head.layer_norm.bias"}


@torch.no_grad()
def trained(tmp_path, model_type, still=LACKING, head=True):
    """A checkpoint with all parameters of a new folder's model changed but some; tied ones stay tied."""
    folder, path = tmp_path / "model", tmp_path / "trained.pt"
    model = write_model(folder, model_type)
    if not head:
        model.base_model.save_pretrained(folder)
    state, _ = read_pretrained(folder)
    generator = torch.Generator().manual_seed(3)
    moved = {}
    for name, value in state["model"].items():
        noise = 0.05 * torch.randn(value.shape, generator=generator)
        moved[name] = value if name in still else value + noise
    tied = "encoder.sentence_encoder.embed_tokens.weight"
    moved["encoder.lm_head.weight"] = moved[tied]
    moved["heads.dwa.pointer"] = torch.ones(3)
    with open(path, "wb") as stream:
        save_checkpoint({**state, "model": moved}, stream, path)
    return path


def architecture(model_type):
    return getattr(transformers, MODELS[model_type][0])


@pytest.mark.parametrize("model_type", MODELS)
def test_transformers_reproduces_the_states_of_a_trained_model(model_type, tmp_path, caplog):
    checkpoint = trained(tmp_path, model_type)
    with caplog.at_level(logging.WARNING):
        export(checkpoint, tmp_path / "out", onto=tmp_path / "model")
    encoder, tokenizer = read_model(checkpoint)
    theirs = architecture(model_type).from_pretrained(tmp_path / "out").eval()
    tokens = ragged_tokens(encoder)
    keep = tokens.ne(1)
    for layer, expected in enumerate(their_states(theirs, tokenizer, tokens)):
        found = encoder.states(tokens, grad=False).layer(layer)
        torch.testing.assert_close(found[keep], expected[keep], rtol=1e-4, atol=2e-5)
    again, _ = read_pretrained(tmp_path / "out")  # also heads of objectives
    before, _ = read_pretrained(checkpoint)
    for name, value in before["model"].items():
        torch.testing.assert_close(again["model"][name], value, msg=lambda text, name=name: f"{name}: {text}")
    theirs_of, ours_of = (transformers.AutoTokenizer.from_pretrained(tmp_path / name) for name in ("model", "out"))
    assert [theirs_of(text).input_ids for text in TEXT] == [ours_of(text).input_ids for text in TEXT]


@pytest.mark.parametrize("learned", [True, False])
def test_a_trained_head_without_counterpart_gives_a_warning(learned, tmp_path, caplog):
    head = [f"encoder.lm_head.{part}" for part in PARTS]
    export(
        trained(tmp_path, "deberta-v2", () if learned else head, head=False), tmp_path / "out", onto=tmp_path / "model"
    )
    assert ("not exported: the trained masked-language-model head" in caplog.text) is learned


def test_rows_of_no_token_stay_and_tied_parameters_follow(tmp_path):
    convert(trained(tmp_path, "modernbert"), tmp_path / "again.pt")
    before = architecture("modernbert").from_pretrained(tmp_path / "model").state_dict()
    export(tmp_path / "again.pt", tmp_path / "out", onto=tmp_path / "model")
    after = architecture("modernbert").from_pretrained(tmp_path / "out").state_dict()
    name = "model.embeddings.tok_embeddings.weight"
    changed = (after[name] != before[name]).any(1)
    assert not changed[-7:].any() and changed[:-7].float().mean() > 0.9  # 7 rows are no token's
    assert torch.equal(after["decoder.weight"], after[name])


@pytest.mark.parametrize(
    ("change", "message"),
    [({"num_hidden_layers": 5}, "the target model"), ({"vocab_size": 300}, "vocabulary|rows|tokenizer")],
)
def test_another_model_is_refused(change, message, tmp_path):
    checkpoint = trained(tmp_path, "modernbert")
    write_model(tmp_path / "other", "modernbert", **change)
    with pytest.raises(XalignError, match=message):
        export(checkpoint, tmp_path / "out", onto=tmp_path / "other")
    assert not (tmp_path / "out").exists()


def test_the_packages_own_encoder_is_not_exported_onto_another_model(tmp_path, folder):
    write_model(tmp_path / "model", "modernbert")
    convert(folder, tmp_path / "own.pt")
    with pytest.raises(XalignError, match=r"without its original model(?s:.*)leave out onto"):
        export(tmp_path / "own.pt", tmp_path / "out", onto=tmp_path / "model")
    assert not (tmp_path / "out").exists()


def test_parts_that_the_models_head_lacks_give_a_warning(tmp_path, caplog):
    export(trained(tmp_path, "modernbert", ()), tmp_path / "out", onto=tmp_path / "model")
    assert {name for name in LACKING if f"not exported: {name}" in caplog.text} == LACKING
