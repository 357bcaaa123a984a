import errno
import io
import logging
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from xalign_fairseq import cli
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.version import __version__


@pytest.fixture
def raising(monkeypatch):
    """A function that makes ``xalign user-dir`` raise an error and returns the exit code."""

    def run(error):
        def fail(args):
            raise error

        monkeypatch.setattr("xalign_fairseq.cli.user_dir.run", fail)
        return cli.main(["user-dir"])

    return run


def test_letters_that_a_terminal_lacks_are_escaped(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr("xalign_fairseq.cli.user_dir.run", lambda args: print("été हि"))
    assert cli.main(["user-dir"]) == 0
    out.flush()
    assert out.buffer.getvalue().decode("latin-1").split("\n")[0] == r"été \u0939\u093f"


def test_every_module_is_a_subcommand_with_a_summary(capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--help"])
    summaries = dict(re.findall(r"^    (\S+)\s+(\S.*)", capsys.readouterr().out, re.MULTILINE))
    modules = [path.stem for path in Path(cli.__file__).parent.glob("*.py") if not path.name.startswith("_")]
    assert summaries.keys() == {name.replace("_", "-") for name in modules} > {"align", "train-aligner"}
    with pytest.raises(SystemExit, match="0"):
        cli.main(["train-aligner", "--help"])
    assert "Example" in capsys.readouterr().out


def test_the_version(capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"xalign_fairseq {__version__}\n"


@pytest.mark.parametrize("argv", [[], ["nothing"], ["user-dir", "--nothing"]])
def test_wrong_usage(argv, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(argv)
    assert "usage: xalign" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (XalignError("the input is bad", remedy="look again"), "the input is bad\n  next: look again"),
        (PermissionError(13, "Permission denied", "out"), "permission denied\n  where: out"),
        (OSError("no file /Data/A"), "no file /Data/A"),
        (MemoryError(), "there is not enough memory"),
        (torch.OutOfMemoryError("2 GiB\nmore"), "there is not enough memory\n  found: 2 GiB"),
        (RuntimeError("can't allocate memory: 9"), "there is not enough memory\n  found: can't allocate memory: 9"),
    ],
)
def test_user_errors_have_no_traceback(raising, capsys, error, text):
    assert raising(error) == 2
    assert capsys.readouterr().err == f"xalign user-dir: error: {text}\n"


def test_a_full_disk_error_has_a_remedy(raising, capsys):
    assert raising(OSError(errno.ENOSPC, "No space left")) == 2
    assert capsys.readouterr().err.endswith("continue or repeat the command\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_sigterm_are_one_line_and_the_shells_code(monkeypatch, capsys, number, code):
    terminated = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("xalign_fairseq.cli.user_dir.run", lambda args: signal.raise_signal(number))
    assert cli.main(["user-dir"]) == code
    assert capsys.readouterr().err == "xalign user-dir: stopped\n"
    assert signal.getsignal(signal.SIGTERM) == terminated


@pytest.mark.parametrize("error", [KeyError("bug"), RuntimeError("bug")])
def test_other_errors_are_bugs_and_keep_their_traceback(raising, error):
    with pytest.raises(type(error), match="bug"):
        raising(error)


@pytest.mark.parametrize("name", ["stdin", "stderr"])
def test_a_closed_stream_is_replaced(monkeypatch, capsys, name):
    monkeypatch.setattr(sys, name, None)
    assert cli.main(["user-dir"]) == 0 and os.path.samestat(os.fstat(getattr(sys, name).fileno()), os.stat(os.devnull))


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (1, 1)])
def test_the_exit_code_is_the_subcommands(monkeypatch, returned, code):
    monkeypatch.setattr("xalign_fairseq.cli.user_dir.run", lambda args: returned)
    assert cli.main(["user-dir"]) == code


def test_a_reader_that_stops_reading_ends_the_command(raising, monkeypatch):
    closed = []
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(close=lambda: closed.append(True)))
    assert raising(BrokenPipeError()) == 141
    assert closed  # otherwise Python would report a broken pipe at exit


@pytest.mark.parametrize("options", [["--help"], ["align", "--help"]])
def test_help_imports_nothing_slow(options):
    code = (
        "import sys\nfrom xalign_fairseq.cli import main\ntry: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "heavy = {'torch', 'numpy', 'sentencepiece', 'msgspec', 'fairseq', 'transformers'} & sys.modules.keys()\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "usage: xalign" in done.stdout


@pytest.mark.parametrize(("options", "told"), [([], "warning\n"), (["-v"], "info\nwarning\n"), (["-q"], "warning\n")])
def test_the_log_appears_once_and_verbose_shows_more(monkeypatch, caplog, capsys, options, told):
    caplog.set_level(logging.WARNING)  # importing fairseq in other tests enables notes
    logger = logging.getLogger("xalign_fairseq.cli.test")

    def tell(args):
        logger.info("info")
        logger.warning("warning")

    top = logging.getLogger("xalign_fairseq")
    level = top.level
    monkeypatch.setattr("xalign_fairseq.cli.user_dir.run", tell)
    assert cli.main(["user-dir", *options]) == 0 and capsys.readouterr().err == told
    assert top.level == level


def test_quiet_holds_where_another_library_lets_notes_through(monkeypatch, caplog, capsys):
    """As importing fairseq does."""
    caplog.set_level(logging.INFO)
    logger = logging.getLogger("xalign_fairseq.cli.test")
    monkeypatch.setattr("xalign_fairseq.cli.user_dir.run", lambda args: logger.info("info"))
    for options, told in (([], "info\n"), (["-q"], "")):
        assert cli.main(["user-dir", *options]) == 0 and capsys.readouterr().err == told
