"""A study of sentence pairs that no test trains, and how its command line is read."""

from pathlib import Path

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.transfer.checkpoints import Checkpoint

ENCODER = Checkpoint("enc", Path("/models/enc.pt"), EncoderConfig(60, 3, 16, 32, 2, 128), "0123456789ab")
STUDY = """
data: .
seeds: [3, 1]
defaults: {epochs: 2, batch_size: 4, lr: 1e-3, max_length: 32, overlap: 8}
tasks:
  pairs: {benchmark: xnli, languages: [en, de]}
"""


def write_pairs(path, count, labels=("entailment", "neutral")):
    """A file of sentence pairs with classes."""
    rows = [f"the house {i}\ta tree {i}\t{labels[i % len(labels)]}\n" for i in range(count)]
    path.write_text("".join(rows))


def with_task(extra, settings=""):
    """The study with more keys and settings of its task."""
    return STUDY.replace("languages: [en, de]}", f"languages: [en, de], {extra}, settings: {{{settings}}}}}")


def found(command, option):
    """The value of a command line's option."""
    return command[command.index(option) + 1]
