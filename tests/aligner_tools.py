"""Stand-ins for word aligners that are not installed: small programs on PATH that keep to their protocol."""

import sys
from pathlib import Path

# Forward, every target word takes the source word at its place, or the last; backward the other way round.
DIAGONAL = """
import sys
reverse = sys.argv[-1] == "-r"
assert sys.argv[1:] == ["-i", "text", "-d", "-o", "-v"] + ["-r"] * reverse, sys.argv
print("ITERATION 1", file=sys.stderr)
for line in open("text", encoding="utf-8", newline="\\n"):
    src, tgt = (side.split(" ") for side in line.removesuffix("\\n").split(" ||| "))
    assert all(src) and all(tgt)
    if reverse:
        print(*(f"{i}-{min(i, len(tgt) - 1)}" for i in range(len(src))))
    else:
        print(*(f"{min(j, len(src) - 1)}-{j}" for j in range(len(tgt))))
"""


def only_tools(monkeypatch, folder: Path, **programs: str) -> None:
    """Make these Python programs, by name, the only ones that are found."""
    folder.mkdir()
    for name, body in programs.items():
        path = folder / name
        path.write_text(f"#!{sys.executable} -S\n{body}")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
