"""What fairseq-train says while it trains, as numbers."""

from dataclasses import dataclass

from xalign_fairseq.trainer.log_rows import EPOCH, VALID, read_row


@dataclass(frozen=True)
class Progress:
    """A line of the log: updates done, and the loss of training (in bits) or the AER of a validation.

    Attributes:
        of: how many updates there will be, where it is known.
        data_wait: per cent of the time of training that passed in waiting for batches, since the line before.
    """

    updates: int
    loss: float | None = None
    aer: float | None = None
    of: int | None = None
    data_wait: float | None = None


def read_line(line: str) -> Progress | None:
    """The report in a line of fairseq's log (``--log-format json``), None if it holds none.

    Example::

        read_line('{"valid_aer": "0.25", "valid_num_updates": "100"}')  # Progress(100, aer=0.25)
    """
    row = read_row(line)
    if row is None or row.kind == EPOCH:
        return None
    if row.kind == VALID:
        return Progress(row.updates, aer=row.values.get("aer"))
    return Progress(row.updates, loss=row.values.get("loss"), data_wait=row.values.get("data_wait"))
