"""Commands in processes forked from one that has imported torch or fairseq, which takes longer than most tests.

The servers import nothing of ``xalign_fairseq``: each command imports it itself, or by ``--user-dir``, in its own
process, as for users. The server of fairseq's commands imports ``fairseq_cli``, as these do first. No server runs
a thread, so a fork is safe. Limits of resources and ``PYTHONHASHSEED`` do not reach the commands.
"""

import atexit
import fcntl
import importlib
import json
import multiprocessing
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

BIN = Path(sys.executable).parent
KINDS = ("torch", "fairseq")
PYTHONS = ("python", "python-of-torch", "python-of-fairseq")
SERVED = (*PYTHONS, "xalign", "fairseq-preprocess", "fairseq-train", "fairseq-validate")


def start_servers():
    """A folder of all programs of this environment; servers run its Python and the commands that import torch."""
    folder = tempfile.mkdtemp(dir="/tmp")  # TMPDIR may be too long for a socket's path
    os.symlink(BIN, f"{folder}/bin")
    for program in BIN.iterdir():
        os.symlink(program, f"{folder}/{program.name}")
    client = Path(__file__).with_name("warm_client.py").read_text()
    for name in SERVED:
        path = Path(folder, name)
        path.unlink(missing_ok=True)
        path.write_text(f"#!{sys.executable} -IS\n{client}")
        path.chmod(0o755)
    for kind in KINDS:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{folder}/{kind}.socket")
            listener.listen(64)
            line = [sys.executable, __file__, str(listener.fileno()), folder, kind]
            options = {"env": {**os.environ, "OMP_NUM_THREADS": "1"}, "pass_fds": [listener.fileno()]}
            server = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        atexit.register(server.communicate)  # the server ends when its input ends
    atexit.register(shutil.rmtree, folder)
    return folder


def use_servers(python):
    """Let this process start Python by this program."""
    sys.executable = python
    multiprocessing.set_executable(sys.executable)


def run_warm(command, cwd=None, env=None):
    """Like ``subprocess.run`` with captured text, for a program of this environment or ``[Python, "-c", CODE]``."""
    name = Path(command[0]).name
    program = Path(sys.executable).with_name("python-of-torch" if name == "python" else name)
    return subprocess.run([program, *command[1:]], capture_output=True, text=True, cwd=cwd, env=env)


class Ending:
    """Ends a forked process after all other exit functions: freeing what torch imported takes a second."""

    def __init__(self):
        self.code = None
        atexit.register(self)

    def __call__(self):
        if self.code is not None:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self.code)

    def take(self, code):
        """The meaning of ``sys.exit``'s argument."""
        self.code = code if isinstance(code, int) else int(code is not None)


def serve(number, folder, kind):
    """Fork for every command that comes to the socket with this number, until the input ends."""
    ending = Ending()
    listener = socket.socket(fileno=int(number))
    os.dup2(2, 1)  # importing logs to the standard output, which was a pipe: forks must not seek in it
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for those that wait for commands
    while 0 not in select.select([0, listener.fileno()], [], [])[0]:
        importlib.import_module("fairseq_cli.train" if kind == "fairseq" else "torch")
        connection, _ = listener.accept()
        if os.fork() == 0:
            os.close(listener.detach())
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return follow(connection, folder, kind, ending)
        connection.close()


def follow(connection, folder, kind, ending):
    """Run the command in another process, and answer with its number and its exit code."""
    _, files, _, _ = socket.recv_fds(connection, 1, 250)
    job = json.loads(connection.makefile().readline())
    process = os.fork()
    if process == 0:
        os.close(connection.detach())
        try:
            become(f"{folder}/python-of-{kind}", files, **job)
        except SystemExit as end:
            ending.take(end.code)
            raise
        return ending.take(0)
    connection.sendall(f"{process}\n".encode())
    _, status = os.waitpid(process, 0)
    with suppress(BrokenPipeError):  # the client was killed
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def become(python, files, command, cwd, env, numbers):
    """Run the command to its end, as a new interpreter would."""
    ends, *inherited = [fcntl.fcntl(file, fcntl.F_DUPFD, 500) for file in files]  # away from the wanted numbers
    for file in files:
        os.close(file)
    for file, number in zip(inherited, numbers, strict=True):
        os.dup2(file, number)
        os.close(file)
    fcntl.fcntl(ends, fcntl.F_SETOWN, os.getpid())  # SIGIO ends this process when the client has ended
    fcntl.fcntl(ends, fcntl.F_SETFL, fcntl.fcntl(ends, fcntl.F_GETFL) | os.O_ASYNC)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.path[:0] = [path for path in env.get("PYTHONPATH", "").split(os.pathsep) if path and path not in sys.path]
    program, *arguments = command
    use_servers(python)
    if "python" not in program:
        arguments.insert(0, str(BIN / program))
    if os.path.isfile(arguments[0]):
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")
    elif arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, "")
        code = sys.stdin.read() if arguments[0] == "-" else arguments.pop(1)
        sys.argv = arguments
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})


if __name__ == "__main__":
    del sys.path[0]  # this folder, which a command would not have; spawned processes would inherit -P
    serve(*sys.argv[1:])
