import ast
import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest
import structure

import xalign_fairseq
from xalign_fairseq.objectives.description import describe
from xalign_fairseq.objectives.registry import OBJECTIVES

ROOT = Path(__file__).resolve().parents[1]
TEXTS = (".md", ".py", ".sh", ".sbatch", ".json", ".yaml", ".tsv", ".txt")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
OF_FILES = (
    "life_of_a_batch.md",
    "plain_torch.md",
    "gpu.md",
    "machines.md",
    "faults.md",
)  # pages that name files of code
NAMED = re.compile(r"`((?:\w+/)+\w+\.py)(?::(\w+))?`")
RESULTS = re.compile(r"<!-- results:.*?<!-- end -->", re.DOTALL)  # these commands belong to the commits that they name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_and_their_definitions(page):
    found = NAMED.findall(RESULTS.sub("", page.read_text(encoding="utf-8")))
    assert found or str(page.relative_to(ROOT / "docs")) not in OF_FILES
    for file, name in found:
        root = ROOT if file.startswith(("tests/", "scripts/")) else ROOT / "xalign_fairseq"
        tree = ast.parse((root / file).read_text(encoding="utf-8"))
        if name:
            kinds = (ast.ClassDef, ast.FunctionDef)
            assert name in {node.name for node in tree.body if isinstance(node, kinds)}, f"{file} has no {name}"


def test_the_page_of_the_house_lists_the_rooms_in_order():
    rows = re.findall(r"^\| (`[^|]+) \|", (ROOT / "docs/house.md").read_text(encoding="utf-8"), re.MULTILINE)
    told = [name.removesuffix("/").removesuffix(".py") for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert told == [room for room in structure.FLOORS if room != "__main__"]


def test_no_file_carries_a_path_of_a_machine():
    own = re.compile(r"""(?<![\w.}/])/(?:root|work|mnt|home/(?!me\b|someone\b))/[\w.-]""")
    folders = ("docs", "examples", "scripts", "tests", "xalign_fairseq")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in TEXTS]
    found = [path for path in (*paths, *ROOT.glob("*.md")) if own.search(path.read_text(encoding="utf-8"))]
    assert paths and not found


def test_errors_of_the_troubleshooting_page_are_those_of_the_code():
    page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    errors = re.findall(r"^\| `([a-z][^`]+)` \|", page, re.MULTILINE)
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "xalign_fairseq").rglob("*.py"))
    assert len(errors) >= 30
    assert [error for error in errors if error not in sources] == []


def test_every_logged_key_of_objectives_has_a_row():
    page = (ROOT / "docs/reference/logged.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?`) \|", page, re.MULTILINE)
    own = [name for name, each in OBJECTIVES.items() if each.__module__.startswith("xalign_fairseq.")]  # no examples'
    keys = [(name, stat) for name in own for stat in describe(name).logs if not stat.endswith("_loss")]
    assert keys
    for name, key in keys:  # an objective's first key has its name, the next keys the rest
        short = f"`{key.removeprefix(name)}`"
        assert any(f"`{key}`" in row or (f"`{name}_" in row and short in row) for row in rows), key


OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
SESSIONS = [name for name, path in structure.modules().items() if ">>> " in path.read_text(encoding="utf-8")]


def run(name):
    """The numbers of a module's examples, all of them run, and of failures."""
    return doctest.testmod(import_module(name), optionflags=OPTIONS)


@pytest.mark.parametrize("name", SESSIONS)
def test_examples_print_their_output(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = run(name)
    assert tried and not failed


# Batches and AlignmentTrainer need prepared data.
WITHOUT_SESSION = {"XalignError", "__version__", "Batches", "AlignmentTrainer"}


@pytest.mark.parametrize("name", sorted(set(xalign_fairseq.__all__) - WITHOUT_SESSION))
def test_top_level_names_have_an_example(name):
    assert any(test.examples for test in doctest.DocTestFinder().find(getattr(xalign_fairseq, name), name))
