"""The option tables of docs/ list the registered options."""

from pathlib import Path

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
