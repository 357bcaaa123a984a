"""A mistake in the user's input gives a short error instead of fairseq's traceback.

Why: fairseq prints a traceback of thirty lines above the lines with file, place and remedy; from several processes or a
worker that reads data, it prints two.
Touches: ``sys.excepthook``, only for :class:`~xalign_fairseq.core.errors.XalignError`. ``--debug`` keeps the traceback.
Can go: when fairseq has its own error for input, or a hook.
"""

import sys
from pathlib import Path
from traceback import extract_tb
from types import TracebackType

from xalign_fairseq.core.errors import XalignError, command_line_text
from xalign_fairseq.trainer.compat.patching import FairseqPatch, Function, instead, replace

NAME = "input errors"
# The start of a traceback's last line, which other processes and workers send as text.
HEADING = f"{XalignError.__module__}.{XalignError.__qualname__}: "
NEXT = "\n\nDuring handling of"  # how a traceback begins the text after a chained exception


def needed() -> bool:
    """Whether this is a fairseq command; other programs that import fairseq need their tracebacks."""
    program = Path(sys.argv[0])
    called = program.name == "-c" and "fairseq_cli" in sys.modules  # the way this package starts fairseq-train
    return called or program.name.startswith("fairseq") or "fairseq_cli" in program.parts


def install() -> None:
    """Install this hook before the current one."""
    replace(sys, "excepthook", NAME, _plain)


def message(error: BaseException) -> str | None:
    """The message for an error in the input, even if another exception or a text carries it; otherwise None."""
    text = str(error)
    if HEADING in text:
        return text.rsplit(HEADING, 1)[1].split(NEXT, 1)[0].strip()
    if isinstance(error, XalignError):
        return command_line_text(error)
    behind = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return None if behind is None else message(behind)


def _no_architecture(error: BaseException, traceback: TracebackType | None) -> str | None:
    """The message for the exception without text that fairseq raises if ``--arch`` is missing."""
    if not isinstance(error, RuntimeError) or error.args or traceback is None:
        return None
    frames = extract_tb(traceback)
    if frames[-1].name != "parse_args_and_arch" or not frames[-1].filename.endswith("options.py"):
        return None
    known = "such as xalign_base; xalign train takes it from --init-checkpoint"
    return command_line_text(XalignError("no architecture is given", parameter="arch", expected=known))


@instead
def _plain(hook: Function, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    text = None if "--debug" in sys.argv else message(error) or _no_architecture(error, traceback)
    if text is None:
        hook(kind, error, traceback)
    else:
        print(f"error: {text}\n  (--debug shows where in the program)", file=sys.stderr)


UNIT = FairseqPatch(NAME, "fairseq prints its traceback above an error in the input; --debug shows it", needed, install)
