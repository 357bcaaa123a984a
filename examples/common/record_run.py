"""Write run.json of a training run: setting, command, commit, machine and seed; recipe.sh's record_run calls it.

The record of a resumed run stays; another setting in its folder is an error.

usage: record_run.py SAVE_DIR SETTING SEED DEVICE_OPTIONS "VARIABLE ..." SCRIPT [ARGUMENT ...]
"""

import os
import shlex
import sys
from pathlib import Path

from xalign_fairseq.core.errors import XalignError, exit_code
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.trainer.train_record import commit, machine


def started(folder: Path) -> bool:
    """Whether a run left a checkpoint or logged an update, so it did not fail immediately on a wrong option."""
    log = folder / "train.log"
    return any(folder.glob("checkpoint*.pt")) or (log.is_file() and '_num_updates": ' in log.read_text())


def main() -> None:
    save, setting, seed, device, names, *command = sys.argv[1:]
    path = Path(save, "run.json")
    if path.is_file() and started(path.parent):
        if (before := read_json(path)["setting"]) != setting:
            remedy, found = "give another folder for each setting", f"{before}, now {setting}"
            raise XalignError("the folder has the run of another setting", where=save, found=found, remedy=remedy)
        return
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
    write_json(path, record)


if __name__ == "__main__":
    sys.exit(exit_code(main))
