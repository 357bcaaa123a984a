"""What this package logs within fairseq-train: options as they are typed, also in ``--log-file``."""

import logging

from xalign_fairseq.core.errors import typed_arguments


def as_typed(record: logging.LogRecord) -> bool:
    """A filter that keeps every record, and formats its parameters and commands as on a command line."""
    record.args = typed_arguments(record)
    return True


def log_as_typed(log_file: str | None) -> None:
    """Show options as typed in fairseq-train's output, and write this package's lines to its log file, too."""
    shown = logging.getLogger().handlers
    if log_file:
        into = logging.FileHandler(log_file)
        logging.getLogger("xalign_fairseq").addHandler(into)
        shown = [*shown, into]
    for handler in shown:
        handler.addFilter(as_typed)
