"""A program that lets a server of warm_start.py run its command: it passes on open files, signals and the exit code.

``python`` does so for fairseq-train, transfer runs, spawned processes, code from the standard input and files that
import fairseq, and servers of forks; ``python-of-torch`` and ``python-of-fairseq`` for all code.
"""

import json
import os
import signal
import socket
import sys
from contextlib import suppress

FOLDER, NAME = os.path.split(sys.argv[0])
# Processes get -B where no bytecode is written; -P is that of fairseq-train.
ARGUMENTS = [each for each in sys.argv[1:] if each not in ("-B", "-P")]
FILES = ("/examples/align_mlm/evaluate.py", "/examples/read_options.py", "/trainer/main.py")


def server():
    """What the command will import: ``fairseq``, ``torch``, or nothing of these."""
    option, code, *_ = [*ARGUMENTS, "", ""]
    program, _, prepared = NAME.partition("-of-")
    if program.startswith("fairseq-") or option.endswith(FILES) or code.startswith("xalign_fairseq.transfer.runs"):
        return "fairseq"
    if code.startswith("from multiprocessing.forkserver"):
        return "fairseq" if "support.trials" in code else "torch"
    if program == "xalign" or option == "-" or code.startswith("from multiprocessing.spawn"):
        return prepared or "torch"
    return prepared if option in ("-c", "-m") else ""


def run(by):
    """The exit code of the command, run by a server; negative: it was ended by this signal."""
    ends, _open = os.pipe()  # the command ends if this process is killed, which closes the open end
    numbers = [number for number in map(int, os.listdir("/dev/fd")) if _is_inherited(number)]
    job = {"command": [NAME, *ARGUMENTS], "cwd": os.getcwd(), "env": dict(os.environ), "numbers": numbers}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"{FOLDER}/{by}.socket")
        socket.send_fds(connection, [b"\n"], [ends, *numbers])
        os.close(ends)
        signals = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # until they can be passed on
        connection.sendall(json.dumps(job).encode() + b"\n")
        answers = connection.makefile()
        process = int(answers.readline())
        for number in signals:
            signal.signal(number, lambda given, _: _signal(process, given))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        return int(answers.readline())


def _is_inherited(number):
    with suppress(OSError):
        return os.get_inheritable(number)


def _signal(process, number):
    with suppress(ProcessLookupError):
        os.kill(process, number)


if __name__ == "__main__":
    if not (by := server()):
        real = f"{os.readlink(f'{FOLDER}/bin')}/python"
        os.execv(real, [real, *sys.argv[1:]])
    code = run(by)
    if code < 0:
        with suppress(OSError):  # SIGKILL
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
