import argparse
import pickle
import sys
import types
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from support.checkpoints import mappings_of
from support.damage import Foreign
from torch import nn

import xalign_fairseq
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder import checkpoint, masked_lm
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.transformer import Encoder


def saved(tmp_path, state, **options):
    path = tmp_path / "model.pt"
    torch.save(state, path, **options)
    return path


@pytest.mark.parametrize("zipped", [True, False], ids=["zip file", "file of torch before 1.6"])
def test_an_old_checkpoint_loads_with_every_key_accounted_for(roberta, old_state, tokens, tmp_path, zipped):
    state = checkpoint.read(saved(tmp_path, old_state, _use_new_zipfile_serialization=zipped))
    encoder, heads = checkpoint.load_encoder(state)
    assert heads == {}
    weights = masked_lm.today(state["model"])
    assert {f"encoder.{key}" for key in encoder.state_dict()} == set(weights)
    logits, _ = roberta[0](tokens)
    keep = tokens.ne(1)
    torch.testing.assert_close(
        encoder.lm_head(encoder.states(tokens).layer()[keep]), logits[keep], rtol=2e-5, atol=2e-5
    )
    assert not encoder.training


def test_updates_of_a_checkpoint_and_of_a_damaged_one(tmp_path):
    path = saved(tmp_path, {"model": {}, "optimizer_history": [{"num_updates": 3}, {"num_updates": 8}]})
    assert checkpoint.updates_of(path) == 8
    path.write_bytes(path.read_bytes()[:300])  # half a copy
    assert checkpoint.updates_of(path) is None
    assert checkpoint.updates_of(tmp_path / "nothing.pt") is None
    for more in ({}, {"optimizer_history": None}, {"optimizer_history": []}, {"cfg": None, "args": None}):
        assert checkpoint.updates_of(saved(tmp_path, {"model": {}, **more})) == 0  # not trained, and not damaged


@pytest.mark.parametrize(
    ("what", "reason"),
    [("untied", "it is not tied to the embeddings"), ("not whole", "it lacks dense.bias"), ("none", None)],
)
def test_a_head_that_the_encoder_cannot_have_is_left_out(old_state, tokens, tmp_path, caplog, what, reason):
    whole, _ = checkpoint.load_encoder(checkpoint.read(saved(tmp_path, old_state)))
    [tied] = [name for name in old_state["model"] if name.endswith("lm_head.weight")]
    if what == "untied":
        model = {**old_state["model"], tied: old_state["model"][tied] + 1}
    else:
        lacks = "lm_head.dense.bias" if what == "not whole" else "lm_head"
        model = {name: value for name, value in old_state["model"].items() if lacks not in name}
    assert not caplog.records
    path = tmp_path / "old.pt"
    torch.save({**old_state, "model": model}, path)
    encoder, _ = checkpoint.load_encoder(checkpoint.read(path), path)
    left_out = [f"{path}: the masked-language-model head is left out: {reason}"] if reason else []
    made = f"{path} has no masked-language-model head: one is made from its embeddings"
    assert [record.getMessage() for record in caplog.records] == [*left_out, made]
    assert torch.equal(encoder.states(tokens).layer(), whole.states(tokens).layer())
    assert encoder.lm_head.weight is encoder.sentence_encoder.embed_tokens.weight
    assert torch.equal(encoder.lm_head.dense.weight, torch.eye(24))


def test_the_encoder_is_mapped_from_the_file(old_state, tmp_path):
    encoder, _ = checkpoint.load_encoder({"args": old_state["args"], "model": masked_lm.today(old_state["model"])})
    path = saved(
        tmp_path, {"args": old_state["args"], "model": {f"encoder.{k}": v for k, v in encoder.state_dict().items()}}
    )
    found, _ = checkpoint.load_encoder(checkpoint.read(path))
    mapped = mappings_of(path)
    for name, value in found.state_dict().items():
        assert any(value.data_ptr() in each for each in mapped), name
        assert torch.equal(value, encoder.state_dict()[name])
    before = path.read_bytes()
    with torch.no_grad():
        for parameter in found.parameters():
            parameter.add_(1)
    assert path.read_bytes() == before  # changes stay in the process


