import json
import shlex

import pytest
import torch

from xalign_fairseq.cli import main
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.pointer import Pointer

METRICS = ("aer", "precision", "recall", "f1", "links")


@pytest.fixture
def layers(tiny_checkpoint, tiny_text):
    """Run ``xalign layers`` in this process; return the exit code."""

    def run(*options):
        texts = ["--pairs", tiny_text / "text.pairs", "--gold", tiny_text / "text.gold"]
        return main([str(part) for part in ("layers", "--model", tiny_checkpoint, *texts, *options)])

    return run


@pytest.fixture
def table_of(printed_json, tiny_checkpoint, tiny_text):
    """The parsed output of ``xalign layers --json``."""
    texts = ["--pairs", tiny_text / "text.pairs", "--gold", tiny_text / "text.gold"]
    return lambda *options: printed_json("layers", "--model", tiny_checkpoint, *texts, *options)


def test_every_entry_equals_the_output_of_align_and_score(table_of, tiny_checkpoint, tiny_text, tmp_path, capsys):
    methods = {
        "transport-argmax": ("--filter", "argmax"),
        "transport-union": ("--filter", "union"),
        "softmax": ("--method", "softmax", "--threshold", "0.01"),
    }
    options = ("--method", "transport", "softmax", "--filter", "argmax", "union", "--threshold", "0.01")
    table = table_of(*options, "--layer", 0, 1, "2-3")
    entries = [(row["layer"], row["encoding"], row["method"]) for row in table["rows"]]
    encodings = ("joint", "separate")
    assert entries == [(at, encoding, method) for at in (0, 1, [2, 3]) for encoding in encodings for method in methods]
    assert table["best"] == min(table["rows"], key=lambda row: row["aer"])
    for row in table["rows"]:
        links = tmp_path / "links"
        at = row["layer"] if isinstance(row["layer"], int) else "2,3"
        options = ["--layer", at, "--encoding", row["encoding"], *methods[row["method"]], "--out", links, "--quiet"]
        command = ["align", "--model", tiny_checkpoint, "--pairs", tiny_text / "text.pairs", *options]
        main([str(part) for part in command])
        main(["score", "--hyp", str(links), "--gold", str(tiny_text / "text.gold"), "--json"])
        scored = json.loads(capsys.readouterr().out)
        for metric in METRICS:
            assert row[metric] == pytest.approx(scored[metric]), metric
        encoding = "encoding:separate|" if row["encoding"] == "separate" else ""
        method = row["method"].split("-")[0]
        assert f"layer:{at}|{encoding}similarity:hidden|method:{method}|" in row["signature"]


def test_the_tables(layers, table_of, capsys):
    asked = ("--method", "transport", "--layer", "1", "-1", "--encoding", "joint", "--filter", "argmax")
    assert layers(*asked, "--quiet") == 0
    head, first, second, _, title, low, high, _, certainty, signature, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["AER", "P", "R", "F1", "links", "options"]
    assert title.split()[:2] == ["layer", "AER"] and (low.split()[0], high.split()[0]) == ("1", "3")
    assert float(first.split()[0]) <= float(second.split()[0])
    table = table_of(*asked)
    assert first.endswith(table["best"]["options"]) and second.endswith(table["runner_up"]["options"])
    assert f"p = {table['runner_up']['p_value']:.3f}" in certainty
    assert signature == table["best"]["signature"] and line == table["align"]
    assert layers(*asked, "--quiet", "--best", 1) == 0
    assert capsys.readouterr().out.splitlines()[1:3] == [first, ""]


LAYERS = "--layer 1 2 --average 2"


@pytest.mark.parametrize(
    ("own", "settings"),
    [
        (
            Linking("transport", {"filter": "union"}, (3,), "hidden", "separate"),
            [f"--method {methods} {LAYERS}" for methods in ("softmax argmax", "transport", "itermax")],
        ),
        (
            Linking.of(Transport(filter="union"), {"hidden": 2, "pointer": 3}, "pointer"),
            ["", "--method softmax transport --threshold 0.999 --layer 1"],  # the second reads hidden states
        ),
    ],
    ids=["hidden", "pointer"],
)
def test_the_line_to_paste_has_the_best_links(own, settings, printed_json, tiny_state, tiny_text, tmp_path, capsys):
    """The model's own labelling has no effect."""
    heads = {f"heads.dwa.pointer.{name}": torch.randn_like(x) for name, x in Pointer(16).state_dict().items()}
    labelled = {**tiny_state["task_state"], "labelling": own.state()}
    torch.save({**tiny_state, "model": {**tiny_state["model"], **heads}, "task_state": labelled}, tmp_path / "own.pt")
    texts = ["--pairs", tiny_text / "text.pairs"]
    for options in settings:
        asked = ["layers", "--model", tmp_path / "own.pt", *texts, "--gold", tiny_text / "text.gold", "--quiet"]
        found = printed_json(*asked, *options.split())
        line = shlex.split(found["align"])
        assert line[:2] == ["xalign", "align"]
        line = [*line[1 : line.index("--src")], *texts, "--out", tmp_path / "links", "--quiet"]
        assert main([str(part) for part in line]) == 0
        capsys.readouterr()
        main(["score", "--hyp", str(tmp_path / "links"), "--gold", str(tiny_text / "text.gold"), "--json"])
        scored = json.loads(capsys.readouterr().out)
        assert {metric: found["best"][metric] for metric in METRICS} == pytest.approx(
            {metric: scored[metric] for metric in METRICS}
        )


@pytest.fixture
def other_set(tiny_text, tmp_path):
    """The first ten pairs as a separate set."""
    files = []
    for name in ("text.en", "text.xx", "text.gold"):
        lines = (tiny_text / name).read_text().splitlines(keepends=True)[:10]
        (tmp_path / name).write_text("".join(lines))
        files.append(tmp_path / name)
    return files


def test_several_sets_count_the_same(layers, table_of, tiny_text, other_set, capsys):
    asked = ("--method", "argmax", "--layer", 1, 2, "--encoding", "separate")
    assert layers(*asked, "--set", *other_set) == 0
    assert "2 settings on 50 pairs of 2 sets" in capsys.readouterr().out
    both = table_of(*asked, "--set", *other_set)
    assert both["sets"] == {str(tiny_text / "text.gold"): 40, str(other_set[2]): 10}
    one = table_of(*asked)
    for row, of_one in zip(both["rows"], one["rows"], strict=True):
        aers = list(row["sets"].values())
        assert aers[0] == of_one["aer"] != aers[1] and row["aer"] == pytest.approx(sum(aers) / 2)


def test_selected_sets_and_incomplete_sets(tiny_checkpoint, tiny_text, other_set, tmp_path, capsys):
    def run(*options):
        asked = ["layers", "--model", tiny_checkpoint, "--layer", "1", "--method", "argmax", "--quiet", *options]
        return main([str(part) for part in asked]), capsys.readouterr().err

    assert run("--set", *other_set)[0] == 0
    status, told = run("--set", *other_set, "--set", *other_set)
    assert status == 2 and "given twice" in told
    for options in ((), ("--src", other_set[0], "--tgt", other_set[1])):
        status, told = run(*options)
        assert status == 2 and "no gold" in told
    status, told = run("--set", tiny_text / "text.en", tiny_text / "text.xx", other_set[2])
    assert status == 2 and "10 lines of links" in told


def test_bad_layers(layers, capsys):
    with pytest.raises(SystemExit):
        layers("--average", "0")
    assert "--average" in capsys.readouterr().err
