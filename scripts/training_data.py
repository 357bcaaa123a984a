"""Data-bins for benchmark_training.py: real bitext with a complete or a trimmed vocabulary, or the sample."""

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from harness import sample_data

from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.encoder.pretrained.packaged import NAME, PACKAGE

PAIRS = ("de-en", "en-fr", "ro-en", "en-hi")  # of XLM-Align's Table 2
EACH = 3000  # pairs of each, evenly spaced in its text
MONO = 4  # every fourth line is also monolingual text
TRIMMED, WHOLE, SAMPLE = "trimmed", "whole", "sample"


def vocabularies(data: Path) -> tuple[str, ...]:
    """The possible vocabularies: the sample's own if the bitext or the packaged tokenizer is missing."""
    return (TRIMMED, WHOLE) if (data / "assemble.py").is_file() and find_spec(PACKAGE) else (SAMPLE,)


def make(vocabulary: str, data: Path, work: Path) -> Path:
    """The data-bin of a vocabulary in the working folder, made unless it exists."""
    if vocabulary == SAMPLE:
        found = work / "sample/data-bin"
        return found if found.is_dir() else sample_data(found.parent)
    found = work / vocabulary
    if not found.is_dir():
        trimming = ["--trim-vocabulary"] if vocabulary == TRIMMED else []
        sides = [option for pair in PAIRS for option in assemble(pair, data, work / "text" / pair)]
        _run(
            [
                sys.executable,
                "-m",
                "xalign_fairseq",
                "prepare",
                "--out",
                str(found),
                "--tokenizer",
                NAME,
                *sides,
                *trimming,
            ]
        )
    return found


def assemble(pair: str, data: Path, folder: Path) -> list[str]:
    """Make a pair's bitext and shorten it; return its options of xalign prepare."""
    if not folder.is_dir():
        _run([sys.executable, str(data / "assemble.py"), pair, str(folder)])
    options = ["--pair", pair, "--trainpref", str(folder / "some")]
    for language in pair.split("-"):
        lines = list(read_lines(folder / f"train.{language}"))
        lines = lines[:: max(len(lines) // EACH, 1)][:EACH]
        for name, some in (("some", lines), ("mono", lines[::MONO])):
            (folder / f"{name}.{language}").write_text("".join(f"{line}\n" for line in some), encoding="utf-8")
        options += ["--mono", f"{language}={folder}/mono.{language}"]
    return options


def _run(line: Sequence[str]) -> None:
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
