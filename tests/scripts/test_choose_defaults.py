"""From what ``xalign layers`` writes to the record of a choice and the lines of the table of defaults."""

import json

import pytest

from xalign_fairseq.aligner.neural.defaults import FamilyEntry


@pytest.fixture
def choose(script):
    return script("choose_defaults")


def row(options, layer, encoding, aer):
    line = f"--method {options} --layer {layer} --encoding {encoding}"
    layer = int(layer) if layer.isdigit() else [6, 7]
    return {"options": line, "layer": layer, "encoding": encoding, "aer": aer, "sets": {"a": aer, "b": aer}}


TABLE = {
    "align": "xalign align ...", "runner_up": {"p_value": 0.4}, "sets": {"a": 3, "b": 4},
    "rows": [
        row("softmax --threshold 0.1", "7", "separate", 0.3), row("argmax", "7", "separate", 0.2),
        row("argmax", "6-7", "separate", 0.1), row("argmax", "3", "joint", 0.4),
        row("transport --filter argmax --mu 0.5", "7", "joint", 0.25),
    ],
}  # fmt: skip


def test_the_record_has_everything_best_first(choose, tmp_path):
    record = choose.compact("e5-small", TABLE, ["xalign", "layers", "a b"])
    choose.write(tmp_path / "new" / "record.json", record)
    read = json.loads((tmp_path / "new" / "record.json").read_text())
    assert read == record and record["command"] == "xalign layers 'a b'" and record["pairs"] == [3, 4]
    assert [each["aer"] for each in record["rows"]] == [0.1, 0.2, 0.25, 0.3, 0.4]
    assert record["rows"][2] == {
        "method": "transport", "options": {"filter": "argmax", "mu": 0.5}, "layers": [7], "encoding": "joint",
        "aer": 0.25, "sets": [0.25, 0.25],
    }  # fmt: skip
    assert len((tmp_path / "new" / "record.json").read_text().splitlines()) < 50


def test_the_best_of_each_method_and_encoding_as_lines_of_the_table(choose):
    lines = choose.entries(choose.compact("x", TABLE, []))
    found = [eval(line.split(",  #")[0], {"FamilyEntry": FamilyEntry}) for line in lines]
    assert found == [
        FamilyEntry("argmax", (6, 7), "separate"),
        FamilyEntry("transport", (7,), "joint", {"filter": "argmax", "mu": 0.5}),
        FamilyEntry("softmax", (7,), "separate", {"threshold": 0.1}), FamilyEntry("argmax", (3,), "joint"),
    ]  # fmt: skip
    assert [line.split("# ")[1] for line in lines] == ["10.00", "25.00", "30.00", "40.00"]


def test_no_test_set_chooses(choose):
    assert len(set(choose.SETS)) == len(choose.SETS) == 16
    assert not [stem for stem in choose.SETS if "test" in stem]
    assert not [word for word in choose.command("e5-small") if "test" in word]


@pytest.mark.parametrize("options", [("--gold",), ("--test",)])
def test_from_the_command_to_the_file(options, choose, tmp_path, monkeypatch):
    """What the commands write is made up here; they have tests of their own."""
    ran = []

    def run(words, folder):
        ran.append((words[:4], folder))
        if words[1] == "layers":
            (tmp_path / words[-1]).write_text(json.dumps(TABLE))
        else:
            (tmp_path / words[-1]).write_text("0-0\n")

    monkeypatch.setattr(choose, "run", run)
    for stem in choose.TEST_SETS:
        (tmp_path / f"{stem}.gold").write_text("0-0 1-1\n")
    command = ["choose_defaults.py", "some/e5-small", *options, str(tmp_path), "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", command)
    assert choose.main() == 0
    assert {tuple(words[2:]) for words, _ in ran} == {("--model", "some/e5-small")}
    assert {folder for _, folder in ran} == {tmp_path}
    if options == ("--gold",):
        assert json.loads((tmp_path / "defaults-e5-small.json").read_text())["rows"][0]["aer"] == 0.1
    else:
        record = json.loads((tmp_path / "defaults-e5-small-test.json").read_text())
        assert len(ran) == 4 and record["mean"] == pytest.approx(1 / 3, abs=1e-5)
