from types import SimpleNamespace

import pytest
from fairseq import trainer
from fairseq_cli import train as loop

from xalign_fairseq.trainer.compat import validated_once


@pytest.fixture
def patched(monkeypatch):
    """fairseq-train's function, patched as a trainer is made, over one that tells that it was called."""
    monkeypatch.setattr(loop, "validate_and_save", lambda *given: ("validated", False))
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "Trainer", type("Trainer", (), {"__init__": lambda self: None}))
        validated_once.install()
        trainer.Trainer()
    return loop.validate_and_save


def test_an_update_that_is_left_out_is_not_looked_at_unless_the_epoch_ends(patched):
    made = SimpleNamespace(updates=3, get_num_updates=lambda: made.updates)

    def look(updates, end_of_epoch=False):
        made.updates = updates
        return patched(None, made, None, None, ["valid"], end_of_epoch)[0]

    assert [look(3), look(4), look(4), look(4), look(5)] == ["validated", "validated", [None], [None], "validated"]
    assert look(5, end_of_epoch=True) == "validated"


def test_it_is_needed_with_this_fairseq():
    assert validated_once.needed()
