"""The code of all pages: its own parser accepts each command; Python compiles, and imported names exist.

test_running_tutorials.py and test_running_pages.py run those of most pages.
"""

import ast
import importlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.pages import PAGES, ROOT, USER_DIR, blocks, commands

from xalign_fairseq.cli import build_parser

# Programs outside this repository.
OTHERS = """
auditwheel awk cat cd compute-sanitizer cut docker done echo env export for git grep gzip head jq mkdir mv paste pip
printf sed shuf sort source tail wait wc zcat }
"""
RUNS_SCRIPTS = ("bash", "python", "sbatch", "scripts/torchrun.sh")
SCRIPT = re.compile(r"[\w./-]+\.(?:sh|py|sbatch)")
INLINE = re.compile(r"`xalign ([a-z][a-z-]*)( [^`]*)?`")


def named(pages):
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


def calls(page):
    """The commands of a page that call a script of this repository: variables, the script's path, its arguments.

    Paths are relative to the folder that the page goes to by ``cd``, otherwise to the root or the page.
    """
    here = Path()
    for variables, words in commands(page):
        here = here / words[1] if words[0] == "cd" and (ROOT / here / words[1]).is_dir() else here
        words = words[3:] if words[0] == "nice" else words
        if words[0] in RUNS_SCRIPTS:
            at = next((at for at, word in enumerate(words) if SCRIPT.fullmatch(word)), None)
            if at is not None:
                there = (here / words[at]) if (ROOT / here / words[at]).is_file() else words[at]
                yield variables, str(there), words[at + 1 :]


def place(page, script):
    """The file that a page calls, relative to its folder or the root; None if the page itself writes it."""
    for folder in (ROOT, page.parent):
        if (folder / script.removeprefix("kit/source/")).is_file():
            return (folder / script.removeprefix("kit/source/")).resolve()
    assert f"cat > {script}" in page.read_text(encoding="utf-8"), f"{page} calls {script}"


def usage(script):
    """The arguments in a script's usage, and which of them are required."""
    text = script.read_text(encoding="utf-8")
    found = re.search(rf"^(?:#   .*?|(?:# )?usage: .*?){re.escape(script.name)}(.*)", text, re.MULTILINE)
    words = re.sub(r"  +\S.*", "", found[1]).split() if found else []
    required = words[: next((at for at, word in enumerate(words) if word[0] in "[(<-"), len(words))]
    return words, required


@named(PAGES)
def test_every_command_is_one_that_is_checked(page, capsys):
    """Those of ``xalign`` by their parsers; for those of fairseq and of scripts see below."""
    own = re.findall(r"^(\w+)\(\) \{", "\n".join(text for _, text in blocks(page)), re.MULTILINE)
    for _, words in commands(page):
        program = words[0]
        if program == "xalign":
            end = next((at for at, word in enumerate(words) if word[0] in "<>"), len(words))
            try:
                build_parser().parse_args(words[1:end])
            except SystemExit as stopped:
                assert not stopped.code, f"{shlex.join(words)}\n{capsys.readouterr().err}"
        else:
            name = program.removesuffix("()").removesuffix("3")
            known = (*OTHERS.split(), *RUNS_SCRIPTS, *own, "fairseq-train", "fairseq-hydra-train", "nice")
            assert name in known, f"{page}: {shlex.join(words)}"


@named(PAGES)
def test_commands_in_sentences_have_existing_options(page):
    [parsers] = [each for each in build_parser()._actions if each.dest == "command"]
    for command, rest in INLINE.findall(page.read_text(encoding="utf-8")):
        assert command in parsers.choices, f"xalign {command}"
        of_fairseq = command == "train" or " -- " in rest
        for option in [] if of_fairseq else re.findall(r"(?<= )--[a-z][\w-]*", rest):
            assert option in parsers.choices[command]._option_string_actions, f"xalign {command}{rest}"


