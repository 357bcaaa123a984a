"""The study of ALIGN-MLM: names, scores and claims by hand, and a report that is that of the results beside it."""

import importlib
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from xalign_fairseq.errors import XalignError

RECIPE = Path(__file__).parents[2] / "examples/align_mlm"
MODULES = ("study", "claims", "report")
WORDS, SENTENCES = 10, 50


@pytest.fixture(scope="module")
def recipe():
    """The recipe's scripts as modules; another recipe has some of the same names."""
    before = {name: sys.modules.pop(name) for name in MODULES if name in sys.modules}
    sys.path.insert(0, str(RECIPE))
    try:
        found = {name: importlib.import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(RECIPE))
        for name in MODULES:
            sys.modules.pop(name, None)
        sys.modules.update(before)
    return type("Recipe", (), found)


def f1_counts(hits, wobble=0):
    """Hits, predicted and gold of sentences with ten entities each: F1 is hits / 10, and ``wobble`` / 500 more."""
    table = np.full((SENTENCES, 3), WORDS)
    table[:, 0] = hits
    table[:wobble, 0] += 1
    return table


def add(recipe, results, name, sup, zs, alignment=0.5, tasks=("pos",), wobble=0, held_out=0.25, **record):
    """Write made-up results of a run: ``sup`` and ``zs`` of ten entities of each sentence are found."""
    setting, seed = recipe.study.split_name(name)
    counts = {}
    for task in tasks:
        for part, hits in ((f"{task}-supervised", sup), (task, zs)):
            counts[f"{part}/xx/f1"] = f1_counts(hits, wobble if part == task else 0)
            counts[f"{part}/xx/accuracy"] = np.stack([f1_counts(hits)[:, 0], np.full(SENTENCES, WORDS)], axis=1)
    score = {"low": 0, "high": 1, "words": 100, "candidates": 100}
    record = {
        "setting": str(setting), "seed": seed, "command": f"bash 2_train.sh DATA RUNS {name}", "commit": "abc",
        "machine": "x CPU", "encoder": "2 x 128", "updates": 600, "tokens": 2_457_600, "minutes": 2.5,
        "alignment": {"all": {"score": alignment, **score}, "held out": {"score": held_out, **score},
                      "trained": {"score": 1.0, **score}}, **record,
    }  # fmt: skip
    recipe.study.write(results, name, record, counts)


def rows(text, title):
    """The table under a heading, by cells, without its head."""
    part = text.split(f"## {title}\n\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines()][2:]


@pytest.fixture
def results(recipe, tmp_path):
    """ALIGN-MLM has a small gap with inversion, MLM and DICT-MLM a large one, XLM's is between; wobbles make seeds."""
    for wobble, seed in enumerate((1, 2, 3)):
        add(recipe, tmp_path, f"align_mlm.trans_inv-{seed}", 9, 8, 0.9, wobble=wobble)
        add(recipe, tmp_path, f"xlm.trans_inv-{seed}", 9, 5, 0.5, wobble=wobble)
        add(recipe, tmp_path, f"mlm.trans_inv-{seed}", 9, 2, 0.1, wobble=wobble)
        add(recipe, tmp_path, f"dict_mlm.trans_inv-{seed}", 9, 2, 0.2, wobble=wobble)
        add(recipe, tmp_path, f"mlm.trans-{seed}", 9, 9, 0.8, wobble=wobble)
        add(recipe, tmp_path, f"xlm.trans-{seed}", 9, 8, 0.8, wobble=wobble)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "data", "folder"),
    [
        ("mlm.trans-1", "trans", "trans"),
        ("dict_mlm.trans_syn.dictionary50-12", "trans_syn.dictionary50", "trans_syn"),
        ("xlm.trans_inv.parallel100-3", "trans_inv.parallel100", "trans_inv"),
        ("xlm.trans_inv.overlap25-3", "trans_inv.overlap25", "trans_inv.overlap25"),
    ],
)
def test_names_say_where_data_lie(recipe, name, data, folder):
    setting, seed = recipe.study.split_name(name)
    assert (setting.data, setting.folder, f"{setting}-{seed}") == (data, folder, name)
    assert setting.is_default == ("." not in data)


@pytest.mark.parametrize(
    "name",
    ["", "mlm", "mlm.trans", "mlm.trans-x", "rlm.trans-1", "mlm.trans_in-1", "mlm.trans.a5-1", "mlm-trans-1",
     "mlm.trans.parallel-1", "mlm.trans-1-2"],
)  # fmt: skip
def test_a_name_that_is_no_run_is_told(recipe, name):
    with pytest.raises(XalignError, match="no such run"):
        recipe.study.split_name(name)


