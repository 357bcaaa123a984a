"""fairseq's commands in processes forked from one that has imported fairseq, which takes longer than a test's run.

The server imports what the commands themselves import first, ``fairseq_cli``, and nothing of ``xalign_fairseq``: that
comes by ``--user-dir``, after fairseq and in a process of its own, as for users. It runs no thread, so a fork is safe.
"""

import atexit
import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

PREPARED = ("fairseq-train", "fairseq-validate")


class WarmStart:
    """A server of forked commands, started with the first of them and ended with this process."""

    def __init__(self):
        self.server = None

    def run(self, command, cwd, env):
        """As ``subprocess.run`` with captured text: a console script of this environment with its arguments."""
        if self.server is None:
            self.server = subprocess.Popen([sys.executable, "-P", __file__], stdin=-1, stdout=-1, text=True, env=env)
            atexit.register(self.server.communicate)  # the end of its input is the end of the server
        with tempfile.TemporaryDirectory() as folder:
            files = [f"{folder}/stdout", f"{folder}/stderr"]
            job = {"command": command, "cwd": str(cwd or os.getcwd()), "env": env, "files": files}
            self.server.stdin.write(json.dumps(job) + "\n")
            self.server.stdin.flush()
            code = int(self.server.stdout.readline())
            return subprocess.CompletedProcess(command, code, *(Path(file).read_text() for file in files))


def serve():
    """Fork for every line of the input, and answer with the exit code of the command."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the import logs to the standard output
    import fairseq_cli.train
    import fairseq_cli.validate  # noqa: F401

    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return become(**json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def become(command, cwd, env, files):
    """Run the console script as a new interpreter would, to its end."""
    streams = [os.open(os.devnull, os.O_RDONLY)]
    streams += [os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND) for file in files]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = command
    sys.path.insert(0, str(Path(command[0]).parent))
    runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    serve()
