"""The steps of a run with a fake fairseq-train: two validations, of which the first is better."""

import json
import os
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from fairseq import options
from support.launched import put_lines

import xalign_fairseq
from xalign_fairseq.aligner.training import model, train
from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.aligner.training.text import DevelopmentSet
from xalign_fairseq.aligner.training.train import require_known, train_options
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.locks import LOCK
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.reading import find_pretrained, read_pretrained
from xalign_fairseq.encoder.pretrained.trimming import trim


class FairseqTrain:
    """Fakes the process: resumes from the last checkpoint and leaves checkpoints, log and output lines.

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
    """Trains; the result and the messages."""

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
    assert {path.name for path in small_run.out.glob("checkpoint_*")} == {"checkpoint_best.pt", "checkpoint_last.pt"}


def test_without_development_set_there_is_no_aer(call):
    result, said, _ = call(dev=None)
    assert result["aer"] is result["before"] is None
    assert not any("before training" in line for line in said)


def test_an_interrupted_run_resumes(call, small_run, fairseq):
    fairseq.killed_at = 4
    with pytest.raises(KeyboardInterrupt):
        call()
    assert not (small_run.out / "result.json").exists()
    prepared = (small_run.out / "data-bin/manifest.json").stat().st_mtime_ns
    result, said, seen = call()
    assert fairseq.calls == [0, 4] and len(seen) == 2 and result["updates"] == 4
    assert said[0] == "resuming from the last checkpoint"
    assert (small_run.out / "data-bin/manifest.json").stat().st_mtime_ns == prepared


def test_a_finished_training_is_not_repeated(call, small_run, fairseq):
    """fairseq would take one more step."""
    fairseq.killed_at = 8
    with pytest.raises(KeyboardInterrupt):
        call()
    assert call()[0]["updates"] == 4 and fairseq.calls == [0]


def test_the_result_has_the_full_vocabulary(call, small_run, fairseq, monkeypatch):
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


xalign_fairseq.register()
CONFIG = EncoderConfig(vocab_size=50, encoder_layers=3, encoder_embed_dim=16, encoder_ffn_embed_dim=32,
                       encoder_attention_heads=2, max_positions=64, layer_norm_eps=1e-12)  # fmt: skip
DEV = DevelopmentSet("dev.de", "dev.fr", "dev.gold")


@pytest.fixture
def parsed():
    """fairseq's options for a run."""

    def parse(cpu=True, **chosen):
        run = TrainingRun("model.pt", "train.de", "train.fr", Path("out"), ("de", "fr"), **chosen)
        line = train_options(run, CONFIG, 2, cpu)
        return options.parse_args_and_arch(options.get_training_parser(), input_args=line)

    return parse


def test_the_memory_of_a_batch_is_bounded_and_every_pair_fits(parsed, monkeypatch):
    assert parsed().max_tokens == 3072 and parsed(extra=("--max-tokens", "5000")).max_tokens == 5000
    monkeypatch.setattr(train, "MOST_TOKENS", 1)
    assert parsed().max_tokens == 2 * CONFIG.max_positions


def test_the_defaults(parsed):
    args = parsed(dev=DEV)
    assert (args.data, args.save_dir, args.task, args.cpu) == ("out/data-bin", "out", "xalign_pretraining", True)
    assert (args.criterion, args.objectives, args.loss_normalization) == ("weighted", "dwa,tlm", "per-objective")
    assert (args.dwa_label_by, args.dwa_label_layer, args.dwa_layer, args.dwa_queries) == ("hidden", 2, -1, "masked")
    assert (args.dwa_start_update, args.dwa_links_until) == (0, 0)
    assert (args.lr, args.max_update, int(args.total_num_update), args.batch_size) == ([2e-5], 20000, 20000, 8)
    assert (args.optimizer, args.lr_scheduler, args.clip_norm) == ("xalign_adamw", "polynomial_decay", 1.0)
    assert args.required_batch_size_multiple == 1
    assert args.pivot_lang == "fr"


