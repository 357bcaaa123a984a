import argparse
import logging
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import xalign_fairseq

xalign_fairseq.register()

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.encoder import passes  # noqa: E402
from xalign_fairseq.encoder.config import EncoderConfig  # noqa: E402
from xalign_fairseq.encoder.copies import KeyQueue  # noqa: E402
from xalign_fairseq.encoder.hidden_states import open_passes  # noqa: E402
from xalign_fairseq.encoder.mappings import LanguageMaps  # noqa: E402
from xalign_fairseq.encoder.passes import StepEncoder  # noqa: E402
from xalign_fairseq.models.xalign import XalignModel, choose_layer_runs, require_sizes  # noqa: E402

CONFIG = EncoderConfig(
    vocab_size=35,
    encoder_layers=3,
    encoder_embed_dim=24,
    encoder_ffn_embed_dim=40,
    encoder_attention_heads=4,
    max_positions=20,
)


@pytest.fixture
def build():
    """Make a model of the small RoBERTa's size; no two have the same weights."""
    return lambda: XalignModel(CONFIG)


def head(fill):
    linear = nn.Linear(2, 3)
    nn.init.constant_(linear.weight, fill)
    linear.register_buffer("queue", torch.full((4,), float(fill)))
    return linear


def test_an_old_checkpoint_restores_with_every_key_accounted_for(build, old_state, roberta, tokens, caplog):
    model = build()
    with caplog.at_level(logging.WARNING):
        model.load_state_dict(old_state["model"], strict=True)
    assert not caplog.records
    logits, _ = roberta[0](tokens)
    keep = tokens.ne(1)
    found = model.encoder.lm_head(model(lambda encoder: encoder.states(tokens, labelling=True).layer()[keep]))
    torch.testing.assert_close(found, logits[keep], rtol=2e-5, atol=2e-5)


def test_heads_of_a_checkpoint_wait_for_their_objective(build):
    model, other = build(), build()
    model.attach_head("dwa", head(1))
    model.attach_head("tea", head(3))
    other.load_state_dict(model.state_dict(), strict=True)
    assert not list(other.heads)
    other.attach_head("dwa", head(2))
    assert other.heads["dwa"].weight.unique().tolist() == [1.0]
    assert list(other.heads) == ["dwa"]
    other.attach_head("dwa", head(5))  # a second criterion on the same model
    assert other.heads["dwa"].weight.unique().tolist() == [1.0]


def test_heads_that_the_checkpoint_lacks_keep_their_start_and_are_named(build, old_state, caplog):
    model = build()
    model.attach_head("dwa", head(2))
    with caplog.at_level(logging.WARNING):
        model.load_state_dict(old_state["model"], strict=True)
    assert model.heads["dwa"].weight.unique().tolist() == [2.0]
    assert "kept as initialised: heads.dwa.weight" in caplog.text


def test_an_encoder_only_checkpoint_keeps_the_head_for_masked_words(build, old_state, caplog):
    model = build()
    bias = model.encoder.lm_head.dense.weight.clone()
    weights = {key: value for key, value in old_state["model"].items() if "lm_head" not in key}
    with caplog.at_level(logging.WARNING):
        model.load_state_dict(weights, strict=True)
    assert torch.equal(model.encoder.lm_head.dense.weight, bias)
    assert "encoder.lm_head.dense.weight" in caplog.text
    embeddings = model.encoder.sentence_encoder.embed_tokens.weight
    assert torch.equal(embeddings, old_state["model"]["decoder.sentence_encoder.embed_tokens.weight"])
    assert model.encoder.lm_head.weight is embeddings


def test_an_untied_head_does_not_replace_the_embeddings(build, old_state, caplog):
    model, before = build(), old_state["model"]["decoder.sentence_encoder.embed_tokens.weight"].clone()
    old_state["model"]["decoder.lm_head.weight"] = before + 1
    model.load_state_dict(old_state["model"])
    assert torch.equal(model.encoder.sentence_encoder.embed_tokens.weight, before)
    assert model.encoder.lm_head.weight is model.encoder.sentence_encoder.embed_tokens.weight
    assert "head is left out: it is not tied to the embeddings" in caplog.text
    assert "kept as initialised: encoder.lm_head." in caplog.text


