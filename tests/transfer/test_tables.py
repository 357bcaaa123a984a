import re

import pytest

from xalign_fairseq.evaluation.tables import latex_file
from xalign_fairseq.transfer.report import make_report
from xalign_fairseq.transfer.tables import make_tables, to_markdown


@pytest.fixture
def study(write_run, right, tmp_path):
    for name, more in (("none", 0), ("tlm_b&c", 30)):
        for seed, luck in ((12, 0), (156, 2)):
            hits = {"en": 85 - more // 2, "ar": 30 + luck, "de": 40 + more}
            write_run(name, {each: right(count, 100, seed=luck) for each, count in hits.items()}, seed=seed)
    return tmp_path


def table(report, title):
    [found] = [each for each in make_tables(report) if each.title.startswith(title)]
    return found


def test_an_average_without_deviation_gives_the_reason(write_run, right, tmp_path):
    """A missing run: each task has several, but with different seeds."""
    for task, seeds in (("xnli", (12, 156, 78)), ("pawsx", (12, 156))):
        for seed in seeds:
            write_run("a", {"de": right(9)}, task=task, seed=seed)
    report = make_report(tmp_path)
    assert table(report, "Average").rows == [("a", "45.0 ± 0.0", "45.0 ± 0.0", "45.0")]
    assert "averages of tasks with different seeds, have no deviation" in to_markdown(report)


def test_the_score_of_the_study_is_the_first_table(write_run, tmp_path):
    counts = {"en": {"accuracy": [(1, 1)] * 4, "f1": [(1, 2, 1)] * 4}}
    write_run("a", counts, task="pos", made_by={"score": ["f1"]})
    titles = [table.title for table in make_tables(make_report(tmp_path))]
    assert titles[:2] == ["pos, trained on en: f1", "pos, trained on en: accuracy"]


def test_models_trained_on_each_language(study, write_run, right):
    for seed in (12, 156):
        write_run("none", {"de": right(90, 100)}, train=("de",), models="each", seed=seed)
    row = ("xnli, trained on en", "de", "none", "90.0 ± 0.0", "40.0 ± 0.0", "+50.0 ± 0.0")
    assert table(make_report(study), "Trained on the language").rows == [row]


def test_markdown(study):
    (study / "runs/none/xnli/en/78").mkdir()
    (study / "runs/none/xnli/en/78/spec.json").write_text("{}")
    text = to_markdown(make_report(study, "none", samples=50))
    assert "| tlm_b&c | 70.0 ± 0.0 | **31.0 ± 1.4** | **70.0 ± 0.0** |" in text
    assert "## Missing runs\n\n- none/xnli/en/78: not finished\n" in text


def test_layers_and_versions_that_differ_are_signed_with_their_checkpoints(write_run, right, tmp_path):
    for name, layer in (("small", 7), ("large", 14), ("other", 7)):
        path = write_run(name, {"de": right(9), "fr": right(9)}, task="tatoeba", train=(), seed=0) / "result.json"
        path.write_text(path.read_text().replace("|version:", f"|layer:{layer}|version:"))
    lines = to_markdown(make_report(tmp_path, "small", samples=10)).partition("## Signatures\n\n")[2].splitlines()
    assert len(lines) == 4 and all("|layer:7 (small, other), 14 (large)|version:" in line for line in lines)
    assert all(line.endswith("` on de sha256-0123456789ab, fr sha256-0123456789ab") for line in lines)


def test_latex(study):
    text = latex_file(make_tables(make_report(study, "none", samples=50)))
    assert r"tlm\_b\&c & 70.0 $\pm$ 0.0 & \textbf{31.0 $\pm$ 1.4} & \textbf{70.0 $\pm$ 0.0}" in text
    assert r"95 \% interval" in text and r"$-$15.0" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 4
    tables = "".join(line for line in text.splitlines(True) if not line.startswith("%"))
    bare = re.sub(r"\\[&%$#_{}]", "", tables.replace(r"$\pm$", "").replace(r"$-$", ""))
    assert not set("$#_") & set(bare) and "±" not in bare
    for body in re.findall(r"\\begin\{tabular\}\{(l\w*)\}(.*?)\\end\{tabular\}", bare, flags=re.DOTALL):
        rows = [line for line in body[1].splitlines() if line.endswith(r"\\")]
        assert {line.count("&") + 1 for line in rows} == {len(body[0])}
