"""What loads under ``weights_only=True``; the tests of those who use the list try its other entries on checkpoints."""

import numpy as np
import pytest
import torch

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.allow_list import METERS, allow_list


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i8", "i4", "i2", "u2", "u1", "?"])
def test_numpy_scalars_of_every_listed_dtype_are_read(tmp_path, kind):
    best = np.ones((), kind)[()]
    torch.save({"model": {}, "cfg": None, "extra_state": {"best": best}}, tmp_path / "model.pt")
    found = checkpoint.load_pickled(tmp_path / "model.pt")["extra_state"]["best"]
    assert found == best and found.dtype == best.dtype


def test_statistics_become_what_the_reader_has_for_them():
    classes = {name: type(name, (), {}) for name in METERS}
    listed = allow_list(classes)
    for name, made in classes.items():
        assert (made, f"fairseq.meters.{name}") in listed and (made, f"fairseq.logging.meters.{name}") in listed