def test_scores_and_gap_of_a_run_by_hand(recipe, tmp_path):
    add(recipe, tmp_path, "xlm.trans_inv-1", 9, 5, wobble=20)
    [[run]] = recipe.study.read(tmp_path).values()
    # 5 * 50 + 20 = 270 of 500; F1 of as many predicted as gold entities is their share
    assert run.scores("pos") == pytest.approx({"SUP": 0.9, "ZS": 0.54, "Δ": 0.36})
    assert run.scores("pos", "accuracy")["ZS"] == pytest.approx(0.5)
    assert recipe.study.gap_value("pos")(run.gap_counts("pos").sum(0).astype(float)) == pytest.approx(0.36)
    assert run.has("pos") and not run.has("ner")
    assert run.alignment("held out") == 0.25 and math.isnan(run.alignment("unused"))


def test_seeds_are_in_the_order_of_numbers_and_settings_in_the_papers(recipe, tmp_path):
    for name in (
        "xlm.trans_inv.overlap25-1",
        "align_mlm.trans-1",
        "mlm.trans_inv-10",
        "mlm.trans_inv-2",
        "mlm.trans-1",
    ):
        add(recipe, tmp_path, name, 9, 5)
    found = recipe.study.read(tmp_path)
    assert [str(each) for each in found] == ["mlm.trans", "mlm.trans_inv", "align_mlm.trans", "xlm.trans_inv.overlap25"]
    assert [run.seed for run in found[recipe.study.Setting("mlm", "trans_inv")]] == [2, 10]


def test_the_tables_by_hand(recipe, results):
    add(recipe, results, "xlm.trans_inv.parallel10-1", 9, 3)
    add(recipe, results, "xlm.trans_inv.overlap50-1", 9, 7)
    add(recipe, results, "align_mlm.trans_inv.dictionary50-1", 9, 8, tasks=("pos", "ner"))
    text = recipe.report.to_markdown(recipe.study.read(results))
    # wobbles of 0, 1 and 2 in 500 entities: mean 0.2 and deviation 0.2 points
    grid = {tuple(row[:2]): row[2:] for row in rows(text, "Main grid")}
    assert grid["XLM", "Trans + Inv"] == ["3", "", "", "", "90.0 ± 0.0", "50.2 ± 0.2", "39.8 ± 0.2"]
    assert ("MLM", "Trans + Syn") not in grid and len(grid) == 6
    assert rows(text, "Parallel data") == [
        ["10 %", "", "", "", "90.0", "30.0", "60.0"],
        ["25 %", "", "", "", "90.0 ± 0.0", "50.2 ± 0.2", "39.8 ± 0.2"],
        ["ALIGN-MLM (0 %)", "", "", "", "90.0 ± 0.0", "80.2 ± 0.2", "9.8 ± 0.2"],
    ]
    assert [row[0] for row in rows(text, "Overlap")] == ["0 %", "50 %"]
    # NER was measured with half of the dictionary alone
    assert rows(text, "Dictionary") == [
        ["Trans + Inv", "25 %", "", "", "69.8 ± 0.2", "9.8 ± 0.2"],
        ["Trans + Inv", "50 %", "", "10.0", "", "10.0"],
    ]
    aligned = {tuple(row[:2]): row[2:] for row in rows(text, "Alignment")}
    assert aligned["MLM", "Trans + Inv"] == ["10.0 ± 0.0", "–", "25.0 ± 0.0", "", "69.8 ± 0.2"]
    assert aligned["ALIGN-MLM, dictionary 50 %", "Trans + Inv"][1] == "100.0"
    assert {tuple(row[:2]): row[2:] for row in rows(text, "POS accuracy")}["XLM", "Trans + Inv"][1] == "50.0 ± 0.0"


def test_better_alignment_with_smaller_gaps_is_a_positive_correlation(recipe, results):
    text = recipe.report.to_markdown(recipe.study.read(results))
    found = {tuple(row[1:3]): row[3:] for row in rows(text, "Correlation")}
    # Means of alignment 0.1, 0.2, 0.5, 0.8, 0.8, 0.9 and of -gap: ranks 1 2 3 4.5 4.5 6 and 1.5 1.5 3 6 4.5 4.5
    x, y = np.array([1, 2, 3, 4.5, 4.5, 6]), np.array([1.5, 1.5, 3, 6, 4.5, 4.5])
    n, rho = found["main grid, means over seeds", "all"][:2]
    assert n == "6" and float(rho) == pytest.approx(np.corrcoef(x, y)[0, 1], abs=5e-4)
    assert found["main grid, runs", "all"][0] == "18"
    # held-out scores are all equal: no correlation
    assert ("main grid, runs", "held out") not in found