def test_torch_s_own_list_of_safe_globals_stays_as_it_was(old_state, tmp_path):
    path = saved(tmp_path, old_state)
    torch.serialization.add_safe_globals([argparse.Namespace])
    before = set(torch.serialization.get_safe_globals())
    checkpoint.read(path)
    assert set(torch.serialization.get_safe_globals()) == before


def test_sizes_come_from_the_weights_and_heads_from_the_options(old_state, tmp_path):
    old_state["model"]["heads.dwa.query.weight"] = torch.ones(2, 2)
    encoder, heads = checkpoint.load_encoder(checkpoint.read(saved(tmp_path, old_state)))
    assert list(heads) == ["heads.dwa.query.weight"]
    config = encoder.config
    assert (config.encoder_layers, config.encoder_embed_dim, config.encoder_ffn_embed_dim) == (3, 24, 40)
    assert (config.encoder_attention_heads, config.vocab_size, config.max_positions) == (4, 35, 20)


def test_the_number_of_heads_may_be_that_of_a_known_architecture(old_state, tmp_path):
    old_state = checkpoint.read(saved(tmp_path, old_state))
    old_state["args"] = argparse.Namespace(arch="xlmr_base")
    assert checkpoint.load_encoder(old_state)[0].config.encoder_attention_heads == 12
    old_state["args"] = argparse.Namespace(arch="my_roberta")
    with pytest.raises(XalignError, match=r"attention_heads[\s\S]*my_roberta"):
        checkpoint.load_encoder(old_state)


def test_todays_options_are_read_from_cfg(roberta):
    model, args = roberta
    for group in (args, vars(args)):
        state = {
            "cfg": {"model": group, "criterion": {"dwa_label_layer": 2}, "task": None},
            "model": masked_lm.today(model.state_dict()),
        }
        assert checkpoint.load_encoder(state)[0].config.encoder_attention_heads == 4
        assert checkpoint.options(state, "criterion") == {"dwa_label_layer": 2}
        assert checkpoint.options(state, "task") == checkpoint.options(state, "none") == {}
    assert checkpoint.options({"model": {}}) == {}


@pytest.mark.parametrize("module", ["fairseq.meters", "fairseq.logging.meters"])
def test_statistics_of_fairseq_and_numpy_scalars_are_harmless(old_state, tmp_path, monkeypatch, module):
    meter = type("AverageMeter", (), {"__module__": module})
    fake = types.ModuleType(module)
    fake.AverageMeter = meter
    monkeypatch.setitem(sys.modules, module, fake)
    old_state["extra_state"] = {"meters": {"loss": meter()}, "best": np.float64(1.5), "epoch": np.int64(3)}
    old_state["extra_state"]["meters"]["loss"].sum = 3.0
    found = checkpoint.read(saved(tmp_path, old_state))["extra_state"]
    assert (found["best"], found["epoch"]) == (1.5, 3)
    assert vars(found["meters"]["loss"])["sum"] == 3.0


@pytest.mark.parametrize("zipped", [True, False])
def test_foreign_code_is_refused_without_running_it(old_state, tmp_path, zipped):
    trap = tmp_path / "trap"
    old_state["extra"] = Foreign(trap)
    path = saved(tmp_path, old_state, _use_new_zipfile_serialization=zipped)
    with pytest.raises(XalignError, match=r"foreign pickled code and was not loaded[\s\S]*posix.mkdir"):
        checkpoint.read(path)
    assert not trap.exists()
    pickle.loads(pickle.dumps(old_state["extra"]))  # it would have
    assert trap.exists()


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("keep", [0.0, 0.3, 0.95])
def test_a_truncated_checkpoint(old_state, tmp_path, keep, zipped):
    path = saved(tmp_path, old_state, _use_new_zipfile_serialization=zipped)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(XalignError, match="not a checkpoint, or it is damaged") as caught:
        checkpoint.read(path)
    assert str(path) in str(caught.value) and "found: \n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"hello\n", b"the red house\n" * 100, b"<html>", bytes(range(256)), b"\x80\x02K\x01.", b"PK\x03\x04 zip"],
)
def test_a_file_that_is_not_a_checkpoint(tmp_path, content):
    path = tmp_path / "text"
    path.write_bytes(content)
    with pytest.raises(XalignError, match=r"not a (fairseq )?checkpoint"):
        checkpoint.read(path)


