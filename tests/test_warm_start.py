"""Forked commands of tests (support/warm_start.py) behave like commands of a new interpreter."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import is_alive, wait_for
from support.warm_start import BIN, run_warm

PYTHON = Path(sys.executable).with_name("python-of-torch")
SLEEP = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"


def run(code, *arguments, **options):
    return subprocess.run([PYTHON, "-c", code, *arguments], capture_output=True, text=True, **options)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("", 0),
        ("sys.exit(7)", 7),
        ("sys.exit('no')", 1),
        ("1 / 0", 1),
        ("atexit.register(print, 'last'); sys.exit(3)", 3),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    ],
)
def test_exit_codes_and_messages_are_those_of_a_new_interpreter(code, expected):
    code = f"import atexit, os, signal, sys; {code}"
    found = run(code)
    real = subprocess.run([BIN / "python", "-c", code], capture_output=True, text=True)
    assert found.returncode == real.returncode == expected and found.stdout == real.stdout
    assert found.stderr.splitlines()[-1:] == real.stderr.splitlines()[-1:]


def test_arguments_input_folder_environment_and_open_files_arrive(tmp_path):
    code = (
        "import os, sys; print(sys.argv, os.getcwd(), os.environ['A'], input()); os.write(int(sys.argv[1]), b'there')"
    )
    reader, writer = os.pipe()
    environment = {**os.environ, "A": "b"}
    done = run(code, str(writer), input="in\n", cwd=tmp_path, env=environment, pass_fds=[writer])
    os.close(writer)
    assert done.stdout == f"['-c', '{writer}'] {tmp_path} b in\n", done.stderr
    assert os.read(reader, 10) == b"there" and os.read(reader, 1) == b""  # no process keeps the other end open
    os.close(reader)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 3), (signal.SIGINT, 3), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_command_handles_signals_and_ends_with_its_killed_client(number, code):
    handle = f"import signal, sys; signal.signal({int(number)}, lambda *_: sys.exit(3)); " if code > 0 else ""
    with subprocess.Popen([PYTHON, "-c", handle + SLEEP], stdout=subprocess.PIPE, text=True) as client:
        process = int(client.stdout.readline())
        client.send_signal(number)
        assert client.wait() == code
        wait_for(lambda: not is_alive(process))


def test_commands_start_with_torch_imported_and_this_package_not():
    code = "import sys; print('torch' in sys.modules, 'fairseq' in sys.modules, 'xalign_fairseq' in sys.modules)"
    assert run(code).stdout == run_warm([BIN / "python", "-c", code]).stdout == "True False False\n"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False False False\n"
