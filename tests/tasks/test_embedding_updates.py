from types import SimpleNamespace

import pytest
import torch

import xalign_fairseq
from tests.tasks.conftest import USER_DIR, assert_resumed

xalign_fairseq.register()

from xalign_fairseq.core.errors import XalignError  # noqa: E402
from xalign_fairseq.encoder.config import EncoderConfig  # noqa: E402
from xalign_fairseq.models.xalign import XalignModel  # noqa: E402
from xalign_fairseq.tasks.embedding_updates import update_rows_alone  # noqa: E402

SIZES = {"encoder_layers": 1, "encoder_embed_dim": 8, "encoder_ffn_embed_dim": 8, "encoder_attention_heads": 1}


def chosen(option, with_all=(), master=False, frozen=False, **options):
    """Whether a model's embeddings get sparse gradients."""
    model = XalignModel(EncoderConfig(vocab_size=12, **SIZES))
    if frozen:
        model.freeze_layers(0)
    here = {"optimizer": "xalign_adamw", "distributed_world_size": 1, "cpu": True, **options}
    task = SimpleNamespace(cfg=SimpleNamespace(embedding_updates=option, **here), has_master_weights=master)
    update_rows_alone(model, task, with_all)
    return model.encoder.sentence_encoder.embed_tokens.sparse


def test_dense_equals_adam_with_any_other_option():
    assert not chosen("dense") and not chosen("dense", with_all=["mlm"], optimizer=None)


@pytest.mark.parametrize("option", ["lazy", "auto"])
def test_only_the_rows_of_a_batch_are_updated(option, caplog):
    caplog.set_level("INFO")
    assert chosen(option)
    assert [record.message for record in caplog.records] == ["token embeddings: only those of a batch are updated"]


@pytest.mark.parametrize(
    "obstacle, reason",
    [
        ({"with_all": ["tlm", "reg_param"]}, "the gradient of tlm, reg_param has every row"),
        ({"optimizer": "adam"}, "the optimizer adam does not support sparse gradients"),
        ({"master": True}, "copy whole gradients"),
        ({"distributed_world_size": 2}, "several processes"),
    ],
)
def test_obstacles_are_an_error_or_logged(obstacle, reason, caplog):
    with pytest.raises(XalignError, match=reason):
        chosen("lazy", **obstacle)
    caplog.set_level("INFO")
    assert not chosen("auto", **obstacle)
    (record,) = caplog.records
    assert "all are updated" in record.message and reason in record.message


def test_frozen_embeddings_have_no_gradient_of_either_kind(caplog):
    caplog.set_level("INFO")
    assert not chosen("lazy", frozen=True, optimizer="adam") and not caplog.records


def test_on_a_gpu_auto_updates_all(monkeypatch, caplog):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    caplog.set_level("INFO")
    assert chosen("lazy", cpu=False) and chosen("auto") and not chosen("auto", cpu=False)
    assert "a GPU" in caplog.records[-1].message


def test_an_unknown_word_is_refused():
    with pytest.raises(XalignError, match="dense, lazy, auto"):
        chosen("sparse")


LAZY = (
    *("--criterion", "weighted", "--objectives", "self_training", "--self-training-layer", 1),
    *("--optimizer", "xalign_adamw", "--embedding-updates", "lazy", "--disable-validation"),
    *("--save-interval-updates", 3, "--max-update", 6),
)
EMBEDDINGS = "encoder.sentence_encoder.embed_tokens.weight"


def saved(folder, name="checkpoint_last.pt"):
    return torch.load(folder / name, weights_only=True)


@pytest.fixture(scope="module")
def lazy(train, databin, tmp_path_factory):
    """Six lazy updates with a moving average, saved after the third."""
    folder = tmp_path_factory.mktemp("lazy")
    logged, done = train(databin, folder, *LAZY, "--store-ema", "--ema-decay", 0.5)
    return logged, folder, done.stdout + done.stderr


@pytest.mark.slow
def test_embeddings_of_unread_tokens_do_not_change(lazy):
    _, folder, log = lazy
    assert "token embeddings: only those of a batch are updated" in log
    first, last = (saved(folder, name)["model"][EMBEDDINGS] for name in ("checkpoint_1_3.pt", "checkpoint_last.pt"))
    stayed = (first == last).all(1)
    assert 0 < stayed.sum() < len(stayed)
    state = saved(folder)["last_optimizer_state"]["state"]
    (moments,) = (each["exp_avg_sq"] for each in state.values() if each["exp_avg_sq"].shape == last.shape)
    assert (moments.any(1) | stayed).all() and not moments.any(1).all()


@pytest.mark.slow
def test_a_resumed_run_has_the_losses_of_the_uninterrupted_one(lazy, train, databin, tmp_path):
    assert_resumed(train, databin, lazy[:2], tmp_path, *LAZY, "--store-ema", "--ema-decay", 0.5)


@pytest.mark.slow
def test_micro_batches_have_the_norm_of_dense_updates(train, databin, tmp_path):
    """The first update that leaves out a row updated earlier."""
    extra = (*LAZY, "--max-update", 2, "--update-freq", 2)
    lazily, _ = train(databin, tmp_path / "lazy", *extra)
    dense, _ = train(databin, tmp_path / "dense", *extra, "--embedding-updates", "dense")
    for update in (1, 2):
        assert lazily[update] == pytest.approx(dense[update], abs=2e-3)


@pytest.mark.slow
def test_a_yaml_run_knows_its_optimizer(databin, command, tmp_path):
    (tmp_path / "run.yaml").write_text(
        f"""# @package _global_
common: {{user_dir: {USER_DIR}, cpu: true, seed: 3}}
task: {{_name: xalign_pretraining, data: {databin}, embedding_updates: lazy}}
model: {{_name: xalign_tiny, encoder_layers: 1, encoder_embed_dim: 16, encoder_ffn_embed_dim: 16}}
criterion: {{_name: weighted, objectives: self_training, self_training_layer: 1}}
optimizer: {{_name: xalign_adamw, adam_betas: "(0.9,0.98)"}}
lr_scheduler: {{_name: fixed}}
dataset: {{batch_size: 8, num_workers: 0, disable_validation: true}}
optimization: {{max_update: 2, lr: [0.001], clip_norm: 1.0}}
checkpoint: {{save_dir: {tmp_path}/save, no_epoch_checkpoints: true}}
"""
    )
    command("fairseq-hydra-train", "--config-dir", tmp_path, "--config-name", "run", cwd=tmp_path)
    assert saved(tmp_path / "save")["cfg"]["task"]["embedding_updates"] == "lazy"
    assert "only those of a batch are updated" in "".join(path.read_text() for path in tmp_path.rglob("*.log"))
