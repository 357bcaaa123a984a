import json

import pytest
import torch

from xalign_fairseq.cli import main
from xalign_fairseq.encoder.mappings import LanguageMaps

METRICS = ("aer", "precision", "recall", "f1", "links")


@pytest.fixture
def layers(tiny_checkpoint, tiny_text):
    """Run ``xalign layers`` in this process; the exit code."""

    def run(*options, gold=tiny_text / "text.gold"):
        texts = ["--pairs", tiny_text / "text.pairs", "--gold", gold]
        return main([str(part) for part in ("layers", "--checkpoint", tiny_checkpoint, *texts, *options)])

    return run


def test_every_entry_is_what_align_and_score_give(layers, tiny_checkpoint, tiny_text, tmp_path, capsys):
    methods = {
        "transport-argmax": ("--filter", "argmax"),
        "transport-union": ("--filter", "union"),
        "softmax": ("--method", "softmax", "--threshold", "0.01", "--encoding", "joint"),
    }
    options = ("--method", "transport", "softmax", "--filter", "argmax", "union", "--threshold", "0.01")
    assert layers(*options, "--json", tmp_path / "table.json") == 0
    table = json.loads((tmp_path / "table.json").read_text())
    entries = [(row["layer"], row["method"]) for row in table["rows"]]
    assert entries == [(layer, method) for layer in range(4) for method in methods]
    assert table["best"] == min(table["rows"], key=lambda row: row["aer"])
    capsys.readouterr()
    for row in table["rows"]:
        links = tmp_path / "links"
        options = ["--layer", row["layer"], *methods[row["method"]], "--out", links, "--quiet"]
        command = ["align", "--checkpoint", tiny_checkpoint, "--pairs", tiny_text / "text.pairs", *options]
        main([str(part) for part in command])
        main(["score", "--hyp", str(links), "--gold", str(tiny_text / "text.gold"), "--json"])
        scored = json.loads(capsys.readouterr().out)
        for metric in METRICS:
            assert row[metric] == pytest.approx(scored[metric]), metric
        assert f"layer:{row['layer']}|similarity:hidden|method:{row['method'].split('-')[0]}|" in row["signature"]


def test_options_that_no_method_has(layers, capsys):
    assert layers("--method", "argmax", "softmax", "--mu", "0.5") == 2
    assert "has use for an option" in capsys.readouterr().err


def test_the_table(layers, capsys):
    assert layers("--layer", "1", "-1", "--filter", "argmax", "--quiet") == 0
    head, first, second, signature = capsys.readouterr().out.splitlines()
    assert head.split() == ["layer", "method", "AER", "P", "R", "F1", "links"]
    assert (first.split()[0], second.split()[0]) == ("1", "3")
    [best] = [line for line in (first, second) if line.endswith("*")]
    assert float(best.split()[2]) == min(float(line.split()[2]) for line in (first, second))
    assert f"layer:{best.split()[0]}|" in signature


def test_a_plot(layers, tmp_path):
    pytest.importorskip("matplotlib")
    assert layers("--plot", tmp_path / "layers.png") == 0
    assert (tmp_path / "layers.png").read_bytes().startswith(b"\x89PNG")


def test_bad_gold_and_bad_layers(layers, tiny_text, tmp_path, capsys):
    assert layers("--layer", "9") == 2
    assert "no such layer" in capsys.readouterr().err
    lines = (tiny_text / "text.gold").read_text().splitlines()
    (tmp_path / "short").write_text("\n".join(lines[:-1]))
    assert layers(gold=tmp_path / "short") == 2
    assert "39 lines of links" in capsys.readouterr().err
    raised = [
        " ".join(f"{int(i) + 1}-{int(j) + 1}" for i, j in (x.replace("p", "-").split("-") for x in line.split()))
        for line in lines
    ]
    (tmp_path / "raised").write_text("\n".join(raised))
    assert layers(gold=tmp_path / "raised") == 2
    assert "looks 1-based" in capsys.readouterr().err


def test_the_signature_tells_separate_encoding_and_maps(layers, tiny_state, tiny_text, tmp_path, capsys):
    assert layers("--layer", 1, "--filter", "argmax", "--encoding", "separate", "--quiet") == 0
    separate = capsys.readouterr().out
    assert "|layer:1|encoding:separate|similarity:hidden|" in separate
    maps = LanguageMaps(["xx"], "en", 3, 16)
    heads = {f"heads.linear_mapping.{key}": value for key, value in maps.state_dict().items()}
    torch.save({**tiny_state, "model": tiny_state["model"] | heads}, tmp_path / "mapped.pt")
    texts = ["--pairs", tiny_text / "text.pairs", "--gold", tiny_text / "text.gold", "--maps", "en-xx"]
    command = ["layers", "--checkpoint", tmp_path / "mapped.pt", *texts, "--layer", 1, "--filter", "argmax", "--quiet"]
    assert main([str(part) for part in command]) == 0
    mapped = capsys.readouterr().out
    assert "|encoding:separate|maps:en-xx|" in mapped
    assert mapped.splitlines()[1] == separate.splitlines()[1]  # of identities


@pytest.mark.parametrize(
    ("options", "told"),
    [(("--maps", "en-xx"), "no linear maps"), (("--encoding", "separate", "--similarity", "pointer"), "no pointer")],
)
def test_what_the_checkpoint_lacks(options, told, layers, capsys):
    assert layers(*options) == 2
    assert told in capsys.readouterr().err


def test_maps_are_named_by_two_languages(layers, capsys):
    with pytest.raises(SystemExit):
        layers("--maps", "de")
    assert "two languages" in capsys.readouterr().err
