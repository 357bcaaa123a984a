"""One line for a training: updates, losses, speed and time left."""

import re
import sys
import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from xalign_fairseq.core.progress import SPARSE
from xalign_fairseq.trainer.log_rows import EPOCH, VALID, LogRow, read_row, standing

RESUMED = re.compile(r"Loaded checkpoint .*checkpoint_last\.pt \(epoch \d+ @ (\d+) updates\)")


class TrainProgress:
    """Shows fairseq-train's log on stderr: as one line on a terminal, otherwise as occasional lines."""

    def __init__(
        self, most: int | None, quiet: bool = False, verbose: bool = False, before: Iterable[LogRow] = ()
    ) -> None:
        from tqdm import tqdm

        self.most, self.quiet, self.verbose = most, quiet, verbose
        self.last: LogRow | None = None
        self.updates = self.resumed = 0
        self.validations = with_aer(before)
        self.written: LogRow | None = None
        self.shown = -SPARSE
        terminal = sys.stderr.isatty()
        self.bar: Any = tqdm(bar_format="{desc}", file=sys.stderr, leave=False) if terminal and not quiet else None

    def __enter__(self) -> "TrainProgress":
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()
        elif self.last is not None and self.last is not self.written:
            self._display(self.last)

    @property
    def aer(self) -> float | None:
        """The AER of the newest validation that has one."""
        return self.validations[-1].values["aer"] if self.validations else None

    @property
    def best(self) -> tuple[float, int] | None:
        """The lowest AER, with its update."""
        return min(((row.values["aer"], row.updates) for row in self.validations), default=None)

    @property
    def _of(self) -> str:
        return f" of {self.most:,}" if self.most else ""

    def hear(self, line: str) -> None:
        """Take a line of the log."""
        if self.verbose:
            self.write(line.rstrip("\n"))
        else:
            self._warn(line)
        if found := RESUMED.search(line):
            self.resumed = int(found[1])
            if self.resumed != self.most and not self.quiet:
                begin = "continues after" if self.resumed else "begins with the checkpoint's weights at"
                self.write(f"{begin} update {self.resumed:,}{self._of}")
        row = read_row(line)
        if row is None:
            return
        self.updates = row.updates
        self.validations = with_aer([*self.validations, row])
        if row.kind == VALID:
            self._validated(row)
        elif row.kind == EPOCH:
            self.last = self.last or row  # for a run shorter than an interval
        else:
            self.last = row
            if self.bar is not None or time.monotonic() - self.shown >= SPARSE:
                self._display(row)

    def _warn(self, line: str) -> None:
        parts = line.rstrip("\n").split(" | ", 3)
        if len(parts) == 4 and parts[1] in ("WARNING", "ERROR", "CRITICAL"):
            self.write(f"{parts[1].lower()}: {parts[3]}")

    def _display(self, row: LogRow) -> None:
        self.written, self.shown = row, time.monotonic()
        self.show(row_text(row, self.most, self.aer))

    def _validated(self, row: LogRow) -> None:
        if "aer" in row.values:
            aer = row.values["aer"]
            found = f"AER {100 * aer:.2f}" + (", the lowest so far" if self.best == (aer, row.updates) else "")
        elif "score" in row.values:  # a transfer task's score, in percent
            found = f"score {row.values['score']:.2f}"
        else:
            found = f"validation loss {row.values.get('loss', float('nan')):.3f}"
        if not self.quiet:
            self.write(f"update {row.updates:,}: {found}")

    def show(self, text: str) -> None:
        """The one line."""
        if self.bar is not None:
            self.bar.set_description_str(text)
        elif not self.quiet:
            self.write(text)

    def write(self, text: str) -> None:
        """A permanent line."""
        if self.bar is not None:
            self.bar.write(text, file=sys.stderr)
        else:
            print(text, file=sys.stderr, flush=True)


def with_aer(rows: Iterable[LogRow]) -> list[LogRow]:
    """The validations with an AER, of the current training."""
    return [row for row in standing(rows) if row.kind == VALID and "aer" in row.values]


def row_text(row: LogRow, most: int | None, aer: float | None = None) -> str:
    """An interval of training as text."""
    values = row.values
    parts = [f"update {row.updates:,}" + (f"/{most:,}" if most else "")]
    if most and values.get("ups"):
        parts.append(f"ETA {timedelta(seconds=round(max(0, most - row.updates) / values['ups']))}")
    if "loss" in values:
        each = ", ".join(f"{name} {loss:.2f}" for name, loss in row.losses.items())
        parts.append(f"loss {values['loss']:.2f}" + (f" ({each})" if len(row.losses) > 1 else ""))
    if aer is not None:
        parts.append(f"AER {100 * aer:.2f}")
    if values.get("wps"):  # 0 at the first update, which has no time yet
        parts.append(f"{values['wps']:,.0f} tokens/s")
    return ", ".join(parts)
