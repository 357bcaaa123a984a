"""Write run.json of a training run: setting, command, commit, machine and seed; recipe.sh's record_run calls it.

usage: record_run.py SAVE_DIR SETTING SEED DEVICE_OPTIONS "VARIABLE ..." SCRIPT [ARGUMENT ...]
"""

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path


def output(*command: str) -> str:
    """What a program prints; nothing if it fails or is not there."""
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()


def main() -> None:
    save, setting, seed, device, names, *command = sys.argv[1:]
    variables = [f"{name}={shlex.quote(os.environ[name])}" for name in names.split() if os.environ.get(name)]
    # Tags would stand in place of the commit.
    describe = ("git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--exclude", "*")
    gpus = [] if "--cpu" in (*device.split(), *command) else output(
        "nvidia-smi", "--query-gpu=name", "--format=csv,noheader"
    ).splitlines()  # fmt: skip
    record = {
        "setting": setting,
        "command": " ".join([*variables, "bash", shlex.join(command)]),
        "commit": output(*describe) or "unknown",
        "machine": gpus[0] if gpus else f"{platform.machine()} CPU",
        "seed": int(seed),
    }
    Path(save, "run.json").write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
