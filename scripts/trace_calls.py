#!/usr/bin/env python3
"""Show which files of the package a command runs through: run it in this process and trace its calls.

usage: trace_calls.py COMMAND [OPTION ...]        for example: trace_calls.py align --model e5-small --src A --tgt B
       trace_calls.py --sample                    prepare, train-aligner, align, from_pretrained, transfer on the sample

Prints the files in the order of their first call, with the file that called them, and the upward hops: calls from
a room into one further up (docs/house.md). With --sample, prints one row per command. Leaves out calls during imports
and those of other threads and processes.
"""

import contextlib
import io
import logging
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import structure
from faults_runs import make_inputs, sample_options
from markers import table

from xalign_fairseq.cli import main as run_command


class Trace:
    """Traces calls between files of the package."""

    def __init__(self) -> None:
        self.entered: list[tuple[str, str]] = []  # (file, the file that called it), each pair once
        self._known: set[tuple[str, str]] = set()
        self._importing = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if frame.f_code.co_name == "<module>":
            self._importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self._importing and (file := _file(frame)):
            caller = frame.f_back
            while caller is not None and not _file(caller):
                caller = caller.f_back
            step = (file, _file(caller) if caller else "")
            if file != step[1] and step not in self._known:
                self._known.add(step)
                self.entered.append(step)

    def follow(self, call: Callable[[], Any]) -> Any:
        """The result of a traced call, or the exit code of a command that ends the process."""
        sys.setprofile(self)
        try:
            return call()
        except SystemExit as end:
            return end.code
        finally:
            sys.setprofile(None)

    def files(self) -> list[str]:
        """The files, in the order of their first call."""
        return list(dict.fromkeys(file for file, _ in self.entered))

    def rooms(self) -> list[str]:
        """The rooms of these files."""
        return list(dict.fromkeys(map(_room, self.files())))

    def upward(self) -> list[tuple[str, str]]:
        """The calls into a room further up, as (caller, file)."""
        return [
            (caller, file)
            for file, caller in self.entered
            if caller and structure.FLOORS.index(_room(file)) < structure.FLOORS.index(_room(caller))
        ]


def _file(frame: FrameType) -> str:
    """The path in the package of a frame's file, or "" for another file."""
    _, inside, path = frame.f_code.co_filename.rpartition("/xalign_fairseq/")
    return path if inside else ""


def _room(file: str) -> str:
    return file.partition("/")[0].removesuffix(".py")


def sample_traces(work: Path, *names: str) -> dict[str, Trace]:
    """Trace five commands, or some of them, on the sample text with a small model and few updates."""

    def quietly(command: list[str], *_: Any) -> None:
        run_command(command[3:])

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        make_inputs(work, quietly, pairs=60)
        logging.getLogger("xalign_fairseq").handlers.clear()  # those of earlier commands
        traces = {}
        for name, options in sample_options(work, work / "out").items():
            if not names or name in names:
                traces[name] = Trace()
                code = traces[name].follow(lambda options=options, name=name: _run(name, options))
                assert not code, f"{name}: exit code {code}"
    return traces


def _run(name: str, options: list[str]) -> int:
    if name != "from_pretrained":
        return run_command(options)
    from xalign_fairseq import Aligner

    Aligner.from_pretrained(*options)
    return 0


def render(traces: dict[str, Trace]) -> str:
    """A row for each command."""
    rows = [
        (name, *(str(len(found)) for found in (trace.files(), trace.rooms(), trace.upward())))
        for name, trace in traces.items()
    ]
    return table(("command", "files", "rooms", "upward calls"), rows)


def main() -> None:
    """Run the command, then print its trace."""
    command = sys.argv[1:]
    if not command or command[0] in ("-h", "--help"):
        print("\n".join(__doc__.split("\n")[2:]).strip())
        return
    if command == ["--sample"]:
        with tempfile.TemporaryDirectory() as work:
            traces = sample_traces(Path(work))
        print(render(traces))
        for name, trace in traces.items():
            _print_upward(trace, f"{name}: ")
        return
    trace = Trace()
    code = trace.follow(lambda: run_command(command))
    for file, caller in trace.entered:
        print(f"{file:60} from {caller or 'the command line'}")
    print(f"{len(trace.files())} files, {len(trace.upward())} upward hops; exit code {code or 0}")
    _print_upward(trace, "  up: ")


def _print_upward(trace: Trace, before: str) -> None:
    for caller, file in trace.upward():
        print(f"{before}{caller} -> {file}")


if __name__ == "__main__":
    main()
