"""Commands in processes forked from one that has imported torch or fairseq, which takes longer than most tests.

The servers import nothing of ``xalign_fairseq``: each command imports it itself, or by ``--user-dir``, in its own
process, as for users. The server of fairseq's commands imports ``fairseq_cli``, as these do first. No server runs
a thread, so a fork is safe.
"""

import atexit
import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

PREPARED = {"fairseq-train": "fairseq", "fairseq-validate": "fairseq", "xalign": "torch"}
"""What has been imported for a console script."""


class WarmStart:
    """Servers of forked commands; each starts with its first command and ends with this process."""

    def __init__(self):
        self.servers = {}

    def run(self, kind, command, cwd, env):
        """Like ``subprocess.run`` with captured text, for a console script here or ``python -c CODE``."""
        if kind not in self.servers:
            line = [sys.executable, "-P", __file__, kind]
            self.servers[kind] = subprocess.Popen(line, stdin=-1, stdout=-1, text=True, env=env)
            atexit.register(self.servers[kind].communicate)  # the server ends when its input ends
        server = self.servers[kind]
        with tempfile.TemporaryDirectory() as folder:
            files = [f"{folder}/stdout", f"{folder}/stderr"]
            job = {"command": [*map(str, command)], "cwd": str(cwd or os.getcwd()), "env": env, "files": files}
            server.stdin.write(json.dumps(job) + "\n")
            server.stdin.flush()
            code = int(server.stdout.readline())
            return subprocess.CompletedProcess(command, code, *(Path(file).read_text() for file in files))


WARM = WarmStart()


def serve(kind):
    """Fork for every line of the input, and answer with the command's exit code."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # importing logs to the standard output
    if kind == "fairseq":
        import fairseq_cli.train
        import fairseq_cli.validate  # noqa: F401
    else:
        import torch  # noqa: F401

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return become(**json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def become(command, cwd, env, files):
    """Run the command to its end, as a new interpreter would."""
    streams = [os.open(os.devnull, os.O_RDONLY)]
    streams += [os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND) for file in files]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    if command[1:2] == ["-c"]:
        sys.argv = command[1:2] + command[3:]
        exec(command[2], {"__name__": "__main__"})
        return
    sys.argv = command
    sys.path.insert(0, str(Path(command[0]).parent))
    runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    serve(sys.argv[1])