def test_a_missing_file_a_folder_and_other_contents(old_state, tmp_path):
    for path in (tmp_path / "none.pt", tmp_path):
        with pytest.raises(XalignError, match="does not exist"):
            checkpoint.read(path)
    with pytest.raises(XalignError, match=r"not a fairseq checkpoint[\s\S]*decoder"):
        checkpoint.read(saved(tmp_path, old_state["model"]))
    with pytest.raises(XalignError, match=r"not a fairseq checkpoint[\s\S]*found: list"):
        checkpoint.read(saved(tmp_path, [1]))
    with pytest.raises(XalignError, match=r"no encoder of this kind[\s\S]*encoder.embed_tokens.weight"):
        checkpoint.load_encoder({"model": {"encoder.embed_tokens.weight": torch.zeros(3, 2)}})


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i8", "i4", "i2", "u2", "u1", "?"])
def test_numpy_scalars_of_every_listed_dtype_are_read(tmp_path, kind):
    best = np.ones((), kind)[()]
    torch.save({"model": {}, "cfg": None, "extra_state": {"best": best}}, tmp_path / "model.pt")
    found = checkpoint.load_pickled(tmp_path / "model.pt")["extra_state"]["best"]
    assert found == best and found.dtype == best.dtype


SIZES = {"encoder_layers": 2, "encoder_embed_dim": 8, "encoder_ffn_embed_dim": 16, "encoder_attention_heads": 2}


def norms(module):
    return [each for each in module.modules() if isinstance(each, nn.LayerNorm)]


def state_of(config, **said):
    """A checkpoint with options in addition to the number of heads."""
    encoder = Encoder(config)
    weights = {f"encoder.{name}": value for name, value in encoder.state_dict().items()}
    return {"cfg": {"model": {"encoder_attention_heads": 2, **said}}, "model": weights}


@pytest.mark.parametrize(("said", "expected"), [({}, 1e-5), ({"layer_norm_eps": 1e-12}, 1e-12)])
def test_the_epsilon_of_layer_norms_is_that_of_the_checkpoint(said, expected):
    encoder, _ = checkpoint.load_encoder(state_of(EncoderConfig(20, **SIZES), **said))
    assert encoder.config.layer_norm_eps == expected
    assert {each.eps for each in norms(encoder)} == {expected}


@pytest.mark.parametrize(("name", "theirs", "ours"), [
    ("layer_norm_eps", 1e-12, 1e-5), ("layer_norm_eps", 1e-5, 1e-12), ("token_types", 2, 1),
])  # fmt: skip
def test_starting_from_an_encoder_with_another_names_the_option(tmp_path, name, theirs, ours):
    xalign_fairseq.register()
    from xalign_fairseq.models.xalign import XalignModel

    task = SimpleNamespace(
        restoring=False, dictionary=SimpleNamespace(embedding_size=20), load_state_dict=lambda state: None
    )
    config = EncoderConfig(20, **SIZES, **{name: theirs})
    torch.save(state_of(config, **{name: theirs}), tmp_path / "bert.pt")
    options = argparse.Namespace(**SIZES, init_checkpoint=str(tmp_path / "bert.pt"), language_embeddings="")
    setattr(options, name, theirs)
    built = XalignModel.build_model(options, task)
    assert {each.eps for each in norms(built)} == {config.layer_norm_eps}
    assert ("encoder.sentence_encoder.second_text" in built.state_dict()) is (config.token_types == 2)
    setattr(options, name, ours)
    with pytest.raises(XalignError, match=f"(?s)found: {ours}.*expected: {theirs}"):
        XalignModel.build_model(options, task)


SMALL = EncoderConfig(30, 2, 8, 16, 2, max_positions=10)
WORDS = "encoder.sentence_encoder.embed_tokens.weight"