def test_unused_keys_are_named(build, old_state, caplog):
    old_state["model"]["decoder.pooler.weight"] = torch.zeros(1)
    with caplog.at_level(logging.WARNING):
        build().load_state_dict(old_state["model"], strict=True)
    assert "not used from the checkpoint: encoder.pooler.weight" in caplog.text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.pop("decoder.sentence_encoder.layers.2.fc1.weight"), r"lacks parts[\s\S]*layers.2.fc1.weight"),
        (lambda w: w.pop("decoder.sentence_encoder.embed_tokens.weight"), r"no encoder of this kind"),
        (
            lambda w: w.update({"decoder.sentence_encoder.embed_tokens.weight": torch.zeros(36, 24)}),
            r"embed_tokens.weight[\s\S]*\(36, 24\)[\s\S]*\(35, 24\)",
        ),
    ],
)
def test_checkpoints_that_do_not_fit(build, old_state, change, message):
    change(old_state["model"])
    with pytest.raises(XalignError, match=message):
        build().load_state_dict(old_state["model"], strict=True)


@pytest.mark.parametrize("drops", [False, True])
def test_two_readers_of_the_same_tokens_share_a_pass(build, tokens, monkeypatch, drops):
    model = build()
    config = replace(CONFIG, dropout=0.1 if drops else 0.0)
    model.encoder.config = config
    model.train()
    opened = []
    monkeypatch.setattr(
        passes, "open_passes", lambda *given, **options: opened.append(options) or open_passes(*given, **options)
    )

    def update(encoder):
        assert isinstance(encoder, StepEncoder)
        first = encoder.states(tokens).layer(2)
        assert encoder.states(tokens).layer(2) is first
        assert first.requires_grad
        assert not encoder.states(tokens, labelling=True).layer(2).requires_grad
        return encoder.config, encoder.update

    model.set_num_updates(7)
    assert model(update) == (config, 7)
    # Without dropout, labelling reads the trained pass.
    live, labels = {"training": True, "grad": True}, {"training": False, "grad": False}
    assert opened == ([live, labels] if drops else [live])


@pytest.mark.parametrize(("arch", "layers"), [("base", 12), ("large", 24)])
def test_base_and_large_have_xlmrs_names_and_shapes(arch, layers, monkeypatch):
    from fairseq.data import Dictionary
    from fairseq.models import MODEL_DATACLASS_REGISTRY
    from fairseq.models.roberta import model as roberta

    dictionary = Dictionary()
    for i in range(250_002 - len(dictionary)):
        dictionary.add_symbol(str(i))
    task = argparse.Namespace(source_dictionary=dictionary, dictionary=dictionary)
    args = argparse.Namespace(max_positions=512)
    {"base": roberta.base_architecture, "large": roberta.roberta_large_architecture}[arch](args)
    monkeypatch.setattr(roberta, "init_bert_params", lambda module: None)  # weights on the meta device have no values
    with torch.device("meta"):
        theirs = roberta.RobertaModel.build_model(args, task).state_dict()
        cfg = MODEL_DATACLASS_REGISTRY[f"xalign_{arch}"]()
        own_task = argparse.Namespace(dictionary=argparse.Namespace(embedding_size=250_002), restoring=False)
        ours = XalignModel.build_model(cfg, own_task).state_dict()
    expected = {key: value.shape for key, value in theirs.items() if not key.endswith("version")}
    assert {key: value.shape for key, value in ours.items()} == expected
    assert f"encoder.sentence_encoder.layers.{layers - 1}.fc1.weight" in ours


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize(("languages", "pivot"), [(["de"], "en"), (["de", "fr"], "en"), (["en"], "de")])
def test_a_head_of_other_languages_or_sizes_is_refused(build, languages, pivot, waits):
    model, other = build(), build()
    model.attach_head("linear_mapping", LanguageMaps(["de", "to"], "en", 3, 24))
    head = LanguageMaps(languages, pivot, 3, 24)
    if not waits:
        other.attach_head("linear_mapping", head)
    with pytest.raises(
        XalignError, match=r"head of linear_mapping was made with other options, languages[\s\S]*lang_pairs"
    ):
        other.load_state_dict(model.state_dict())
        other.attach_head("linear_mapping", head)


