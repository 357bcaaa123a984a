"""The steps of a run, with a stand-in of fairseq-train: two validations, of which the first one is the better."""

import json
import os
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from support.launched import put_lines

from xalign_fairseq.aligner.training import model, train
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.locks import LOCK
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.encoder.pretrained.reading import find_pretrained, read_pretrained
from xalign_fairseq.encoder.pretrained.trimming import trim


class FairseqTrain:
    """Stands for the process: goes on from the last checkpoint, and leaves checkpoints, log and output lines.

    Attributes:
        calls: the updates that each call began with.
        killed_at: the update at which it is interrupted, once.
    """

    def __init__(self, run):
        self.run, self.calls, self.killed_at = run, [], None

    def __call__(self, line, log, held):
        assert os.fstat(held[0]).st_ino == (self.run.out / LOCK).stat().st_ino
        assert str(self.run.out / "data-bin") in line
        begun = updates_of(self.run.out / "checkpoint_last.pt") or 0
        self.calls.append(begun)
        for updates in range(begun + 4, 9, 4):
            self.save(f"1_{updates}", updates, line[line.index("--init-checkpoint") + 1])
            for name in ("best", "last") if updates == 4 else ("last",):
                shutil.copy(self.run.out / f"checkpoint_1_{updates}.pt", self.run.out / f"checkpoint_{name}.pt")
            values = {"valid_aer": "0.5", "valid_num_updates": str(updates)}
            yield f"... | valid | {json.dumps(values)}\n"
            if updates == self.killed_at:
                self.killed_at = None
                raise KeyboardInterrupt
        yield "done training\n"

    def save(self, name, updates, model):
        state = torch.load(model, weights_only=False)
        state["optimizer_history"] = [{"num_updates": updates}]
        torch.save(state, self.run.out / f"checkpoint_{name}.pt")


@pytest.fixture
def fairseq(small_run, monkeypatch):
    stand_in = FairseqTrain(small_run)
    put_lines(monkeypatch, stand_in)
    return stand_in


@pytest.fixture
def call(small_run, fairseq):
    """Trains; the result, and what was said."""

    def train_aligner(**other):
        said, seen = [], []
        run = replace(small_run, **other)
        return train.train_aligner(run, said.append, lambda *heard: seen.append(heard)), said, seen

    return train_aligner


def test_the_best_checkpoint_is_the_result(call, small_run):
    result, said, seen = call()
    assert result["checkpoint"] == str(small_run.out / "checkpoint_best.pt") and result["updates"] == 4
    assert result["aer"] == result["before"]  # nothing was learned here
    assert [each["exit"] for each in read_json(small_run.out / "training.json")["sessions"]] == [0]
    assert result["command"].startswith("fairseq-train ") and not result["language_embeddings"]
    assert said[1] == "train: 3 pairs, 1 dropped; valid: 2 pairs, 0 dropped"
    assert said[2].startswith(f"before training: AER {100 * result['before']:.2f} on the development set")
    assert [updates for _, updates in seen] == [8, 8, 8] and '"valid_num_updates": "4"' in seen[0][0]
    left = {path.name for path in small_run.out.glob("checkpoint_*")}
    assert left == {"checkpoint_best.pt", "checkpoint_last.pt"}


def test_words_that_the_model_does_not_know_are_told(call, small_run):
    Path(small_run.src).write_text("แมว กิน\n" * 4)
    _, said, _ = call()
    told = [line for line in said if line.startswith("warning: ")]
    assert len(told) == 1 and "in Thai script: the aligner learns little about these words; one that is" in told[0]


def test_without_development_set_there_is_no_aer(call):
    result, said, _ = call(dev=None)
    assert result["aer"] is result["before"] is None
    assert not any("before training" in line for line in said)


def test_a_finished_run_stays(call, fairseq):
    first, _, _ = call()
    again, said, _ = call(workers=2)
    assert again == first and said == [] and fairseq.calls == [0]


def test_a_run_that_was_broken_off_goes_on(call, small_run, fairseq):
    fairseq.killed_at = 4
    with pytest.raises(KeyboardInterrupt):
        call()
    assert not (small_run.out / "result.json").exists()
    prepared = (small_run.out / "data-bin/manifest.json").stat().st_mtime_ns
    result, said, seen = call()
    assert fairseq.calls == [0, 4] and len(seen) == 2 and result["updates"] == 4
    assert said[0] == "resuming from the last checkpoint"
    assert (small_run.out / "data-bin/manifest.json").stat().st_mtime_ns == prepared


def test_a_damaged_last_checkpoint_is_mended_from_the_newest(call, small_run, fairseq):
    fairseq.killed_at = 4
    with pytest.raises(KeyboardInterrupt):
        call()
    last = small_run.out / "checkpoint_last.pt"
    last.write_bytes(last.read_bytes()[:2000])
    _, said, _ = call()
    assert fairseq.calls == [0, 4]
    assert "checkpoint_last.pt is damaged" in said[0] and said[1] == "resuming from the last checkpoint"


def test_without_a_whole_checkpoint_training_begins_anew(call, small_run, fairseq):
    fairseq.killed_at = 4
    with pytest.raises(KeyboardInterrupt):
        call()
    for path in small_run.out.glob("checkpoint_*"):
        path.write_bytes(path.read_bytes()[:2000])
    result, said, _ = call()
    assert fairseq.calls == [0, 0] and "training begins anew" in said[3] and result["updates"] == 4


def test_what_was_trained_to_the_end_is_not_trained_again(call, small_run, fairseq):
    """fairseq would take one more step."""
    fairseq.killed_at = 8
    with pytest.raises(KeyboardInterrupt):
        call()
    assert call()[0]["updates"] == 4 and fairseq.calls == [0]


def test_options_that_fairseq_does_not_take_stop_before_the_text_is_prepared(call, small_run):
    with pytest.raises(XalignError, match="--no-such-option"):
        call(extra=("--no-such-option",))
    assert not (small_run.out / "data-bin").exists()


def test_a_trimmed_vocabulary_is_whole_again_in_the_result(call, small_run, fairseq, monkeypatch):
    monkeypatch.setattr(model, "trim", partial(trim, floor=0))  # the vocabulary is smaller than the floor
    fairseq.killed_at = 4
    with pytest.raises(KeyboardInterrupt):
        call(trim_vocabulary=True)
    plain = DataBin(small_run.out / "data-bin")
    result, said, _ = call(trim_vocabulary=True)
    assert fairseq.calls == [0, 4] and said[0] == "resuming from the last checkpoint"
    assert result["checkpoint"] == str(small_run.out / "model.pt") and result["updates"] == 4
    assert f"--init-checkpoint {small_run.out / 'trimmed.pt'}" in result["command"]
    assert find_pretrained(small_run.out) == small_run.out / "model.pt"
    small, whole, original = (
        read_pretrained(path)[0] for path in (small_run.out / "trimmed.pt", small_run.out / "model.pt", small_run.model)
    )
    name = "encoder.sentence_encoder.embed_tokens.weight"
    assert len(small["model"][name]) == plain.dictionary.embedding_size < len(original["model"][name])
    assert small["task_state"]["trimmed"]["to"] == ["train.xx", "train.en", "dev.xx", "dev.en"]
    assert whole["model"][name].equal(original["model"][name])  # nothing was learned here
    assert result["aer"] == result["before"]
    with pytest.raises(XalignError, match="trim_vocabulary"):
        call()
