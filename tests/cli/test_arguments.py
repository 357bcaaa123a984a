"""The vocabulary: the same names in every command, and every name of old, which still works."""

import argparse
import json
import re
from pathlib import Path

import pytest

from xalign_fairseq.cli import build_parser
from xalign_fairseq.cli._arguments import named_models, tell
from xalign_fairseq.core.errors import XalignError

TEXT = ("--src", "s", "--tgt", "t")
# Command line of old -> the same line as it is told today.
OLD = {
    ("align", "--checkpoint", "m"): ("align", "--model", "m"),
    ("layers", "--checkpoint", "m", "--json", "f"): ("layers", "--model", "m", "--json", "f"),
    ("links", "--checkpoint", "m", "--out", "o", *TEXT): ("links", "--model", "m", "--out", "o", *TEXT),
    ("retrieve", "--checkpoint", "m", *TEXT): ("retrieve", "--model", "m", *TEXT),
    ("embeddings", "--checkpoint", "m", "n", "--links", "l", *TEXT): (
        *("embeddings", "--model", "m", "--model", "n", "--links", "l", *TEXT),
    ),
    ("predict", "--checkpoint", "m", "--data", "d", "--languages", "en"): (
        *("predict", "--model", "m", "--data", "d", "--languages", "en"),
    ),
    ("procrustes", "--checkpoint", "m", "--data", "d", "--out", "o"): (
        *("procrustes", "--model", "m", "--data", "d", "--out", "o"),
    ),
    ("transfer", "--checkpoint", "a=m", "b=n", "--out", "o"): (
        *("transfer", "--model", "a=m", "--model", "b=n", "--out", "o"),
    ),
    ("alignment-score", "m", "n", "--json", "f"): ("alignment-score", "--model", "m", "--model", "n", "--json", "f"),
    ("export-hf", "m", "o"): ("export-hf", "--model", "m", "--out", "o"),
    ("import-hf", "m", "--overwrite", "o"): ("import-hf", "--overwrite", "--model", "m", "--out", "o"),
    ("trim", "m", "--text", "t", "--out", "o"): ("trim", "--model", "m", "--text", "t", "--out", "o"),
    ("untrim", "m", "--original", "n", "--out", "o"): ("untrim", "--model", "m", "--original", "n", "--out", "o"),
    ("sample", "o", "--pairs", "3"): ("sample", "--out", "o", "--pairs", "3"),
    ("derive", "--destdir", "o", "--steps", "script"): ("derive", "--out", "o", "--steps", "script"),
    ("prepare", "--destdir", "o"): ("prepare", "--out", "o"),
    ("symmetrize", "--forward", "f", "--backward", "b", "--method", "union", "--out", "o"): (
        *("symmetrize", "--forward", "f", "--backward", "b", "--symmetrize", "union", "--out", "o"),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def commands():
    """The parser of each command."""
    kind = argparse._SubParsersAction
    return next(action for action in build_parser()._actions if isinstance(action, kind)).choices


@pytest.mark.parametrize("old", OLD, ids=" ".join)
def test_a_command_line_of_old_means_what_it_meant(old):
    parser = build_parser()
    assert vars(parser.parse_args(old)) == vars(parser.parse_args(OLD[old]))


def test_what_is_the_same_is_called_the_same_in_every_command(commands):
    shown = {
        name: {flag: action for action in parser._actions for flag in action.option_strings}
        for name, parser in commands.items()
    }
    for name, options in shown.items():
        assert {"-q", "--quiet", "-v", "--verbose", "-h"} <= options.keys(), name
        assert not {"--checkpoint", "--destdir", "--output", "--output-dir"} & options.keys(), name
        if "--json" in options:
            assert options["--json"].const == "-" and options["--json"].hides_value, name
    with_method = {name for name, options in shown.items() if "--method" in options}
    assert with_method == {
        "align",
        "bench",
        "layers",
        "links",
        "train-aligner",
    }  # it is the way from hidden states to links, and nothing else


def test_every_command_has_examples_at_the_end_of_its_help(commands):
    for name, parser in commands.items():
        last = parser.format_help().rstrip().rpartition("\n\n")[2]
        assert last.startswith("Example") and f"xalign {name}" in last, name


@pytest.mark.parametrize("command", ["align", "score", "user-dir"])
def test_quiet_and_verbose_exclude_each_other(commands, command, capsys):
    with pytest.raises(SystemExit, match="2"):
        commands[command].parse_args(["-q", "-v"])
    assert "not allowed with argument" in capsys.readouterr().err


def test_json_stands_in_place_of_the_table_or_in_a_file_beside_it(tmp_path, capsys):
    content, file = {"é": [0.5]}, tmp_path / "f"
    tell(None, content, ["one", "two"])
    assert capsys.readouterr().out == "one\ntwo\n"
    tell("-", content, ["one", "two"])
    assert json.loads(capsys.readouterr().out) == content
    tell(str(file), content, iter(["one", "two"]))
    assert capsys.readouterr().out == "one\ntwo\n" and json.loads(file.read_text()) == content


def test_models_have_names_or_are_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b.pt").touch()
    assert named_models(["x.pt", "one=y.pt", "a=b.pt"]) == {"x.pt": "x.pt", "one": "y.pt", "a=b.pt": "a=b.pt"}
    with pytest.raises(XalignError, match="two models have the same name"):
        named_models(["one=x.pt", "one=y.pt"])


def test_recipes_are_told_by_the_names_of_today():
    root = Path(__file__).parents[2]
    pages = [*root.glob("*.md"), *(page for top in ("docs", "examples", "scripts") for page in (root / top).rglob("*"))]
    old = re.compile(
        r"xalign [\w-]+ [^`]*--(checkpoint|destdir)(?![\w-])|"
        r"xalign (sample|(im|ex)port-hf|u?n?trim|alignment-score) [\w\"$][^`]*--(out|text|pairs|data)\b"
    )
    for page in pages:
        if page.suffix in (".md", ".sh", ".sbatch", ".yaml") and page.name not in ("CHANGELOG.md", "report.md"):
            for line in page.read_text(encoding="utf-8").splitlines():
                if not line.startswith("| "):  # tables of what was run once
                    assert not old.search(line), f"{page}: {line}"