@pytest.mark.parametrize(("updates", "keys"), [(20000, 16000), (100000, 32000), (5, 8)])
def test_mocos_queue_is_full_after_a_tenth_of_the_updates(parsed, updates, keys):
    assert parsed(objectives=("moco",), updates=updates).moco_queue_size == keys
    assert parsed(updates=updates).moco_queue_size == 32000


def test_only_aer_at_updates_selects_checkpoints(parsed):
    args = parsed(dev=DEV, validate_every=7, patience=3)
    assert (args.best_checkpoint_metric, args.maximize_best_checkpoint_metric, args.patience) == ("aer", False, 3)
    assert (args.validate_interval_updates, args.save_interval_updates, args.keep_interval_updates) == (7, 7, 1)
    assert min(args.validate_interval, args.save_interval) > 10**6
    assert not args.disable_validation
    assert (args.aer_layer, args.aer_similarity) == (2, "hidden")
    assert parsed(dev=DEV, patience=0).patience == -1  # never


def test_the_pointer_learns_only_from_given_links(parsed):
    args = parsed(links="train.links", dev=DEV, updates=90)
    assert (args.dwa_links_until, args.dwa_queries) == (90, "all-aligned")
    assert (args.dwa_label_by, args.dwa_layer, args.aer_similarity) == ("pointer", 2, "pointer")
    assert args.lr == [1e-4]


def test_given_links_restrict_self_training(parsed):
    alone, checked = (parsed(objectives=("self_training",), links=links) for links in (None, "train.links"))
    assert (alone.self_training_labels, checked.self_training_labels) == ("found", "both")
    extra = ("--self-training-labels", "given")
    assert parsed(objectives=("self_training",), links="train.links", extra=extra).self_training_labels == "given"


def test_the_layer_is_that_of_every_objective_that_has_one(parsed):
    args = parsed(links="train.links", objectives=("word_contrastive", "l2_align", "reg_param"))
    assert (args.word_contrastive_layer, args.l2_align_layer, args.aer_layer) == (2, 2, 2)
    assert args.dwa_label_layer is args.ot_align_layer is None  # not in the sum: a warning would name them
    assert parsed(objectives=("dwa", "ot_align", "psi")).psi_layer == 3
    assert args.objectives == "word_contrastive,l2_align,reg_param"


def test_self_training_reads_the_layer_and_trains_unfrozen_parameters(parsed):
    objectives = ("self_training", "consistency", "dwa")
    args = parsed(objectives=objectives, warmup=50, freeze_layers=0, pointer_start="identity")
    assert (args.dwa_pointer_start, parsed().dwa_pointer_start) == ("identity", "random")
    assert (args.dwa_layer, parsed().dwa_layer) == (2, -1)  # it begins with what labels
    assert (args.self_training_layer, args.consistency_layer, args.aer_layer) == (2, 2, 2)
    assert (args.warmup_updates, args.freeze_layers, args.autocast) == (50, 0, "auto")
    assert (parsed().warmup_updates, parsed().freeze_layers) == (0, None)
    assert not hasattr(parsed(cpu=False), "autocast")  # as without the option


@pytest.mark.parametrize(
    ("extra", "message"), [("--no-such-option", "--no-such-option"), ("--dropout=much", "invalid float value")]
)
def test_invalid_fairseq_options(extra, message):
    line = train_options(TrainingRun("model.pt", "train.de", "train.fr", Path("out"), ("de", "fr")), CONFIG, 2, True)
    require_known([*line, "--dropout=0.1"])
    with pytest.raises(XalignError, match=message):
        require_known([*line, extra])


def test_unknown_words_are_reported(call, small_run):
    Path(small_run.src).write_text("แมว กิน\n" * 4)
    _, said, _ = call()
    told = [line for line in said if line.startswith("warning: ")]
    assert len(told) == 1 and "in Thai script: the aligner learns little about these words; one that is" in told[0]