@named([page for page in PAGES if any(calls(page))])
def test_scripts_are_called_as_in_their_usage(page):
    for variables, name, arguments in calls(page):
        script = place(page, name)
        if script and script.suffix == ".sh" and script.parent.parent == ROOT / "examples":
            text = script.read_text() + (ROOT / "examples/common/recipe.sh").read_text()
            done = subprocess.run(["bash", script], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            assert done.returncode == 2 and f"bash {script.name}" in done.stderr, done.stderr
            unknown = {word for word in variables if not re.search(rf"\b{word}\b", text)}
            assert not unknown - {"CUDA_VISIBLE_DEVICES"}, f"{page}: {name} does not read {unknown}"
            if "SETTING" in usage(script)[0]:
                setting = arguments[usage(script)[0].index("SETTING")]
                assert re.search(rf"\b{setting}\b", text), f"{page}: {name} has no setting {setting}"
        if script:
            words, required = usage(script)
            given = next((at for at, word in enumerate(arguments) if word.startswith("-")), len(arguments))
            assert given >= len(required), f"{page}: {name} {shlex.join(arguments)}"
            assert words or script.parent == ROOT / "scripts" or not arguments, f"{name} takes no arguments"


PARSE = """
import argparse, json, os, runpy, sys
parse = argparse.ArgumentParser.parse_args
def only(parser, given=None, namespace=None):
    parse(parser, given, namespace)
    os._exit(0)
argparse.ArgumentParser.parse_args = only
import xalign_fairseq.cli
for script, arguments in json.load(sys.stdin):
    if not os.fork():
        sys.argv = [script, *arguments]
        sys.path[0] = os.path.dirname(script)
        try:
            runpy.run_path(script, run_name="__main__")
        except ModuleNotFoundError as error:
            os._exit(error.name != "mteb")  # no extra has it
        os._exit(1)
    if os.wait()[1]:
        sys.exit(f"{script} {arguments}")
"""


@pytest.mark.slow
def test_python_scripts_know_the_options_of_every_command():
    jobs = []
    for page in PAGES:
        for _, name, arguments in calls(page):
            script = name.endswith(".py") and place(page, name)
            if script and "ArgumentParser" in script.read_text(encoding="utf-8"):
                jobs.append((str(script), arguments))
    assert len(jobs) >= 10
    done = subprocess.run([sys.executable, "-c", PARSE], input=json.dumps(jobs), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow
def test_fairseq_knows_the_options_of_every_training_command():
    """Also options that a recipe's script passes on, with the preset of the recipe's name."""
    jobs, start = [], ("DATA", "--user-dir", USER_DIR, "--task", "xalign_pretraining", "--arch", "xalign_base")
    for page in PAGES:
        for _, words in commands(page):
            if words[:2] == ["xalign", "train"] and words[2] != "--help":
                jobs.append({"arguments": [*start, "--criterion", "xlm_align", *words[3:]]})
            if words[:2] == ["xalign", "train-aligner"] and "--" in words:
                jobs.append({"arguments": [*start, "--criterion", "xlm_align", *words[words.index("--") + 1 :]]})
            if words[0] == "fairseq-train" and "mine" not in words and "$1" not in words:
                end = next((at for at, word in enumerate(words) if word.startswith((">", "$", "${"))), len(words))
                jobs.append({"arguments": words[1:end]})
            elif words[0] == "fairseq-hydra-train":
                given = [word for word in words[5:] if not word.startswith("--")]
                jobs.append({"folder": str(page.parent), "name": words[4], "overrides": given})
        for _, name, arguments in calls(page):
            script = place(page, name)
            given = [at for at, word in enumerate(arguments) if word.startswith("--")]
            if script and script.name.endswith("_train.sh") and given:
                jobs.append({"arguments": [*start, "--criterion", script.parent.name, *arguments[given[0] :]]})
    assert len(jobs) >= 17
    line = [sys.executable, ROOT / "tests/examples/read_options.py"]
    done = subprocess.run(line, input=json.dumps(jobs), cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@named([page for page in PAGES if any(kind in ("python", "py") for kind, _ in blocks(page))])
def test_python_compiles_and_imported_names_exist(page):
    for kind, text in blocks(page):
        for node in ast.walk(ast.parse(text)) if kind in ("python", "py") else ():
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("xalign_fairseq"):
                module = importlib.import_module(node.module)
                assert not [each.name for each in node.names if not hasattr(module, each.name)], page
