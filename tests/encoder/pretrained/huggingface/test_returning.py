"""transformers reads a model trained here in the format of its original folder."""

import logging

import pytest
import torch
from support.body_folders import MODELS, TEXT, ragged_tokens, read_model, their_states, write_model

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.masked_lm import PARTS
from xalign_fairseq.encoder.pretrained.exporting import export
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import convert, save_checkpoint

transformers = pytest.importorskip("transformers")
HEADS = {"modernbert", "gte", "deberta-v2"}  # whose own head is ours
# Parts of our head that ModernBERT's lacks.
LACKING = {"encoder.lm_head.dense.bias", "encoder.lm_head.layer_norm.bias"}


@torch.no_grad()
def trained(tmp_path, model_type, still=LACKING):
    """A checkpoint with all parameters of a new folder's model changed but some; tied ones stay tied."""
    folder, path = tmp_path / "model", tmp_path / "trained.pt"
    write_model(folder, model_type)
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
        if model_type in HEADS or "lm_head" not in name:
            torch.testing.assert_close(again["model"][name], value, msg=lambda text, name=name: f"{name}: {text}")
    theirs_of, ours_of = (transformers.AutoTokenizer.from_pretrained(tmp_path / name) for name in ("model", "out"))
    assert [theirs_of(text).input_ids for text in TEXT] == [ours_of(text).input_ids for text in TEXT]


@pytest.mark.parametrize("model_type", sorted(HEADS))
@torch.no_grad()
def test_logits_equal_the_models_own_head(model_type, tmp_path):
    checkpoint = trained(tmp_path, model_type)
    export(checkpoint, tmp_path / "out", onto=tmp_path / "model")
    encoder, tokenizer = read_model(checkpoint)
    tokens, order = ragged_tokens(encoder, (9,)), torch.tensor(tokenizer.pipeline.order)
    logits = architecture(model_type).from_pretrained(tmp_path / "out").eval()(input_ids=order[tokens]).logits
    ours = encoder.lm_head(encoder.states(tokens, grad=False).layer(-1))
    torch.testing.assert_close(ours, logits[..., order], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("learned", [True, False])
def test_a_trained_head_without_counterpart_gives_a_warning(learned, tmp_path, caplog):
    head = [f"encoder.lm_head.{part}" for part in PARTS]
    export(trained(tmp_path, "mt5", () if learned else head), tmp_path / "out", onto=tmp_path / "model")
    assert ("not exported: the trained masked-language-model head" in caplog.text) is learned


def test_untrained_parameters_stay_and_tied_parameters_follow(tmp_path):
    convert(trained(tmp_path, "mt5"), tmp_path / "again.pt")
    before = architecture("mt5").from_pretrained(tmp_path / "model").state_dict()
    export(tmp_path / "again.pt", tmp_path / "out", onto=tmp_path / "model")
    after = architecture("mt5").from_pretrained(tmp_path / "out").state_dict()
    assert all(torch.equal(after[name], before[name]) for name in before if name.startswith("decoder.block"))
    changed = (after["shared.weight"] != before["shared.weight"]).any(1)
    assert not changed[-7:].any() and changed[:-7].float().mean() > 0.9  # 7 rows are no token's
    for name in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight"):
        assert torch.equal(after[name], after["shared.weight"])


@pytest.mark.parametrize(
    ("change", "message"),
    [({"num_hidden_layers": 5}, "another model"), ({"vocab_size": 300}, "vocabulary|rows|tokenizer")],
)
def test_another_model_is_refused(change, message, tmp_path):
    checkpoint = trained(tmp_path, "modernbert")
    write_model(tmp_path / "other", "modernbert", **change)
    with pytest.raises(XalignError, match=message):
        export(checkpoint, tmp_path / "out", onto=tmp_path / "other")
    assert not (tmp_path / "out").exists()


def test_the_packages_own_encoder_is_not_put_back(tmp_path, folder):
    write_model(tmp_path / "model", "modernbert")
    convert(folder, tmp_path / "own.pt")
    with pytest.raises(XalignError, match=r"without its original model(?s:.*)leave out onto"):
        export(tmp_path / "own.pt", tmp_path / "out", onto=tmp_path / "model")
    assert not (tmp_path / "out").exists()


def test_parts_that_the_models_head_lacks_give_a_warning(tmp_path, caplog):
    export(trained(tmp_path, "modernbert", ()), tmp_path / "out", onto=tmp_path / "model")
    assert {name for name in LACKING if f"not exported: {name}" in caplog.text} == LACKING