@pytest.fixture
def state():
    torch.manual_seed(1)
    model = {f"encoder.{name}": value for name, value in Encoder(SMALL).state_dict().items()}
    return {
        "model": model,
        "cfg": {"model": {"encoder_attention_heads": 2}},
        "task_state": {"tokenizer": {"symbols": ["<s>", "a"], "sentencepiece": torch.zeros(3, dtype=torch.uint8)}},
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state["model"].update(a=3), "`Tensor`, got `int`"),
        (lambda state: state["model"].update({3: torch.zeros(1)}), "`key` in `\\$.model`"),
        (lambda state: state.update(cfg=[1]), "\\$.cfg"),
        (lambda state: state.update(args={"a": 1}), "`Namespace"),
        (lambda state: state["task_state"]["tokenizer"].update(symbols=torch.zeros(1_000_000)), "symbols"),
        (lambda state: state["task_state"]["tokenizer"].update(symbols=[1, 2]), "symbols\\[0\\]"),
        (lambda state: state["task_state"]["tokenizer"].update(sentencepiece=torch.zeros(3)), "torch.float32"),
        (lambda state: state["task_state"].update(family=7), "family"),
        (lambda state: state.update(optimizer_history=[{"num_updates": "7"}]), "num_updates"),
        (lambda state: state["model"].update(a=torch.zeros(2, 2).to_sparse()), "sparse or quantised"),
    ],
)
def test_other_types_are_named_with_the_file_and_their_place(state, tmp_path, change, message):
    change(state)
    torch.save(state, tmp_path / "model.pt")
    with pytest.raises(XalignError, match=message) as error:
        checkpoint.read(tmp_path / "model.pt")
    assert "model.pt" in str(error.value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("encoder.sentence_encoder.layers.1.fc1.weight", torch.zeros(16, 9), r"fc1.weight\n  found: \(16, 9\)"),
        ("encoder.sentence_encoder.layers.0.fc1.bias", torch.zeros(17), r"expected: \(17"),
        ("encoder.sentence_encoder.layers.1.final_layer_norm.bias", torch.zeros(()), r"found: \(\)"),
        ("encoder.sentence_encoder.layers.1.fc1.bias", torch.zeros(16, dtype=torch.int64), "int64"),
        ("encoder.sentence_encoder.layers.7.fc1.bias", torch.zeros(16), "missing|unexpected"),
        ("encoder.sentence_encoder.layers.x.fc1.bias", torch.zeros(16), "unexpected"),
        (WORDS, torch.zeros(30), "no encoder of this kind"),
        ("encoder.sentence_encoder.embed_positions.weight", torch.zeros(1, 8), "max_positions"),
    ],
)
def test_contradictory_shapes(state, name, value, message):
    state["model"][name] = value
    with pytest.raises(XalignError, match=message):
        checkpoint.load_encoder(state)


@pytest.mark.parametrize("heads", [0, 3, "2", 10**30])
def test_unknown_encoder_options(state, heads):
    state["cfg"]["model"]["encoder_attention_heads"] = heads
    with pytest.raises(XalignError, match="heads"):
        checkpoint.load_encoder(checkpoint.require_options(state, "here"))


@pytest.mark.parametrize("zipped", [True, False])
def test_changed_weights_are_noticed_by_their_checksum(tmp_path, zipped):
    path = saved(tmp_path, {"weight": torch.ones(5000)}, _use_new_zipfile_serialization=zipped)
    assert checkpoint.is_intact(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert torch.load(path)["weight"].ne(1).sum() == 1  # torch does not notice
    assert checkpoint.is_intact(path) == (not zipped)


def test_no_damage_makes_the_check_itself_fail(tmp_path):
    path = saved(tmp_path, {"weight": torch.ones(50)})
    whole, rng = path.read_bytes(), np.random.default_rng(1)
    found = set()
    for _ in range(400):
        content = bytearray(whole)
        content[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        path.write_bytes(content)
        found.add(checkpoint.is_intact(path))
    assert found == {True, False}  # some bytes are padding
