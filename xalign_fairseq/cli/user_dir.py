"""Print the folder for fairseq's --user-dir.

Example:
  fairseq-train DATA --user-dir "$(xalign user-dir)" --task xalign_pretraining ...
"""

import argparse

from xalign_fairseq.trainer.fairseq_train import USER_DIR


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``xalign user-dir`` takes no options."""


def run(args: argparse.Namespace) -> None:
    """Print the installed package's own folder: a relative path would break in spawned workers."""
    print(USER_DIR)
