"""Results files become tables in the documents; what is wrong in either is named."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = "examples/xlm_align/small/details.md"


def run(*arguments):
    """The script in its own process."""
    script = str(ROOT / "scripts/compile_results.py")
    return subprocess.run([sys.executable, script, *map(str, arguments)], capture_output=True, text=True)


def row(similarity, layer, method, aer):
    return {"similarity": similarity, "layer": layer, "method": method, "aer": aer, "precision": 0.7, "recall": 0.6}


def record(name, aer, pairs=("ro-en",)):
    """A run as evaluate.py writes it: three layers, two methods, and a pointer."""
    every = [row("hidden", layer, method, aer + 0.01 * layer) for layer in range(3) for method in ("argmax", "union")]
    every.append(row("pointer", 2, "argmax", aer + 0.2))
    scores = {
        **row("hidden", 1, "argmax", aer), "f1": 0.65, "links": 1000, "signature": "base:hyp0,gold0|layer:1|version:0",
        "interval": [aer - 0.02, aer + 0.02], "chosen_on": "silver links", "dev_aer": 0.2, "all": every,
        "eflomal": {"aer": 0.3083, "precision": 0.8036, "recall": 0.6072, "f1": 0.6917, "links": 3803},
    }  # fmt: skip
    return {
        "name": name, "setting": name, "command": "bash 3_train.sh D S links ", "commit": "abc1234", "seed": 1,
        "updates": 6000, "tokens": 25_000_000, "minutes": 61.4, "checkpoint": "checkpoint_last.pt",
        "machine": "x86_64 CPU, one thread", "pairs": {pair: scores for pair in pairs},
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """The documents of this repository with no results yet."""
    (tmp_path / "examples/xlm_align/small/results").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "README.md", tmp_path)
    shutil.copy(ROOT / "docs/results.md", tmp_path / "docs")
    for study in ("transfer", "transfer/small"):
        (tmp_path / "examples" / study / "studies").mkdir(parents=True)
    (tmp_path / "examples/small").mkdir()
    (tmp_path / "examples/small/report.py").touch()
    studies = ("xlm_align", "xlm_align/small", "transfer", "small")
    for page in (PAGE, *(f"examples/{study}/README.md" for study in studies)):
        shutil.copy(ROOT / page, tmp_path / page)
    assert run("--root", tmp_path).returncode == 0
    return tmp_path


def add(folder, name, content):
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / f"examples/xlm_align/small/results/{name}.json").write_text(text)


def part(text, name):
    """The lines that were written for a marker."""
    return text.split(f"<!-- results:xlm_align/small/{name} -->\n")[1].split("\n<!-- end -->")[0].split("\n")


def test_the_documents_of_this_repository_are_up_to_date():
    done = run("--check")
    assert done.returncode == 0, done.stderr


def test_without_results_the_tables_say_so(folder):
    assert part((folder / "docs/results.md").read_text(), "summary") == ["No results yet."]
    assert part((folder / PAGE).read_text(), "layers") == ["No results yet."]


def test_tables_hold_the_figures_of_all_runs_and_pairs(folder):
    add(folder, "both", record("both", 0.25, ("ro-en", "en-fr")))
    add(folder, "one", record("one", 0.4))
    assert run("--root", folder, "--check").returncode == 1
    assert part((folder / "docs/results.md").read_text(), "summary") == ["No results yet."]  # a check writes nothing
    assert run("--root", folder).returncode == 0
    assert part((folder / "docs/results.md").read_text(), "summary") == [
        "| run | tokens | minutes | ro-en | en-fr | mean |",
        "| --- | --- | --- | --- | --- | --- |",
        "| eflomal |  |  | 30.8 | 30.8 | 30.8 |",
        "| both | 25.0M | 61 | 25.0 | 25.0 | 25.0 |",
        "| one | 25.0M | 61 | 40.0 |  |  |",
    ]
    text = (folder / PAGE).read_text()
    assert part(text, "scores")[3] == (
        "| ro-en | both | 25.00 | 23.00 to 27.00 | 70.00 | 60.00 | 65.00 | hidden | 1 | argmax | silver links | 20.00 |"
    )
    assert part(text, "layers")[0] == "| pair | run | layer 0 | layer 1 | layer 2 | pointer |"
    assert part(text, "layers")[3] == "| ro-en | one | 40.0 | 41.0 | 42.0 | 60.0 |"
    assert part(text, "filters")[2] == "| ro-en | both | 26.0 / 70.0 / 60.0 | 26.0 / 70.0 / 60.0 |"
    assert "`bash 3_train.sh D S links`" in part(text, "runs")[2] and "| abc1234 |" in part(text, "runs")[2]
    assert part(text, "signatures")[2] == "| both | ro-en | `base:hyp0,gold0\\|layer:1\\|version:0` |"
    assert run("--root", folder, "--check").returncode == 0
    before = text
    assert run("--root", folder).stdout == "" and (folder / PAGE).read_text() == before


def test_ablations_have_a_table_of_their_own_against_their_base(folder):
    for name, aer in (("ablation-base", 0.4), ("ablation-no-tlm", 0.45), ("ablation-joint", 0.38), ("links", 0.3)):
        add(folder, name, record(name, aer))
    assert run("--root", folder).returncode == 0
    assert [line.split(" | ")[0] for line in part((folder / "docs/results.md").read_text(), "summary")[2:]] == [
        "| eflomal",
        "| links",
    ]
    text = (folder / PAGE).read_text()
    assert [line.split(" | ")[1:5] for line in part(text, "ablations")[2:]] == [
        ["base", "40.0", "38.0 to 42.0", "+0.0"],
        ["joint", "38.0", "36.0 to 40.0", "-2.0"],
        ["no-tlm", "45.0", "43.0 to 47.0", "+5.0"],
    ]
    assert "ablation" not in "".join(part(text, "layers")) and len(part(text, "runs")) == 2 + 4


def test_prose_around_the_tables_stays(folder):
    document, marker = folder / PAGE, "<!-- results:xlm_align/small/scores -->"
    before = document.read_text().split(marker)
    document.write_text(f"{before[0]}Findings.\n\n{marker}{before[1]}")
    add(folder, "one", record("one", 0.4))
    assert run("--root", folder).returncode == 0
    text = document.read_text()
    assert text.startswith(before[0] + "Findings.\n") and "AER / precision / recall of each" in text


def test_a_picture_is_drawn_and_linked(folder):
    pytest.importorskip("matplotlib")
    add(folder, "both", record("both", 0.25, ("ro-en", "en-fr")))
    done = run("--root", folder, "--plot")
    assert done.returncode == 0, done.stderr
    assert (folder / "examples/xlm_align/small/results/aer-layers.png").read_bytes().startswith(b"\x89PNG")
    assert "](results/aer-layers.png)" in part((folder / "examples/xlm_align/small/README.md").read_text(), "plot")[0]


def test_the_picture_has_the_pointer_beside_the_layers(script, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    compile_results = script("compile_results")
    figures = []
    monkeypatch.setattr("xalign_fairseq.evaluation.plots.figure.save", lambda figure, path: figures.append(figure))
    bare = record("bare", 0.5)
    bare["pairs"]["ro-en"]["all"].pop()  # the pointer's row
    compile_results.draw([record("both", 0.25), bare], tmp_path / "picture.png")
    _, both, mark, other = figures[0].axes[0].get_lines()
    assert (both.get_label(), other.get_label()) == ("both", "bare")
    assert both.get_xydata().tolist() == [[0, 25.0], [1, 26.0], [2, 27.0]]
    assert mark.get_xydata().tolist() == [[2, 45.0]] and mark.get_color() == both.get_color()
    labels = [text.get_text() for text in figures[0].legends[0].get_texts()]
    assert labels == ["eflomal", "both", "bare", "hollow: the pointer, at its layer"]
    compile_results.draw([bare], tmp_path / "picture.png")
    assert len(figures[1].axes[0].get_lines()) == 2 and len(figures[1].legends[0].get_texts()) == 2


def without(record, *path):
    *head, last = path
    place = record
    for key in head:
        place = place[key]
    del place[last]
    return record


MALFORMED = [
    ("{", "not JSON", "one.json"),
    ("[]", "the whole file", "an object"),
    (without(record("one", 0.4), "minutes"), "one.json: minutes", "a number"),
    (without(record("one", 0.4), "pairs", "ro-en", "eflomal", "aer"), "pairs.ro-en.eflomal.aer", "a fraction"),
    ({**record("one", 0.4), "seed": "1"}, "one.json: seed", "a whole number"),
    ({**record("one", 0.4), "pairs": {}}, "one.json: pairs", "{}"),
    (record("one", 40.0), "pairs.ro-en.aer", "40.0"),
]


@pytest.mark.parametrize(("content", "place", "more"), MALFORMED, ids=[str(case[1]) for case in MALFORMED])
def test_a_malformed_results_file_is_named_and_nothing_is_written(folder, content, place, more):
    add(folder, "one", content)
    before = (folder / "docs/results.md").read_text()
    done = run("--root", folder)
    assert done.returncode == 2
    assert place in done.stderr and more in done.stderr and "Traceback" not in done.stderr
    assert (folder / "docs/results.md").read_text() == before


@pytest.mark.parametrize(("old", "new", "words"), [
    ("<!-- results:xlm_align/small/summary -->\n", "", ["no place for results", "results:xlm_align/small/summary -->"]),
    ("results:xlm_align/small/summary", "results:xlm_align/small/sumary", ["xlm_align/small/summary"]),
    ("<!-- end -->", "", ["has no end", "results.md, line"]),
])  # fmt: skip
def test_a_missing_marker_is_named_and_nothing_is_written(folder, old, new, words):
    add(folder, "one", record("one", 0.4))
    document = folder / "docs/results.md"
    document.write_text(document.read_text().replace(old, new))
    before = [document.read_text(), (folder / PAGE).read_text()]
    done = run("--root", folder)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert [document.read_text(), (folder / PAGE).read_text()] == before


def test_an_unknown_table_is_an_error(folder):
    document = folder / "docs/results.md"
    document.write_text(document.read_text() + "\n<!-- results:xlm_align/small/speed -->\n<!-- end -->\n")
    done = run("--root", folder)
    assert done.returncode == 2 and "results:xlm_align/small/speed" in done.stderr and "summary" in done.stderr


def test_a_study_has_a_table_for_each_heading_of_its_report(folder):
    page = folder / "examples/transfer/README.md"
    page.write_text("<!-- results:transfer/pos-trained-on-en -->\n<!-- end -->\n")
    assert run("--root", folder).returncode == 0
    assert "No results yet." in page.read_text()
    report = folder / "examples/transfer/results/report/report.md"
    report.parent.mkdir(parents=True)
    (folder / "docs/results.md").write_text("# none\n")
    report.write_text("# Zero-shot\n\nWhat.\n\n## Overall\n\n| a |\n\n## POS, trained on en\n\n| b |\n\nNote.\n")
    assert run("--root", folder).returncode == 0
    assert page.read_text() == "<!-- results:transfer/pos-trained-on-en -->\n| b |\n\nNote.\n<!-- end -->\n"
    page.write_text("<!-- results:transfer/nothing -->\n<!-- end -->\n")
    done = run("--root", folder)
    assert done.returncode == 2
    assert "overall, pos-trained-on-en" in done.stderr


def test_a_page_may_show_a_table_of_another_folders_study(folder):
    page = folder / "examples/weam/details.md"
    page.parent.mkdir()
    page.write_text("<!-- results:small/weam -->\n<!-- end -->\n")
    assert run("--root", folder).returncode == 0
    assert "No results yet." in page.read_text()
    report = folder / "examples/small/results/report/report.md"
    report.parent.mkdir(parents=True)
    report.write_text("# Study\n\n## Summary\n\n| a |\n\n## WEAM\n\n| b |\n\n| c |\n")
    assert run("--root", folder, "--check").returncode == 1
    assert run("--root", folder).returncode == 0
    assert page.read_text() == "<!-- results:small/weam -->\n| b |\n\n| c |\n<!-- end -->\n"
    assert "| a |" in (folder / "examples/small/README.md").read_text()
    report.with_name("page.md").write_text("<!-- results:small/nothing -->\n")  # of the study's own scripts, no page
    assert run("--root", folder).returncode == 0
    page.write_text("<!-- results:weam/summary -->\n<!-- end -->\n")  # a folder without a study
    assert run("--root", folder).returncode == 2


@pytest.mark.parametrize("name", ["aligner", "machine/aligner"])
def test_a_benchmark_has_its_table(folder, name):
    readme = folder / "README.md"
    readme.write_text(f"{readme.read_text()}\n<!-- results:benchmarks/{name} -->\n<!-- end -->\n")
    assert run("--root", folder).returncode == 0
    assert readme.read_text().endswith(f"<!-- results:benchmarks/{name} -->\nNo results yet.\n<!-- end -->\n")
    measured = folder / f"scripts/results/{name}.md"
    measured.parent.mkdir(parents=True)
    measured.write_text("| tool |\n\n- cpu: one core\n")
    assert run("--root", folder, "--check").returncode == 1
    assert run("--root", folder).returncode == 0
    assert readme.read_text().endswith("| tool |\n\n- cpu: one core\n<!-- end -->\n")
