"""Whether Hugging Face's transformers can be imported, and what breaks it."""

import subprocess
import sys

from xalign_fairseq.cli._doctor_findings import Finding
from xalign_fairseq.core.installed import version

# Compiled against one torch, and imported by transformers as soon as they are found.
COMPANIONS = ("torchaudio", "torchvision")


def transformers() -> list[Finding]:
    """Nothing without transformers, which nothing here needs; else whether a model of it can be imported."""
    there = version("transformers")
    if not there:
        return []
    problem = _problem("from transformers import BertModel")
    if not problem:
        return [Finding("ok", "transformers", there)]
    broken = {name: told for name in COMPANIONS if version(name) and (told := _problem(f"import {name}"))}
    return [
        Finding("WRONG", name, f"{version(name)} breaks transformers: {told}\nnext: pip uninstall -y {name}")
        for name, told in broken.items()
    ] or [Finding("WRONG", "transformers", f"{there} does not load: {problem}")]


def _problem(code: str) -> str:
    """The last line of what a process of its own says that cannot run the code; empty if it can."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
