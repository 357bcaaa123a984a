from types import SimpleNamespace

import pytest
from fairseq import checkpoint_utils

from xalign_fairseq.trainer.compat import ema_of_old_runs


def read_by(trainer, state, monkeypatch):
    """What a trainer finds in a checkpoint."""
    monkeypatch.setattr(checkpoint_utils, "load_checkpoint_to_cpu", lambda path: state)
    return ema_of_old_runs._begun(lambda self, path: checkpoint_utils.load_checkpoint_to_cpu(path))(trainer, "x.pt")


@pytest.mark.parametrize(("stores", "before"), [(True, {}), (True, {"ema": {"w": 1}}), (False, {})])
def test_the_average_of_a_run_without_one_begins_with_the_model(stores, before, monkeypatch):
    trainer = SimpleNamespace(cfg=SimpleNamespace(ema=SimpleNamespace(store_ema=stores)))
    state = read_by(trainer, {"model": {"w": 2}, "extra_state": dict(before)}, monkeypatch)
    assert state["extra_state"].get("ema") == (({"w": 2} if not before else {"w": 1}) if stores else None)


def test_it_is_needed_with_this_fairseq():
    assert ema_of_old_runs.needed()
