from types import SimpleNamespace

import pytest
from fairseq.trainer import Trainer

from xalign_fairseq.trainer import compat
from xalign_fairseq.trainer.compat.whole_updates import _told

compat.apply()


class Told(Exception):
    pass


def trainer(**task):
    """As much of a trainer as it takes to begin an update."""
    own = {"get_criterion": lambda: "criterion", "device": "cpu", "cuda": False, "tpu": False}
    return SimpleNamespace(task=SimpleNamespace(**task), **own)


def test_the_task_is_told_before_anything_runs():
    def begin_update(*told):
        raise Told(told)

    with pytest.raises(Told, match=r"\[1, 2\], 'criterion', 'cpu'"):
        Trainer.train_step(trainer(begin_update=begin_update), [1, 2])


def test_the_step_gets_what_it_was_given():
    step = _told(lambda *args, **kwargs: (args, kwargs))
    task = trainer(begin_update=lambda *told: None)
    assert step(task, [1], raise_oom=True) == ((task, [1]), {"raise_oom": True})
    other = trainer()
    assert step(other, [1]) == ((other, [1]), {})
