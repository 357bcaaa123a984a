import argparse
import gc
import sys
from contextlib import suppress

import pytest

from xalign_fairseq.cli import build_parser
from xalign_fairseq.cli._arguments import named_models, print_result, quick_imports
from xalign_fairseq.core.errors import XalignError


@pytest.fixture(scope="module")
def commands():
    """The parser of each command."""
    kind = argparse._SubParsersAction
    return next(action for action in build_parser()._actions if isinstance(action, kind)).choices


def test_common_options_have_the_same_names_in_every_command(commands):
    shown = {
        name: {flag: action for action in parser._actions for flag in action.option_strings}
        for name, parser in commands.items()
    }
    for name, options in shown.items():
        assert {"-q", "--quiet", "-v", "--verbose", "-h"} <= options.keys(), name
        assert not {"--checkpoint", "--destdir", "--output", "--output-dir"} & options.keys(), name
        assert "--json" not in options or options["--json"].nargs == 0, name
        # except train-aligner: fairseq-train takes all GPUs
        assert "--device" not in options or bool(options["--device"].choices) == (name == "train-aligner"), name
    with_method = {name for name, options in shown.items() if "--method" in options}
    # always how hidden states become links
    assert with_method == {"align", "bench", "filter", "layers", "project", "train-aligner"}


def test_every_command_has_examples_at_the_end_of_its_help(commands):
    for name, parser in commands.items():
        last = parser.format_help().rstrip().rpartition("\n\n")[2]
        assert last.startswith("Example") and f"xalign {name}" in last, name


@pytest.mark.parametrize("command", ["align", "score", "user-dir"])
def test_quiet_and_verbose_exclude_each_other(commands, command, capsys):
    with pytest.raises(SystemExit, match="2"):
        commands[command].parse_args(["-q", "-v"])
    assert "not allowed with argument" in capsys.readouterr().err


def test_models_have_names_or_are_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b.pt").touch()
    assert named_models(["x.pt", "one=y.pt", "a=b.pt"]) == {"x.pt": "x.pt", "one": "y.pt", "a=b.pt": "a=b.pt"}
    with pytest.raises(XalignError, match="two models have the same name"):
        named_models(["one=x.pt", "one=y.pt"])


def test_a_result_needs_an_open_standard_output(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(XalignError, match="standard output is closed"):
        print_result(False, None, ["a"])


@pytest.mark.parametrize("first", [True, False])
def test_only_the_first_import_of_torch_stops_garbage_collection(monkeypatch, first):
    monkeypatch.setattr(sys, "modules", {**sys.modules, "torch": None})
    if first:
        del sys.modules["torch"]
    kept = gc.get_freeze_count()
    with suppress(ImportError), quick_imports():
        assert gc.isenabled() is not first
        raise ImportError
    assert gc.isenabled()
    assert (gc.get_freeze_count() > kept) is first
    gc.unfreeze()
