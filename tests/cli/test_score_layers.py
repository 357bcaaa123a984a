"""``xalign score --plot``: AER over the layers of several checkpoints."""

import json

import pytest

pytest.importorskip("matplotlib")

from xalign_fairseq.cli import main


@pytest.fixture
def tables(tmp_path):
    """Two files as ``xalign layers --json`` writes them: of one method, and of two."""
    for name, best in (("xlmr", {"argmax": 8}), ("ours", {"argmax": 7, "itermax": 9})):
        rows = [
            {"layer": layer, "method": method, "aer": 0.2 + abs(layer - low) / 100}
            for layer in range(13)
            for method, low in best.items()
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps({"rows": rows}))
    return tmp_path


def score(*options):
    return main(["score", *map(str, options)])


def test_curves_of_several_checkpoints(tables, capsys):
    names = (f"XLM-R={tables}/xlmr.json", f"ours={tables}/ours.json")
    assert score("--plot", tables / "new" / "p.svg", "--layers", *names) == 0
    assert b"<svg" in (tables / "new" / "p.svg").read_bytes()[:500]
    assert capsys.readouterr().out.splitlines() == [
        "XLM-R           20.00 at layer 8",
        "ours, argmax    20.00 at layer 7",
        "ours, itermax   20.00 at layer 9",
    ]
    assert score("--plot", tables / "p.svg", "--layers", *names, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {name: best["layer"] for name, best in found.items()} == {"XLM-R": 8, "ours, argmax": 7, "ours, itermax": 9}


def test_what_xalign_layers_writes_can_be_drawn(tiny_checkpoint, tiny_text, printed_json, tmp_path):
    text = ("--src", tiny_text / "text.en", "--tgt", tiny_text / "text.xx", "--gold", tiny_text / "text.gold")
    table = printed_json("layers", "--model", tiny_checkpoint, *text, "--quiet")
    (tmp_path / "table.json").write_text(json.dumps(table))
    assert score("--plot", tmp_path / "p.png", "--layers", f"tiny={tmp_path}/table.json") == 0
    assert (tmp_path / "p.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--plot", "p.png"), "--layers NAME=JSON"),
        (("--layers", "a={}/xlmr.json"), "--plot FILE"),
        (("--layers", "a={}/xlmr.json", "--plot", "p.png", "--hyp", "x"), "not links"),
        (("--layers", "a={}/xlmr.json", "--plot", "p.png", "--bootstrap", "9", "--src", "x"), "--src, --bootstrap"),
        (("--layers", "a={}/xlmr.json", "a={}/xlmr.json", "--plot", "p.png"), "same name"),
        (("--layers", "a={}/none.json", "--plot", "p.png"), "none.json"),
        (("--layers", "a={}/xlmr.json", "--plot", "{}/p.xyz"), "unknown picture format"),
        (("--hyp", "x"), "--gold"),
        ((), "--hyp"),
    ],
)
def test_bad_requests(tables, options, message, capsys):
    assert score(*(option.format(tables) for option in options)) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "not JSON"),
        ("[]", "Expected `object`"),
        ('{"rows": [{"layer": 1}]}', "what xalign layers wrote"),
        ('{"rows": []}', "what xalign layers wrote"),
        ('{"rows": [{"layer": 1, "method": "m", "aer": NaN}]}', "xalign layers"),
        ('{"rows": [{"layer": 1, "method": "m", "aer": "x"}]}', "what xalign layers wrote"),
        ("\xff", "not JSON"),
    ],
)
def test_a_file_that_xalign_layers_did_not_write(content, message, tables, capsys):
    (tables / "bad.json").write_text(content, encoding="latin-1")
    assert score("--layers", f"a={tables}/bad.json", "--plot", tables / "p.png") == 2
    error = capsys.readouterr().err
    assert message in error and "bad.json" in error
    assert not (tables / "p.png").exists()


def test_a_file_without_a_name(tables, capsys):
    with pytest.raises(SystemExit):
        score("--layers", f"{tables}/xlmr.json", "--plot", "p.png")
    assert "NAME=FILE" in capsys.readouterr().err
