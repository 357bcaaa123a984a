"""Write run.json of a training run: setting, command, commit, machine and seed; recipe.sh's record_run calls it.

usage: record_run.py SAVE_DIR SETTING SEED DEVICE_OPTIONS "VARIABLE ..." SCRIPT [ARGUMENT ...]
"""

import os
import shlex
import sys
from pathlib import Path

from xalign_fairseq.core.json_files import write_json
from xalign_fairseq.trainer.train_record import commit, machine


def main() -> None:
    save, setting, seed, device, names, *command = sys.argv[1:]
    given = {name: os.environ[name] for name in names.split() if os.environ.get(name)}
    if "INIT" in given:  # without folders of a machine
        given["INIT"] = "/".join(Path(given["INIT"]).parts[-2:])
    variables = [f"{name}={shlex.quote(value)}" for name, value in given.items()]
    record = {
        "setting": setting,
        "command": " ".join([*variables, "bash", shlex.join(command)]),
        "commit": commit(Path(__file__)) or "unknown",
        "machine": machine(cpu="--cpu" in (*device.split(), *command)),
        "seed": int(seed),
    }
    write_json(Path(save, "run.json"), record)


if __name__ == "__main__":
    main()
