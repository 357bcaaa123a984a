import json
import shutil

import pytest

from xalign_fairseq.cli import main
from xalign_fairseq.cli.bench import figures_of, table_of
from xalign_fairseq.core.locks import locked_output
from xalign_fairseq.evaluation.published import PublishedTables, find_published, read_published

SETS = {"one/de-en": ("0-0 1p1\n0-1 1-0\n", 2), "two/en-xx": ("0-0 1-1\n0-0\n1-0\n", 3)}


@pytest.fixture
def data(tmp_path):
    """Two sets with two words per side."""
    for name, (gold, pairs) in SETS.items():
        stem = tmp_path / "gold" / name
        stem.parent.mkdir(parents=True)
        src, tgt = stem.name.split("-")
        stem.with_name(f"{stem.name}.gold").write_text(gold)
        for side in (src, tgt):
            stem.with_name(f"{stem.name}.{side}").write_text("the house\n" * pairs)
    return tmp_path / "gold"


@pytest.fixture
def links(data, tmp_path):
    """A function that writes a tool's links for both sets."""

    def write(name, one, two):
        for stem, text in zip(SETS, (one, two), strict=True):
            path = tmp_path / name / f"{stem}.links"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return ["--links", f"{name}={tmp_path / name}"]

    return write


def bench(*arguments):
    return main(["bench", *map(str, arguments)])


def test_one_process_at_a_time_writes_a_table(data, links, tmp_path, capsys):
    tool, out = links("tool", "0-0\n0-1 0-0\n", "0-0 1-1\n\n0-0\n"), tmp_path / "table.md"
    with locked_output(out):
        assert bench("--data", data, *tool, "--out", out, "--quiet") == 2
    assert "another process is writing this" in capsys.readouterr().err and not out.exists()
    assert bench("--data", data, *tool, "--out", out, "--quiet") == 0
    assert out.exists() and not out.with_name("table.md.lock").exists()


def test_figures_are_those_of_score(data, links, tmp_path, capsys):
    assert bench("--data", data, *links("tool", "0-0\n0-1 0-0\n", "0-0 1-1\n\n0-0\n"), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    [row] = found["systems"]
    for each in row["sets"]:
        files = ["--hyp", f"{tmp_path}/tool/{each['set']}.links", "--gold", f"{data}/{each['set']}.gold"]
        main(["score", *files, "--json", "--bootstrap", "1000"])
        alone = json.loads(capsys.readouterr().out)
        assert {name: each[name] for name in ("aer", "precision", "recall", "f1", "interval")} == {
            name: alone[name] for name in ("aer", "precision", "recall", "f1", "interval")
        }
    assert row["aer"] == pytest.approx(sum(each["aer"] for each in row["sets"]) / 2) and "p_value" not in row
    assert [each["pairs"] for each in found["data"]] == [2, 3]
    for each in found["data"]:
        assert f"{each['set']}=sha256-{each['sha256']}" in row["signature"]
    assert "|system:tool|" in row["signature"] and row["signature"].rpartition("|")[2].startswith("version:")


def test_systems_are_listed_side_by_side(data, links, capsys):
    right = links("right", "0-0\n0-1 1-0\n", "0-0 1-1\n0-0\n1-0\n")
    assert bench("--data", data, *right, *links("wrong", "1-0\n0-0 1-1\n", "0-1\n1-1\n0-1\n")) == 0
    table = capsys.readouterr().out.split("\n\n")[1:]
    lines = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in table[0].splitlines()]
    assert lines[0] == ["system", "one/de-en", "two/en-xx", "mean", "95 %", "P", "R", "p"]
    assert lines[2][:4] == ["right", "0.0", "0.0", "0.0"] and lines[3][:4] == ["wrong", *["100.0"] * 3]
    assert [line.split(":")[0].strip() for line in table[2].splitlines()] == ["right", "wrong"]


def test_a_note_lists_the_differences_and_signatures_can_be_copied():
    row = {"system": "a", "interval": (0, 1), "sets": [], "aer": 0.5, "precision": 1, "recall": 1}
    row["signature"] = "layer:1|method:grow"
    other = row | {"system": "b", "signature": "layer:2|encoding:separate|method:grow"}
    text = table_of([row, other, row | {"signature": "system:tool"}]).to_markdown()
    assert "The systems differ in layer, encoding:" in text
    assert "    b: layer:2|encoding:separate|method:grow" in text.splitlines()
    assert "differ" not in table_of([row, row]).to_markdown()


