import pytest
from fairseq.distributed import utils
from omegaconf import OmegaConf

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer import compat
from xalign_fairseq.trainer.compat.torchrun import check

LAUNCHED = {"MASTER_ADDR": "localhost", "MASTER_PORT": "29500", "RANK": "1", "WORLD_SIZE": "4"}


@pytest.mark.parametrize(
    ("world_size", "environment"),
    [
        (4, LAUNCHED),
        (1, LAUNCHED | {"WORLD_SIZE": "1"}),
        (1, {}),
        (1, {"WORLD_SIZE": "4"}),  # a variable set by someone else
    ],
)
def test_everything_else_continues(world_size, environment):
    check(world_size, environment)


def test_the_command_line_is_checked(monkeypatch):
    compat.apply()
    for name, value in LAUNCHED.items():
        monkeypatch.setenv(name, value)
    cfg = OmegaConf.create({"distributed_training": {"distributed_world_size": 1}})
    with pytest.raises(XalignError, match="alone in each"):
        utils.call_main(cfg, lambda cfg: pytest.fail("training began"))
