import os
import signal
import subprocess
import sys
import textwrap

import pytest
from support.processes import is_alive, wait_for

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.process import exit_text, failure, run_logged, running, start, stop


def python(text):
    return [sys.executable, "-S", "-u", "-c", text]


def test_lines_are_read_as_written_and_kept_in_the_log(tmp_path):
    log = tmp_path / "train.log"
    log.write_text("before\n")
    program = "import sys, time; print('one'); print('zwölf', file=sys.stderr); print('three'); time.sleep(60)"
    with run_logged(python(program), log) as (_, lines):
        assert [next(lines) for _ in range(3)] == ["one\n", "zwölf\n", "three\n"]
        assert log.read_text(encoding="utf-8") == "before\none\nzwölf\nthree\n"


def test_leaving_early_ends_the_process_and_its_children(tmp_path):
    # One write per line: output of print() from two processes may mix.
    program = "import os, time; os.fork(); os.write(1, b'%d\\n' % os.getpid()); time.sleep(60)"
    with run_logged(python(program), tmp_path / "log") as (_, lines):
        processes = [int(next(lines)) for _ in range(2)]
    wait_for(lambda: not any(map(is_alive, processes)))


@pytest.mark.parametrize(
    ("code", "text"), [(1, "exit code 1"), (-15, "exit code -15"), (-9, "killed"), (137, "killed")]
)
def test_exit_codes_are_described(code, text):
    assert exit_text(code).startswith(text)
    killed = text == "killed"
    error = str(failure("eflomal", "text.log", code, "out of luck", "run it again"))
    assert error.startswith(f"eflomal {'was killed' if killed else 'failed'}\n  where: text.log\n")
    assert ("memory" in error) is killed and ("out of luck" in error) is not killed and error.endswith("run it again")


def test_held_files_stay_open_in_the_process(tmp_path):
    with open(tmp_path / "lock", "w") as lock:
        program = f"import os; print(os.fstat({lock.fileno()}).st_ino)"
        with run_logged(python(program), tmp_path / "log", held=[lock.fileno()]) as (_, lines):
            assert list(lines) == [f"{os.fstat(lock.fileno()).st_ino}\n"]


def test_a_process_does_not_outlive_its_killed_parent():
    program = """
        from xalign_fairseq.core.process import start
        import os, sys, time
        child = start([sys.executable, "-S", "-c", "import time; print(flush=True); time.sleep(60)"], stdout=1)
        print(child.pid, flush=True)
        time.sleep(60)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE) as parent:
        child = int(b"".join(parent.stdout.readline() for _ in range(2)))  # wait until it runs
        assert is_alive(child)
        parent.kill()
    wait_for(lambda: not is_alive(child))


def test_a_process_does_not_outlive_its_block():
    with pytest.raises(KeyError), running(python("import time; time.sleep(60)")) as process:
        raise KeyError
    assert process.returncode == -signal.SIGTERM


def test_a_process_that_ignores_sigterm_is_killed(monkeypatch):
    monkeypatch.setattr("xalign_fairseq.core.process.PATIENCE", 0.3)
    program = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    process = start(python(program), stdout=subprocess.PIPE)
    process.stdout.readline()
    stop([process])
    assert process.returncode == -signal.SIGKILL


def test_a_missing_program_is_an_error():
    with pytest.raises(XalignError, match=r"does not exist[\s\S]*no-such-program 'a b'"):
        start(["no-such-program", "a b"])
