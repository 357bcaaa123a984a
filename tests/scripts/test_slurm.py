"""The scripts for many machines, as far as one machine without Slurm can tell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.slow
def test_parts_that_are_aligned_side_by_side_are_the_links_of_the_whole(sample, transfer_encoder, command, tmp_path):
    texts = [tmp_path / f"text.{end}" for end in ("en", "de")]
    for text in texts:
        lines = (sample / f"en-de/train{text.suffix}").read_text().splitlines(keepends=True)
        text.write_text("".join(lines[:21]))
    options = ("--checkpoint", transfer_encoder, "--quiet")
    command("xalign", "align", "--src", texts[0], "--tgt", texts[1], "--out", tmp_path / "whole", *options)
    line = ["bash", SCRIPTS / "slurm/align.sbatch", *texts, tmp_path / "parts", *options]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def start(task):
        array = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": "2"}
        return subprocess.Popen([*map(str, line)], env={**os.environ, "PATH": path, **array})

    for _ in range(2):  # the second time nothing is left to do
        assert [each.wait() for each in [start(0), start(1)]] == [0, 0]
    parts = sorted((tmp_path / "parts").glob("links.*"))
    assert [len(part.read_text().splitlines()) for part in parts] == [10, 11]
    assert b"".join(part.read_bytes() for part in parts) == (tmp_path / "whole").read_bytes()