def test_with_another_architecture_the_error_names_the_encoder_and_no_head_option(build):
    small = XalignModel(replace(CONFIG, encoder_embed_dim=16))
    small.attach_head("moco", KeyQueue(4, 2))
    model = build()
    model.attach_head("moco", KeyQueue(3, 2))
    with pytest.raises(XalignError, match=r"(?s)does not fit this model.*arch") as error:
        model.load_state_dict(small.state_dict())
    assert "moco" not in str(error.value)


@pytest.mark.parametrize("count", [0, 2, 3])
def test_frozen_layers_are_the_embeddings_and_the_first_ones(build, count):
    model = XalignModel(replace(CONFIG, language_embeddings="de,en"))
    model.attach_head("tagging", head(1))
    model.freeze_layers(count)
    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
    below = ("embed_tokens.", "embed_positions.", "embed_languages.", "layernorm_embedding.")
    kept = (*below, *(f"layers.{layer}." for layer in range(count)))
    inside = "encoder.sentence_encoder."
    expected = {name for name, _ in model.named_parameters() if name.removeprefix(inside).startswith(kept)}
    assert frozen == expected and len(frozen) == 5 + 16 * count
    assert not model.encoder.lm_head.weight.requires_grad  # tied


@pytest.mark.parametrize(
    ("chosen", "fast", "enabled"),
    [("yes", False, True), ("auto", True, True), ("auto", False, False), ("no", True, False)],
)
def test_products_are_in_bfloat16_on_request(build, monkeypatch, tokens, chosen, fast, enabled):
    monkeypatch.setattr("xalign_fairseq.training.headed.fast_bfloat16", lambda device: fast)
    model = build()
    model.autocast = chosen
    linear = nn.Linear(24, 24)
    product, states = model(lambda encoder: (linear(torch.ones(1, 24)), encoder.states(tokens).layer()))
    assert product.dtype == (torch.bfloat16 if enabled else torch.float32) and states.dtype == torch.float32
    model.half()  # fairseq's own half precision is unchanged
    assert model(lambda encoder: torch.is_autocast_enabled("cpu")) is False


def test_the_way_that_layers_run_is_an_option():
    task = SimpleNamespace(dictionary=SimpleNamespace(embedding_size=35), restoring=False)
    made = {}
    for chosen in (True, False):
        options = argparse.Namespace(**vars(CONFIG), compile=chosen, checkpoint_activations=chosen)
        made[chosen] = XalignModel.build_model(options, task)
        layers = made[chosen].encoder.sentence_encoder.layers
        assert {layer.checkpoint_activations for layer in layers} == {layer.compiled for layer in layers} == {chosen}
    assert made[True].state_dict().keys() == made[False].state_dict().keys()
    XalignModel.build_model(argparse.Namespace(**vars(CONFIG)), task)  # from a checkpoint that lacks the options


@pytest.mark.parametrize("way", ["compile", "cuda_graphs"])
def test_without_a_compiler_compiling_is_refused(build, monkeypatch, way):
    monkeypatch.setenv("CXX", "there_is_no_such_compiler")
    with pytest.raises(XalignError, match=r"needs a C\+\+ compiler") as refused:
        choose_layer_runs(build().encoder.sentence_encoder, argparse.Namespace(**{way: True}))
    assert refused.value.parameters == (way,)


@pytest.mark.parametrize("other", ["compile", "checkpoint_activations"])
def test_cuda_graphs_exclude_other_ways(build, other):
    with pytest.raises(XalignError, match="CUDA graphs exclude") as refused:
        choose_layer_runs(build().encoder.sentence_encoder, argparse.Namespace(cuda_graphs=True, **{other: True}))
    assert refused.value.parameters == ("cuda_graphs", other)


def test_a_checkpoint_of_other_sizes_names_the_sizes():
    require_sizes({"encoder_layers": 3, "encoder_embed_dim": 24, "max_positions": None}, CONFIG)
    found = "found: encoder_embed_dim=24\n  expected: encoder_embed_dim=12"
    with pytest.raises(XalignError, match=f"(?s)other sizes.*where: arch\n  {found}"):
        require_sizes({"encoder_layers": 3, "encoder_embed_dim": 12}, CONFIG)


@pytest.mark.parametrize("count", [-1, 4])
def test_missing_layers_can_not_be_frozen(build, count):
    model = build()
    with pytest.raises(XalignError, match=rf"freeze_layers[\s\S]*{count}[\s\S]*to 3"):
        model.freeze_layers(count)
    assert all(parameter.requires_grad for parameter in model.parameters())
