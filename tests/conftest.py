"""Shared by all tests: one small real data-bin made by the commands themselves, and a small encoder."""

import gc
import logging
import os
import signal
import subprocess
import sys
import tarfile
import time
import unittest.mock
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, settings
from support import gpu_device
from support import transfer_data as made_up
from support.warm_start import BIN, run_warm, start_servers, use_servers

# A busy machine is slow to draw and run examples, which is not the code's fault.
settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")
# Otherwise every process would compile the package again, and every pytest worker all tests.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
torch.set_num_threads(1)
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.fsync = lambda _: None  # tests need not survive a power loss, and a busy disk is slow
# Background processes ignore Ctrl-C, and some tests send it to themselves.
signal.signal(signal.SIGINT, signal.default_int_handler)

use_servers(f"{start_servers()}/python")

ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items):
    """Skip GPU tests without a GPU. Run those of the kernels first, because time on such a machine is short.

    Then come the files that take longest, because a process runs a whole file.
    """
    lacking = gpu_device.lacking()
    kernels = {item for item in items if item.get_closest_marker("gpu") and "/sinkhorn/" in item.nodeid}
    items.sort(key=lambda item: (item not in kernels, "test_running_" not in item.nodeid))
    for item in items:
        if lacking and item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason=lacking))


def pytest_collection_finish():
    """Freeze imported objects: tests that collect garbage need not scan them, which takes 0.5 s each time."""
    gc.collect()
    gc.freeze()


def run(*command, check=True, cwd=None, **environment):
    """Run a command of this environment in a separate process; its output is in the result."""
    command = [str(BIN / command[0]), *map(str, command[1:])]
    env = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    done = (
        subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env)
        if environment
        else run_warm(command, cwd, env)
    )
    if check and done.returncode != 0:
        raise AssertionError(
            f"{' '.join(command)}\nexit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
        )
    return done


@pytest.fixture(autouse=True)
def no_log_of_fairseq_train():
    """Importing and running it in a test would change the root logger for later tests of the same process."""
    root = logging.getLogger()
    root.handlers = [each for each in root.handlers if type(each) is not logging.StreamHandler]
    for handler in root.handlers:
        handler.filters.clear()
    root.setLevel(logging.WARNING)


@pytest.fixture(autouse=True)
def restored_environment():
    """The package sets variables for libraries that a process loads later: the next test must not inherit them."""
    with unittest.mock.patch.dict(os.environ):
        yield


@pytest.fixture
def clock(monkeypatch):
    """The seconds of the monotonic clock, in a list."""
    seconds = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: seconds[0])
    return seconds


@pytest.fixture(scope="session")
def transformers():
    """The library, for all tests that need it."""
    found = pytest.importorskip("transformers")
    found.utils.logging.disable_progress_bar()
    return found


@pytest.fixture(scope="session")
def shared_gold():
    """The folder of real gold links, which is not part of the project; tests skip without it."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data" / "gold"
    if not folder.is_dir():
        pytest.skip("no real gold links at ../shared/data/gold")
    return folder


@pytest.fixture(scope="session")
def command():
    """A function that runs a command in a separate process."""
    return run


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """Synthetic text with gold links, independent of changes to `xalign sample`: 600 training pairs."""
    out = tmp_path_factory.mktemp("sample") / "sample"
    with tarfile.open(Path(__file__).parent / "golden/sample.tar.xz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python before 3.11.4 has none
        archive.extractall(out)
    return out


@pytest.fixture(scope="session")
def databin(sample, tmp_path_factory):
    """A data-bin of two pairs with links, and monolingual text, with a vocabulary of 800 pieces."""
    out = tmp_path_factory.mktemp("databin") / "databin"
    pairs = []
    for pair in ("en-de", "en-fr"):
        here = sample / pair
        pairs += ["--pair", pair, "--trainpref", here / "train", "--validpref", here / "valid"]
        pairs += ["--testpref", here / "test"]
        for split in ("train", "valid", "test"):
            pairs += ["--links", here / f"{split}.gold"]
    mono = [option for lang in ("en", "de") for option in ("--mono", f"{lang}={sample}/mono/train.{lang}")]
    run("xalign", "prepare", "--out", out, *pairs, *mono, "--vocab-size", 800, "--workers", 2)
    return out


@pytest.fixture(scope="session")
def transfer_data(tmp_path_factory):
    """Folders like XTREME's, with synthetic transfer data: ud, panx, xnli, xquad."""
    return made_up.write_data(tmp_path_factory.mktemp("transfer"))


@pytest.fixture(scope="session")
def transfer_encoder(tmp_path_factory):
    """A checkpoint with an untrained encoder of 2 layers of 32 and a tokenizer of the transfer data."""
    return made_up.write_encoder(tmp_path_factory.mktemp("encoder") / "encoder.pt")
