"""The command line of fairseq-train, for whatever starts it as a process of its own."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# With this interpreter, wherever the console script may stand.
FAIRSEQ_TRAIN = (sys.executable, "-c", "from fairseq_cli.train import cli_main; cli_main()")
# The package's own folder: a relative path would break in spawned workers.
USER_DIR = Path(__file__).resolve().parent.parent


def flags(options: Mapping[str, Any]) -> list[str]:
    """A command line's part: True is the option alone, False and None nothing, sequences their items by commas."""
    line: list[str] = []
    for option, value in options.items():
        if value is None or value is False:
            continue
        line.append(option)
        if value is not True:
            line.append(",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
    return line
