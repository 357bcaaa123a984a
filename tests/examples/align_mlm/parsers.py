import random
import sys

import pytest
from support import transfer_data

from tests.examples.recipes import load

parse_text, lstm_parser = load("align_mlm", "parse_text", "lstm_parser")


def write_treebank(path, seed, count):
    rng = random.Random(seed)
    path.write_text(transfer_data.conllu([transfer_data.sentence(rng) for _ in range(count)]))
    return path


def run_command(*arguments):
    """The command line of the script with these arguments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["parse_text.py", *map(str, arguments)])
        parse_text.main()
