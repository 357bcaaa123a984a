"""Show a short error instead of fairseq's traceback for a mistake in the user's input.

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
NEXT = "\n\nDuring handling of"  # the start of a traceback's text after a chained exception


def needed() -> bool:
    """Whether this is a fairseq command; other programs that import fairseq need their tracebacks."""
    program = Path(sys.argv[0])
    return program.name.startswith("fairseq") or "fairseq_cli" in program.parts


def install() -> None:
    """Install this hook before the current one."""
    replace(sys, "excepthook", NAME, _plain)


def message(error: BaseException) -> str | None:
    """The message for an error in the input, even inside another exception or a text; otherwise None."""
    text = str(error)
    if HEADING in text:
        return text.rsplit(HEADING, 1)[1].split(NEXT, 1)[0].strip()
    if isinstance(error, XalignError):
        return command_line_text(error)
    behind = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return None if behind is None else message(behind)


def _missing(error: BaseException, traceback: TracebackType | None) -> str | None:
    """The message for fairseq's exceptions, the first without text, if ``--arch`` or a batch size is missing."""
    place = [(Path(each.filename).name, each.name) for each in extract_tb(traceback)[-1:]]
    if isinstance(error, RuntimeError) and not error.args and place == [("options.py", "parse_args_and_arch")]:
        known = "such as xalign_base; xalign train takes it from --init-checkpoint"
        return command_line_text(XalignError("no architecture is given", parameter="arch", expected=known))
    if isinstance(error, AssertionError) and "specify batch size" in str(error):
        names, known = ("batch_size", "max_tokens"), "one of these, such as 32 pairs or 4096 tokens"
        return command_line_text(XalignError("no batch size is given", parameter=names, expected=known))
    return None


@instead
def _plain(hook: Function, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    text = None if "--debug" in sys.argv else message(error) or _missing(error, traceback)
    if text is None:
        hook(kind, error, traceback)
    else:
        print(f"error: {text}\n  (--debug shows the traceback)", file=sys.stderr)


UNIT = FairseqPatch(NAME, "fairseq prints its traceback above an error in the input; --debug shows it", needed, install)
