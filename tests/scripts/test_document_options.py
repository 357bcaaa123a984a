"""The option tables of docs/ list the registered options."""

import argparse
import dataclasses
import re
from pathlib import Path

import xalign_fairseq
from xalign_fairseq.objectives.registry import OBJECTIVES

ROOT = Path(__file__).parents[2]


def test_the_reference_is_up_to_date_and_a_change_is_found_and_fixed(tmp_path, capsys, script, monkeypatch):
    from xalign_fairseq.criterions import weighted

    module = script("document_options")
    own = {name: each for name, each in OBJECTIVES.items() if each.__module__.startswith("xalign_fairseq.")}
    monkeypatch.setattr(module, "OBJECTIVES", own)
    shown = {name: objectives for name, objectives in weighted.PRESETS.items() if set(objectives) <= own.keys()}
    monkeypatch.setattr(weighted, "PRESETS", shown)

    def run(*arguments):
        return module.main([str(each) for each in arguments])

    assert run("--check") == 0, capsys.readouterr().err[-3000:]
    text = (ROOT / "docs/reference/objectives.md").read_text()
    row = "| `--dwa-unmasked-prob` | `0.15` |"
    assert row in text
    copy = tmp_path / "docs/reference/objectives.md"
    copy.parent.mkdir(parents=True)
    copy.write_text(text.replace(row, "| `--dwa-unmasked-prob` | `0.25` |"))
    assert run("--check", "--root", tmp_path) == 1
    assert "+| `--dwa-unmasked-prob` | `0.15` |" in capsys.readouterr().err
    assert run("--root", tmp_path) == 0
    assert copy.read_text() == text


def test_every_option_criterion_and_patch_is_in_the_reference():
    xalign_fairseq.register()
    from xalign_fairseq.criterions.weighted import WeightedConfig
    from xalign_fairseq.models.xalign import XalignModelConfig
    from xalign_fairseq.tasks.pretraining import XalignPretrainingConfig
    from xalign_fairseq.trainer import compat

    text = "\n".join(page.read_text() for page in (ROOT / "docs/reference").glob("*.md"))
    configs = {"": [XalignPretrainingConfig, XalignModelConfig, WeightedConfig]}
    for name, objective in OBJECTIVES.items():
        if objective.__module__.startswith("xalign_fairseq."):  # other tests register their own
            configs[f"{name}_"] = [objective]
            assert f"\n## `{name}`\n" in text and f"| `{name}` | `{name}` |" in text
    for prefix, classes in configs.items():
        for option in (option for cls in classes for option in dataclasses.fields(cls)):
            common = str(option.default).startswith("${")  # fairseq's own
            if option.init and not option.name.startswith("_") and option.name != "data" and not common:
                assert f"| `--{prefix}{option.name}` |".replace("_", "-") in text
    assert all(f"(`{unit}`)" in text for unit in compat.UNITS)


def test_every_command_has_a_page_with_every_option_that_its_help_shows():
    from xalign_fairseq.cli import build_parser

    (subparsers,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    table = (ROOT / "docs/reference/commands.md").read_text()
    assert {page.stem for page in (ROOT / "docs/reference/cli").glob("*.md")} == set(subparsers.choices)
    for name, parser in subparsers.choices.items():
        page = (ROOT / f"docs/reference/cli/{name}.md").read_text()
        assert page.startswith(f"# `xalign {name}`\n") and f"(cli/{name}.md)" in table
        cells = re.findall(r"^\| (`-.+?`) \| ", page, re.MULTILINE)
        told = {flag for cell in cells for flag in re.findall(r"`(-[^ `]+)", cell)}
        shown = (action for action in parser._actions if action.help != argparse.SUPPRESS and action.dest != "help")
        assert told == {flag for action in shown for flag in action.option_strings}, name
