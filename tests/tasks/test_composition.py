"""Objectives of all papers in one step, through the real fairseq-train."""

import pytest
import torch

from tests.tasks.conftest import processes
from tests.tasks.test_training import NO_VALID, assert_same

pytestmark = pytest.mark.slow
EVERY = (
    "mlm", "tlm", "dwa", "l2_align", "word_contrastive", "reg_hidden", "reg_param", "moco", "sentence_mlm",
    "word_exchange", "lexicon_align", "dict_mlm", "ot_align", "self_training", "consistency",
    "psi",
)  # fmt: skip
ALONE = ("linear_mapping", "link_scorer")  # they freeze the encoder
COMPOSED = (
    "--objectives", ",".join(EVERY), "--loss-normalization", "per-objective", "--moco-queue-size", 16,
    "--reg-param-weight", 0.1,
)  # fmt: skip


@pytest.mark.parametrize(
    ("criterion", "extra", "buffers"),
    [("weighted", COMPOSED, ("moco", "reg_param", "reg_hidden")), *((name, (), ()) for name in ALONE)],
)
def test_a_resumed_run_equals_the_uninterrupted_one(criterion, extra, buffers, train, lexicon_bin, tmp_path):
    same = (*NO_VALID, "--lang-pairs", "en-de", *extra)
    whole, _ = train(lexicon_bin, tmp_path / "whole", *same, "--max-update", 6, criterion=criterion)
    first, _ = train(lexicon_bin, tmp_path / "cut", *same, "--max-update", 4, criterion=criterion)
    second, _ = train(lexicon_bin, tmp_path / "cut", *same, "--max-update", 6, criterion=criterion)
    assert sorted(second) == [5, 6]
    assert_same(whole, first, (1, 2, 3, 4))
    assert_same(whole, second, (5, 6))
    states = [torch.load(tmp_path / run / "checkpoint_last.pt", weights_only=True)["model"] for run in ("whole", "cut")]
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])
    for head in buffers:
        assert any(key.startswith(f"heads.{head}.") for key in states[0])
    if criterion == "weighted":
        assert {f"{name}_loss" for name in EVERY} <= set(whole[6])


def test_two_processes_train_all_objectives(train, lexicon_bin, tmp_path):
    extra = (*NO_VALID, "--max-update", 4, *COMPOSED, "--word-contrastive-gather")
    logged, _ = train(lexicon_bin, tmp_path / "two", *extra, *processes(tmp_path), criterion="weighted", batch=4)
    assert sorted(logged) == [1, 2, 3, 4]
    # The queue of 16 is full after two updates of eight pairs: four of each worker.
    assert "moco_loss" not in logged[2] and "moco_loss" in logged[3]
    assert {f"{name}_loss" for name in EVERY} <= set(logged[4])


def test_links_are_needed_where_objectives_read_them(train, databin, command, sample, tmp_path):
    bare = tmp_path / "bare"
    command("xalign", "prepare", "--out", bare, "--pair", "en-de", "--trainpref", sample / "en-de/train",
            "--spm", databin / "sentencepiece.model", "--dict", databin / "dict.txt")  # fmt: skip
    _, done = train(bare, tmp_path / "run", *NO_VALID, "--max-update", 1, criterion="l2_align", check=False)
    assert done.returncode != 0
    assert "xalign links" in done.stderr