def test_a_model_by_several_methods(tiny_checkpoint, tiny_text, tmp_path, capsys):
    data = tmp_path / "gold"
    data.mkdir()
    for ending in ("en", "xx", "gold"):
        shutil.copy(tiny_text / f"text.{ending}", data / f"en-xx.{ending}")
    own = ["--data", data, "--model", f"tiny={tiny_checkpoint}", "--device", "cpu", "--dtype", "float32"]
    assert bench(*own, "--method", "own", "itermax", "--json") == 0
    captured = capsys.readouterr()
    rows = json.loads(captured.out)["systems"]
    assert [row["system"] for row in rows] == ["tiny, own", "tiny, itermax"] and captured.err == ""
    assert "|layer:1|" in rows[0]["signature"] and "|method:transport|" in rows[0]["signature"]
    assert "|method:itermax|" in rows[1]["signature"] and 0 < rows[1]["p_value"] <= 1
    out = tmp_path / "align.links"
    text = ["--src", data / "en-xx.en", "--tgt", data / "en-xx.xx", "--out", out, "--dtype", "float32"]
    main(["align", "--model", str(tiny_checkpoint), *map(str, text)])
    capsys.readouterr()
    main(["score", "--hyp", str(out), "--gold", str(data / "en-xx.gold"), "--json"])
    assert json.loads(capsys.readouterr().out)["aer"] == rows[0]["aer"]


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda data: [path.unlink() for path in data.rglob("*.gold")], "no test set"),
        (lambda data: (data / "one/de-en.en").unlink(), "does not exist"),
        (lambda data: (data / "one/de-en.gold").rename(data / "one/mine.gold"), "not in its name"),
        (lambda data: (data / "one/de-en.gold").write_text("0-7\n\n"), "de-en.gold"),
        (lambda data: (data / "one/de-en.gold").write_text("\n\n"), "the gold file has no link"),
    ],
)
def test_sets_that_are_none(data, links, capsys, spoil, what):
    tool = links("tool", "0-0\n\n", "0-0\n\n1-0\n")
    spoil(data)
    assert bench("--data", data, *tool) == 2
    assert what in capsys.readouterr().err


def test_links_that_do_not_fit_and_names_given_twice(data, links, tmp_path, capsys):
    """A missing model is reported before any model aligns."""
    assert bench("--data", data, "--model", tmp_path / "absent.pt", *links("short", "0-0\n", "0-0\n\n1-0\n")) == 2
    assert "short/one/de-en.links" in capsys.readouterr().err
    assert bench("--data", data, *links("ones", "0-0\n\n", "\n1-1\n\n")) == 2
    told = capsys.readouterr().err
    assert "looks 1-based" in told and "ones/two/en-xx.links" in told
    tool = links("tool", "0-0\n\n", "0-0\n\n1-0\n")
    assert bench("--data", data, *tool, *tool) == 2
    assert "same name" in capsys.readouterr().err
    assert bench("--data", data, *tool, "--model", "tool=e5-small") == 2
    told = capsys.readouterr().err
    assert "a model and links have the same name" in told and "where: --model, --links\n" in told


def test_errors_are_reported_before_the_first_model_aligns(data, tiny_checkpoint, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("xalign_fairseq.aligner.benchmark._align_sets", lambda *given: pytest.fail("the work began"))
    assert bench("--data", data, *(("--model", tiny_checkpoint, tmp_path / "absent.pt"))) == 2
    assert "absent.pt" in capsys.readouterr().err
    assert bench("--data", data, "--model", tiny_checkpoint, "--method", "argmax", "argmax") == 2
    told = capsys.readouterr().err
    assert "a method is given twice" in told and "where: --method\n" in told
    (tmp_path / "file").touch()
    assert bench("--data", data, "--model", tiny_checkpoint, "--out", tmp_path / "file/t.md") == 2
    assert "folder is a file" in capsys.readouterr().err


def test_the_papers_aer_is_next_to_ours(data, links, capsys, tmp_path):
    tool = links("tool", "0-0\n0-1 0-0\n", "0-0 1-1\n\n0-0\n")
    paper = tmp_path / "published.tsv"
    paper.write_text("table\trow\tcolumn\tmetric\tvalue\n2\tTheirs\tde-en\talignment aer\t17.74\n")
    assert bench("--data", data, *tool, "--paper", paper, "--row", "tool=Theirs") == 0
    shown = capsys.readouterr().out
    own = json.loads((bench("--data", data, *tool, "--json"), capsys.readouterr().out)[1])["systems"][0]
    aer = {each["set"]: 100 * each["aer"] for each in own["sets"]}["one/de-en"]
    [line] = [line for line in shown.splitlines() if line.startswith("| tool less Theirs")]
    assert float(line.split("|")[2].replace("−", "-")) == pytest.approx(aer - 17.74, abs=0.06)
    assert bench("--data", data, *tool, "--paper", "ppa") == 2  # before anything is scored: it reports no AER


def test_two_sets_of_a_pair_are_compared_by_size():
    system = {"system": "x", "aer": 0.15, "sets": [{"aer": 0.1}, {"aer": 0.2}]}
    found = figures_of(
        {"data": [{"set": "a/en-fr", "pairs": 447}, {"set": "b/en-fr", "pairs": 9}], "systems": [system]}
    )
    table = PublishedTables(read_published(find_published("xlm_align")), {"x": "fast_align"}).tables(found)[0]
    [row] = [row for row in table.rows if row[0] == "x less fast_align"]
    assert row[table.columns.index("en-fr")] == "−9.5" and row[table.columns.index("mean")] == ""
