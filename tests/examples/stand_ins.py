"""Run the recipes' scripts with stand-ins for fairseq-train and xalign that only record their calls."""

import os
import re
import subprocess
import sys
from pathlib import Path

from support.processes import program

EXAMPLES = Path(__file__).parents[2] / "examples"
# Of the installed package: the imported one may be that of the working folder.
USER_DIR = subprocess.run(
    [Path(sys.executable).parent / "xalign", "user-dir"], capture_output=True, text=True, check=True
).stdout.strip()
# What the recipes read, which a developer may have set: all of their scripts, and corpora.py.
VARIABLES = {name for path in EXAMPLES.rglob("*.sh") for name in re.findall(r"\$\{([A-Z_]+):?[-=?+]", path.read_text())}
VARIABLES.add("SOURCES")
PROGRAMS = {
    "xalign": f"#!/bin/sh\necho {USER_DIR}\n",
    # The arguments as JSON on one line.
    "fairseq-train": f"#!{sys.executable} -S\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n",
    "python": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
    "nvidia-smi": "#!/bin/sh\necho Fast GPU\n",
}


def environment(*folders, **variables):
    """The environment of a recipe: programs of these folders first, then of the tests' own, real ones."""
    inherited = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    path = ":".join(map(str, (*folders, Path(sys.executable).parent, os.environ["PATH"])))
    return inherited | {"PATH": path, "OMP_NUM_THREADS": "1", **variables}


def run_real(*command, folders=(), cwd=None, **variables):
    """The output of a recipe's command with real programs, or an assertion."""
    given = {"cwd": cwd, "env": environment(*folders, **variables)}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **given)
    assert done.returncode == 0, f"{command}\n{done.stderr[-3000:]}{done.stdout[-2000:]}"
    return done.stdout


def run_script(folder, script, *arguments, instead=None, **variables):
    """Run ``examples/SCRIPT`` to the end; its output is fairseq-train's arguments.

    ``instead``: code of other stand-ins by name; ``variables``: the environment.
    """
    programs = folder / "bin"
    for name, text in (PROGRAMS | (instead or {})).items():
        program(programs / name, text)
    command = ["bash", str(EXAMPLES / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment(programs, **variables))
