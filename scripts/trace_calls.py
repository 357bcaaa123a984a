#!/usr/bin/env python3
"""Show which files of the package a command goes through: run it in this process and follow its calls.

usage: trace_calls.py COMMAND [OPTION ...]        for example: trace_calls.py align --model e5-small --src A --tgt B

Prints the files in the order in which they are entered, from which file each call came, and the upward hops: calls from
a room into one further up (docs/house.md). Calls while modules are imported, and those of other threads, are left out.
"""

import sys
from types import FrameType
from typing import Any

import structure

from xalign_fairseq.cli import main as run_command


class Trace:
    """Follows calls between files of the package."""

    def __init__(self) -> None:
        self.entered: list[tuple[str, str]] = []  # (file, the file that it was called from), each pair once
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

    def files(self) -> list[str]:
        """The files, in the order in which they are first entered."""
        return list(dict.fromkeys(file for file, _ in self.entered))

    def upward(self) -> list[tuple[str, str]]:
        """The calls into a room further up, as (caller, file)."""
        return [
            (caller, file)
            for file, caller in self.entered
            if caller and structure.FLOORS.index(_room(file)) < structure.FLOORS.index(_room(caller))
        ]


def _file(frame: FrameType) -> str:
    """The path below the package of the file that a frame runs, or "" for one elsewhere."""
    _, inside, path = frame.f_code.co_filename.rpartition("/xalign_fairseq/")
    return path if inside else ""


def _room(file: str) -> str:
    return file.partition("/")[0].removesuffix(".py")


def main() -> None:
    """Run the command, then print its way."""
    command = sys.argv[1:]
    if not command or command[0] in ("-h", "--help"):
        print("\n".join(__doc__.split("\n")[2:]).strip())
        return
    trace = Trace()
    sys.setprofile(trace)
    try:
        code = run_command(command)
    except SystemExit as end:
        code = end.code
    finally:
        sys.setprofile(None)
    for file, caller in trace.entered:
        print(f"{file:60} from {caller or 'the command line'}")
    print(f"{len(trace.files())} files, {len(trace.upward())} upward hops; exit code {code or 0}")
    for caller, file in trace.upward():
        print(f"  up: {caller} -> {file}")


if __name__ == "__main__":
    main()
