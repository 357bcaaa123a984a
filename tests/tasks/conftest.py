import json
import re
import shutil
from pathlib import Path

import pytest
import torch

import xalign_fairseq

USER_DIR = Path(xalign_fairseq.__file__).parent
SMALL = (
    "--encoder-layers", "2", "--encoder-embed-dim", "32", "--encoder-ffn-embed-dim", "64",
    "--encoder-attention-heads", "2", "--max-positions", "128",
)  # fmt: skip
OPTIMISER = ("--optimizer", "adam", "--lr", "1e-3", "--lr-scheduler", "fixed", "--clip-norm", "1.0")


def options(data, save_dir, *extra, criterion="xlm_align", batch=8):
    """The command line of a short run on the CPU."""
    return [
        "fairseq-train", data, "--user-dir", USER_DIR, "--task", "xalign_pretraining", "--criterion", criterion,
        "--arch", "xalign_tiny", *SMALL, *OPTIMISER, "--batch-size", batch, "--mono-batch-size", batch // 2,
        "--mono-tokens-per-sample", 64, "--save-dir", save_dir, "--cpu", "--num-workers", 0, "--seed", 3,
        "--log-format", "json", "--log-interval", 1, "--no-epoch-checkpoints", *extra,
    ]  # fmt: skip


def losses(output):
    """The logged values of every update, by update number."""
    rows = {}
    for match in re.finditer(r"[|\[] ?train_inner[^{]*(\{.*\})", output):
        row = json.loads(match[1])
        rows[int(row["num_updates"])] = {
            key: float(value) for key, value in row.items() if key.endswith(("loss", "accuracy", "gnorm"))
        }
    return rows


def validations(output):
    """The logged validation values, in order."""
    return [json.loads(match[1]) for match in re.finditer(r"\| valid \| (\{.*\})", output)]


def processes(folder, count=2, backend="c10d"):
    """Options of several processes on the CPU, which connect through a file in the folder."""
    meet = ("--distributed-world-size", count, "--distributed-init-method", f"file://{folder}/init")
    return *meet, "--distributed-backend", "gloo", "--ddp-backend", backend


def assert_resumed(train, data, whole, folder, *extra):
    """Check that a run resumed at the third update of ``whole`` (losses and folder) has equal losses and weights."""
    losses, old = whole
    resumed, _ = train(data, folder, *extra, "--restore-file", old / "checkpoint_1_3.pt")
    assert sorted(resumed) == [4, 5, 6] and all(resumed[update] == losses[update] for update in resumed)
    first, second = (torch.load(each / "checkpoint_last.pt", weights_only=True)["model"] for each in (old, folder))
    assert first.keys() == second.keys() and all(torch.equal(first[key], second[key]) for key in first)


@pytest.fixture(scope="session")
def lexicon_bin(databin, command, tmp_path_factory):
    """The data-bin with a lexicon: the sample's nouns, most of several subwords, three quarters for training."""
    folder = tmp_path_factory.mktemp("lexicon")
    made = shutil.copytree(databin, folder / "databin")
    nouns = (USER_DIR / "languages/sample/tables/nouns.tsv").read_text(encoding="utf-8").splitlines()[1:]
    pairs = [[row.split("\t")[i].split()[0] for i in (0, 2)] for row in nouns]
    (folder / "nouns.tsv").write_text("".join(f"{en}\t{de}\n" for en, de in pairs), encoding="utf-8")
    command("xalign", "lexicon", made, "--pair", "en-de", "--from", folder / "nouns.tsv", "--fraction", 0.75)
    return made


@pytest.fixture(scope="session")
def train(command):
    """Run fairseq-train; return its logged updates and its complete output."""

    def run(data, save_dir, *extra, check=True, **keywords):
        environment = keywords.pop("environment", {})
        done = command(*options(data, save_dir, *extra, **keywords), check=check, **environment)
        return losses(done.stdout + done.stderr), done

    return run
