"""What fairseq-train says while it trains, as numbers."""

import json
import re
from dataclasses import dataclass

_ROW = re.compile(r"\| (?P<kind>train_inner|valid) \| (?P<values>\{.*\})\s*$")


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

        read_line('... | valid | {"valid_aer": "0.25", "valid_num_updates": "100"}')  # Progress(100, aer=0.25)
    """
    found = _ROW.search(line)
    if found is None:
        return None
    try:
        values = json.loads(found["values"])
    except ValueError:  # a line that was written while the process was killed
        return None
    if found["kind"] == "train_inner":
        wait = values.get("data_wait")
        return Progress(
            int(values["num_updates"]), loss=float(values["loss"]), data_wait=None if wait is None else float(wait)
        )
    aer = values.get("valid_aer")
    return Progress(int(values["valid_num_updates"]), aer=None if aer is None else float(aer))