def test_claims_by_hand(recipe, results):
    text = recipe.report.to_markdown(recipe.study.read(results))
    found = {(row[0], row[2]): row[3:] for row in rows(text, "Claims")}
    best = "With inversion ALIGN-MLM transfers best"
    verdict, points, _, _ = found[best, "ALIGN-MLM − XLM; Trans + Inv"]
    assert (verdict, points) == ("**holds**", "−30.0")
    assert found[best, "ALIGN-MLM − MLM; Trans + Inv"][:2] == ["**holds**", "−60.0"]
    # a gap of 0 is below 3 points, one of 10 above
    script = "Another script alone is no obstacle"
    assert found[script, "MLM − 3 points, Trans"][:2] == ["**holds**", "−3.2"]
    assert found[script, "XLM − 3 points, Trans"][:2] == ["**does not hold**", "+6.8"]
    assert len(found) == 3 + 2 + 1  # of dictionaries the one of 25 % alone
    assert not any(claim.startswith("Shared") or "syntax" in claim for claim, _ in found)


def test_both_tests_must_find_a_difference(recipe, tmp_path):
    """All seeds of ALIGN-MLM are better, but they differ as much among themselves."""
    for seed, wobble in ((1, 5), (2, 25), (3, 45)):
        add(recipe, tmp_path, f"align_mlm.trans_inv-{seed}", 9, 5, wobble=wobble)
        add(recipe, tmp_path, f"mlm.trans_inv-{seed}", 9, 5)
    [found] = recipe.claims.judge(recipe.study.read(tmp_path), ["pos"])
    # gaps of 39, 35 and 31 against 40 points: t = 5 / (4 / sqrt(3)), two degrees of freedom
    t = 5 / (4 / math.sqrt(3))
    assert found.difference == pytest.approx(-0.05)
    assert found.p_seeds == pytest.approx(1 - t / math.sqrt(t**2 + 2))
    assert found.p_bootstrap < 0.05 < found.p_value == found.p_holm and found.verdict == "unclear"


def test_correction_is_over_the_tests_of_a_claim_in_a_task(recipe, results):
    found = [each for each in recipe.claims.judge(recipe.study.read(results), ["pos"]) if "inversion" in each.claim]
    raw = sorted(each.p_value for each in found)
    expected = [min(1, 3 * raw[0]), max(3 * raw[0], 2 * raw[1]), max(3 * raw[0], 2 * raw[1], raw[2])]
    assert sorted(each.p_holm for each in found) == pytest.approx(expected)


def test_one_seed_is_tested_over_items_alone(recipe, tmp_path):
    add(recipe, tmp_path, "align_mlm.trans_inv-1", 9, 8)
    add(recipe, tmp_path, "xlm.trans_inv.parallel100-1", 9, 5)
    add(recipe, tmp_path, "mlm.trans-1", 9, 9)
    [found] = recipe.claims.judge(recipe.study.read(tmp_path), ["pos"])
    assert (
        found.p_seeds is None and found.verdict == "holds" and found.says.startswith("ALIGN-MLM − XLM, parallel 100 %")
    )


def test_without_results_the_report_says_so(recipe):
    assert recipe.report.to_markdown({}).count("No results yet.") == len(recipe.report.SECTIONS)


def test_an_outdated_report_is_noticed(recipe, results, monkeypatch, capsys):
    pytest.importorskip("matplotlib")

    def run(*options):
        monkeypatch.setattr(sys, "argv", ["report.py", "--results", str(results), *options])
        return recipe.report.main()

    assert run("--check") == 1
    assert run() == 0 and run("--check") == 0
    for picture in ("gaps", "alignment"):
        assert (results / f"report/{picture}.png").read_bytes().startswith(b"\x89PNG")
    add(recipe, results, "mlm.trans_syn-1", 9, 5)
    assert run("--check") == 1 and "report.py" in capsys.readouterr().err
    (results / "runs/other-1.json").write_text("{}")
    assert run() == 2 and "other-1" in capsys.readouterr().err


def test_the_report_is_that_of_its_results(recipe):
    report = RECIPE / "results/report/report.md"
    found = recipe.study.read(RECIPE / "results")
    assert not found or report.read_text() == recipe.report.to_markdown(found)


def test_results_name_no_machine():
    for path in (RECIPE / "results/runs").glob("*.json"):
        assert "/" not in json.loads(path.read_text())["command"], path
