"""A tool as a process: its output, its failure, its progress, and that it ends with us."""

import os
import select
import sys
from pathlib import Path

import pytest

from xalign_fairseq.aligner.tools.processes import run_tool
from xalign_fairseq.core.errors import XalignError


def test_a_program_that_can_t_be_started(work):
    (work / "tool").write_text("no program")
    with pytest.raises(XalignError, match=r"(?s)cannot be started.*tool -r"):
        run_tool([str(work / "tool"), "-r"], work)


def test_a_tool_s_progress_is_shown_when_asked_for(work, capsys):
    command = [sys.executable, "-S", "-c", "import sys; print('1 of 2', file=sys.stderr)"]
    run_tool(command, work)
    assert capsys.readouterr().err == ""
    run_tool(command, work, echo=True)
    assert capsys.readouterr().err == "1 of 2\n"


def python(code):
    return [sys.executable, "-S", "-c", code]


def test_output_goes_to_a_file_of_the_folder_where_the_tool_runs(work):
    run_tool(python("import os; print(os.environ['TMPDIR']); open('made', 'w').write('here')"), work, stdout="out")
    assert (work / "out").read_text() == f"{work}\n" and (work / "made").read_text() == "here"
    run_tool(python("print('nowhere')"), work)
    assert sorted(path.name for path in work.iterdir()) == ["made", "out"]


@pytest.mark.parametrize(("code", "said"), [("print('é' * 5000 + 'no memory')", "no memory"), ("", "(nothing)")])
def test_a_failure_tells_the_command_and_the_end_of_what_was_said(work, code, said):
    program = f"import sys; sys.stdout = sys.stderr; {code or 'pass'}; sys.exit(3)"
    with pytest.raises(XalignError) as error:
        run_tool(python(program), work)
    assert f"{Path(sys.executable).name} failed\n  where: {sys.executable} -S -c" in str(error.value)
    assert "exit code 3; the end of its output:\n" in str(error.value) and said in str(error.value)
    assert len(str(error.value)) < 3000


def test_an_interrupt_ends_the_tool_and_what_it_started(work):
    os.mkfifo(work / "alive")
    alive = os.open(work / "alive", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(KeyboardInterrupt):
        run_tool(["sh", "-c", "exec 3>alive; echo started >&3; sleep 60 & kill -INT $PPID; sleep 60"], work)
    told = b""
    while select.select([alive], [], [], 5)[0] and (text := os.read(alive, 100)):
        told += text
    assert told == b"started\n"
    assert select.select([alive], [], [], 0)[0], "a process still holds the pipe"
    os.close(alive)
