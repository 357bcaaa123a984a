"""A trainer without a model: enough to call its methods over stand-ins of fairseq's."""

from types import SimpleNamespace

import pytest

import xalign_fairseq
from xalign_fairseq.trainer.trainer import XalignTrainer

xalign_fairseq.register()


@pytest.fixture
def fairseqs():
    """fairseq's own trainer."""
    return XalignTrainer.__mro__[1]


@pytest.fixture
def make(fairseqs, tmp_path, monkeypatch):
    """A function that makes a trainer with these attributes, on a CPU, with this configuration."""

    def made(task=None, common=(), checkpoint=(), distributed=(), max_update=0, ema=False, **attributes):
        usual = {
            "restore_file": "checkpoint_last.pt", "save_dir": str(tmp_path), "checkpoint_suffix": "", "patience": -1,
            "reset_dataloader": False, "finetune_from_model": None, "load_checkpoint_on_all_dp_ranks": False,
            "write_checkpoints_asynchronously": False, "maximize_best_checkpoint_metric": False,
        }  # fmt: skip
        processes = {"distributed_world_size": 1, "zero_sharding": "none", "use_sharded_state": False}
        monkeypatch.setattr(fairseqs, "__init__", lambda self, cfg: setattr(self, "cfg", cfg))
        cfg = SimpleNamespace(
            common=SimpleNamespace(**dict(common)),
            checkpoint=SimpleNamespace(**{**usual, **dict(checkpoint)}),
            distributed_training=SimpleNamespace(ddp_backend="legacy_ddp", **{**processes, **dict(distributed)}),
            optimization=SimpleNamespace(max_update=max_update),
            ema=SimpleNamespace(store_ema=ema, ema_fp32=False),
            model=SimpleNamespace(),
            task=SimpleNamespace(),
        )
        trainer = XalignTrainer(cfg)
        trainer.task = task or SimpleNamespace(cfg=SimpleNamespace(), train_step=None)
        trainer.cuda = trainer.tpu = False
        trainer.updates = 0
        trainer.get_criterion = lambda: None
        trainer.get_num_updates = lambda: trainer.updates
        vars(trainer).update(attributes)
        return trainer

    return made
