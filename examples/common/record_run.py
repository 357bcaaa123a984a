"""Write run.json of a training run: setting, command, commit, machine and seed; recipe.sh's record_run calls it.

The record of a resumed run stays. Another setting, seed, INIT or command in its folder is an error; a run with UPDATES
may be resumed with other variables and options of fairseq-train, for example on another machine.

usage: record_run.py SAVE_DIR SETTING SEED DEVICE_OPTIONS "VARIABLE ..." SCRIPT [ARGUMENT ...]
"""

import os
import shlex
import sys
from itertools import takewhile
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.trainer.train_record import commit, machine


def started(folder: Path) -> bool:
    """Whether a run left a checkpoint or logged an update, so it did not fail immediately on a wrong option."""
    log = folder / "train.log"
    return any(folder.glob("checkpoint*.pt")) or (log.is_file() and '_num_updates": ' in log.read_text())


def identity(record: dict[str, Any], resumable: bool) -> dict[str, Any]:
    """What every start in a run's folder has in common."""
    words = shlex.split(record["command"])
    at = words.index("bash")
    called = words[at:]
    if resumable:
        called = list(takewhile(lambda word: not word.startswith("-"), called))
    init = next((word.removeprefix("INIT=") for word in words[:at] if word.startswith("INIT=")), "")
    given = {"INIT": init or "none", "command": shlex.join(called)}
    return {"setting": record["setting"], "seed": record["seed"], **given}


def main() -> None:
    save, setting, seed, device, names, *command = sys.argv[1:]
    path = Path(save, "run.json")
    given = {name: os.environ[name] for name in names.split() if name in os.environ}
    if "INIT" in given:  # without the machine's folders
        given["INIT"] = "/".join(Path(given["INIT"]).parts[-2:])
    variables = [f"{name}={shlex.quote(value)}" for name, value in given.items()]
    record = {
        "setting": setting,
        "command": " ".join([*variables, "bash", shlex.join(command)]),
        "commit": commit(Path(__file__)) or "unknown",
        "machine": machine(cpu="--cpu" in (*device.split(), *command)),
        "seed": int(seed),
    }
    if not (path.is_file() and started(path.parent)):
        write_json(path, record)
        return
    before, now = (identity(each, "UPDATES" in names.split()) for each in (read_json(path), record))
    for name, value in before.items():
        if value != now[name]:
            remedy, found = f"give another folder for each {name}", f"{value}, now {now[name]}"
            raise XalignError(f"the folder has the run of another {name}", where=save, found=found, remedy=remedy)


if __name__ == "__main__":
    sys.exit(exit_code(main))
