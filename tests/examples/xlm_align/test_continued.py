"""The study of e5-small continued, with a training and a scoring that are made up."""

import json

import numpy as np
import pytest

from tests.examples.recipes import load
from tests.examples.stand_ins import run_script
from xalign_fairseq.aligner.sweep import Trial
from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import read_json

study, train, guide, tables, papers, report, score_test = load(
    "xlm_align/continued", "study", "train", "guide", "tables", "papers", "report", "score_test"
)


def test_test_sets_are_no_development_sets():
    assert not any("simalign" in name or "/test/" in name for name in study.DEVELOPMENT)
    assert sum(study.DEVELOPMENT.values()) == pytest.approx(4)
    assert len({study.setting_name(each) for each in study.line_settings()}) == len(study.line_settings())


def test_the_mean_is_weighted():
    # 1 - (sure hits + possible hits) / (links + sure): 0.5, and 0
    parts = (np.array([[1, 1, 2, 2]]), np.array([[2, 2, 2, 2]]))
    found = study.scores(Trial(study.line_settings()[0], parts), ["a", "b"], {"a": 3.0, "b": 1.0})
    assert found == {"mean": 37.5, "a": 50.0, "b": 0.0}


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """A run whose pieces cost ten seconds and a thousand tokens each, and whose scores fall; what was called."""
    called, at = [], {"updates": 0}

    def score(run, updates, seconds, tokens):
        called.append(("score", updates, seconds, tokens))
        found = {report.USUAL: {"mean": 21.0 - updates / 100}, "argmax-separate-6": {"mean": 20.5 - updates / 100}}
        with run.curve.open("a") as out:
            out.write(json.dumps({"updates": updates, "cpu_seconds": seconds, "tokens": tokens, "aer": found}) + "\n")

    def train_to(run, until):
        called.append(("train", until))
        at["updates"] = until
        with (run.folder / "cost.jsonl").open("a") as out:
            out.write(json.dumps({"updates": until, "cpu_seconds": 10.0, "tokens": 1000}) + "\n")

    monkeypatch.setattr(train.Run, "_score", score)
    monkeypatch.setattr(train.Run, "_train", train_to)
    monkeypatch.setattr(train, "updates_of", lambda path: at["updates"])
    folder = tmp_path / "runs/so-1"
    folder.mkdir(parents=True)
    options = {**study.COMMON, "--max-update": "5"}
    return train.Run(folder, tmp_path, tmp_path, 2, options, "so", 1), called, at


def test_pieces_are_trained_and_scored_with_what_all_have_cost(made_up):
    run, called, _ = made_up
    run.go_on()
    assert called == [
        ("score", 0, 0.0, 0), ("train", 2), ("score", 2, 10.0, 1000), ("train", 4), ("score", 4, 20.0, 2000),
        ("train", 5), ("score", 5, 30.0, 3000),
    ]  # fmt: skip
    assert len(read_json(run.folder / "result.json")["development"]) == 4
    called.clear()
    run.go_on()
    assert called == []  # a finished run stays


def test_what_runs_begin_from_is_scored_once(made_up):
    run, called, at = made_up
    run.go_on()
    at["updates"] = 0
    other = run.folder.parent / "so-2"
    other.mkdir()
    called.clear()
    train.Run(other, run.data, run.gold, 2, run.options, "so", 2).go_on()
    assert ("score", 0, 0.0, 0) not in called
    assert read_json(other / "result.json")["development"][0] == read_json(run.folder / "result.json")["development"][0]


def test_settings_that_predict_words_begin_with_a_head(made_up):
    run, _, _ = made_up
    assert run._start() == run.data
    predicting = {name for name, options in study.SETTINGS.items() if study.predicts(options)}
    assert {"xlm-align", "tlm", "ppa", "weam", "mlm"} <= predicting
    assert not predicting & {"so", "head", "none", "weak", "dwa", "ot"}
    options = {**run.options, **study.SETTINGS["weam"]}
    weam = train.Run(run.folder.parent / "weam-1", run.data, run.gold, 2, options, "weam", 1)
    with pytest.raises(XalignError, match="head is not learned"):
        weam._start()
    (run.folder.parent / "head-1").mkdir()
    (run.folder.parent / "head-1/result.json").touch()
    assert weam._start() == run.folder.parent / "head-1/checkpoint_last.pt"


def test_maps_are_those_of_each_set_s_languages(monkeypatch):
    """A set is scored by an aligner for its own pair, and by separate encoding alone, which maps need."""
    asked = []
    monkeypatch.setattr(train.Aligner, "from_pretrained", lambda model, **options: asked.append((model, options)))
    monkeypatch.setattr(
        train, "try_settings", lambda aligner, sets, settings: [
            Trial(each, tuple(np.full((2, 4), len(text.name)) for text in sets)) for each in settings
        ]
    )  # fmt: skip
    sets = [train.GoldPairs(name, [], []) for name in ("trial/en-fr", "dev/en-pt")]
    found = train.trials("model", "procrustes", sets, study.line_settings())
    assert [options["languages"] for _, options in asked] == [("en", "fr"), ("en", "pt")]
    assert [options["use_maps"] for _, options in asked] == [True, False]  # there is no text of Portuguese
    assert {trial.setting.encoding for trial in found} == {"separate"}
    assert [part[0, 0] for part in found[0].parts] == [11, 9]
    asked.clear()
    train.trials("model", "so", sets, study.line_settings())
    assert asked == [("model", train.LINKS)]


def test_a_piece_that_was_trained_and_not_scored_is_scored(made_up):
    run, called, _ = made_up
    run._score(0, 0.0, 0)
    run._train(2)
    called.clear()
    run.go_on()
    assert called[:2] == [("score", 2, 10.0, 1000), ("train", 4)]


@pytest.fixture
def finished(made_up, tmp_path):
    """The folder of finished runs: e5-small as it comes, two seeds of self-training, one with another option."""
    run, _, at = made_up
    runs = run.folder.parent
    for name, setting, seed, updates, change in (
        ("none-1", "none", 1, 0, {}),
        ("so-1", "so", 1, 5, {}),
        ("so-2", "so", 2, 5, {}),
        ("so,lr=1e-5-1", "so", 1, 5, {"--lr": "1e-5"}),
    ):
        at["updates"] = 0
        (runs / name).mkdir(exist_ok=True)
        options = {
            **study.COMMON,
            **study.SETTINGS[setting],
            **change,
            "--max-update": str(updates),
            "--seed": str(seed),
        }
        train.Run(runs / name, tmp_path, tmp_path, 2, options, setting, seed).go_on()
    return runs


@pytest.fixture
def five_updates(monkeypatch):
    monkeypatch.setattr(study, "COMMON", {**study.COMMON, "--max-update": "5"})


def counts_of(hits):
    """Each test set of four pairs of sentences with four sure links, of which so many are found."""
    return {name: [[hits, hits, 4, 4]] * 4 for name in study.TEST}


def page(folder):
    for name, marks in (("README.md", ["objectives"]), ("details.md", ["ablations", "runs", "trials"])):
        blocks = "\n".join(f"before\n<!-- study:{mark} -->\nold\n<!-- end -->\nafter" for mark in marks)
        (folder / name).write_text(blocks + "\n")


def test_tables_are_of_all_runs_and_of_settings_as_they_stand(five_updates, finished, tmp_path):
    for name, hits in (("none-1", 2), ("so-1", 3), ("so-2", 4)):
        found = {"chosen": "argmax-separate-6", "test": {"mean": 100.0 - 25 * hits}, "counts": counts_of(hits)}
        (finished / name / "test.json").write_text(json.dumps(found))
    page(tmp_path)
    for _ in range(2):
        report.main(finished, tmp_path)
    readme, runs = (tmp_path / "README.md").read_text(), (tmp_path / "details.md").read_text()
    assert readme.startswith("before\n") and readme.endswith("<!-- end -->\nafter\n") and "old" not in readme + runs
    so, none = (next(line.split(" | ") for line in readme.splitlines() if line.startswith(f"| {name} |"))
                for name in ("so", "none"))  # fmt: skip
    assert so[1:7] == ["self_training", "2", "0.5", "20.95 ± 0.00", "20.45 ± 0.00", "12.50 ± 17.68"]
    assert so[7].startswith("−37.5 (")
    assert none[1:7] == ["", "", "0.0", "21.00", "20.50", "50.00"]
    assert "lr=1e-5" not in readme
    assert "| so,lr=1e-5-1 | 5 of 5 | 0.00M | 0 | 0: 21.00, 2: 20.98, 4: 20.96, 5: 20.95 |" in runs.replace("---:", "")
    assert read_json(tmp_path / "results/so-1.json")["command"] == "train.py DATA_BIN GOLD RUNS so 1"
    assert read_json(tmp_path / "results/so,lr=1e-5-1.json")["command"].endswith("so 1 -- --lr 1e-5")
    assert "counts" not in read_json(tmp_path / "results/so-1.json")["test"]
    assert (tmp_path / "results/objectives.svg").stat().st_size


def test_differences_are_means_over_test_sets_and_seeds():
    counts = {name: [{pair: np.array(part, float) for pair, part in counts_of(hits).items()} for hits in found]
              for name, found in (("none", [2]), ("so", [4, 4]), ("dwa", [2]))}  # fmt: skip
    found = report.tests_of(counts, {})["none"]
    assert found["so"]["difference"] == pytest.approx(-0.5) and found["so"]["seeds"] == 2
    assert found["so"]["p_holm"] < 0.05
    assert found["dwa"]["difference"] == 0 and found["dwa"]["p_holm"] == 1


def test_settings_without_counts_keep_their_tests():
    """Those of runs on another machine: p is corrected over theirs, too."""
    counts = {name: [{pair: np.array(part) for pair, part in counts_of(hits).items()}]
              for name, hits in (("none", 2), ("so", 4))}  # fmt: skip
    old = {"seeds": 1, "difference": -0.1, "p_value": 0.03, "p_holm": 0.03}
    found = report.tests_of(counts, {"none": {"dwa": old, "so": {**old, "difference": 0.0}}})
    assert found["none"]["dwa"] == old and found["none"]["so"]["difference"] == pytest.approx(-0.5)
    assert found["none"]["so"]["p_holm"] == 2 * found["none"]["so"]["p_value"]
    assert "tlm" not in found


def test_counts_are_of_settings_all_of_whose_runs_have_them(tmp_path):
    records = {name: [{"seed": seed, "test": {}  if name == "weak" else {"test": 1}} for seed in (1, 2)]
               for name in ("so", "dwa", "weak")}  # fmt: skip
    (tmp_path / "counts").mkdir()
    for name in ("so-1", "so-2", "dwa-1", "weak-1", "weak-2"):
        np.savez(tmp_path / f"counts/{name}.npz", **{"a/de-en": np.full((3, 4), len(name))})
    found = report.counts_of(records, tmp_path)
    assert list(found) == ["so"] and found["so"][1]["a/de-en"].tolist() == [[4] * 4] * 3


def test_counts_are_found_whatever_the_order_of_a_run_s_options(tmp_path):
    """The folder has them as they were given, the record as the study has them."""
    change = {"--dwa-method": "ot-unbalanced", "--dwa-filter": "itermax"}
    made = record("dwa", 1, 20.0, change)
    run = tmp_path / "runs/dwa,dwa-method=ot-unbalanced,dwa-filter=itermax-1"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps(made))
    (run / "dev.jsonl").write_text(json.dumps(made["development"][0]) + "\n")
    (run / "test.json").write_text(json.dumps({**made["test"], "counts": counts_of(3)}))
    report.collect(tmp_path / "runs", tmp_path / "results")
    kept = {path.stem: read_json(path) for path in (tmp_path / "results").glob("*.json")}
    [found] = report.counts_of(tables.groups_of(kept), tmp_path / "results").values()
    assert found[0][study.TEST[0]].tolist() == counts_of(3)[study.TEST[0]]


def test_test_sets_wait_for_the_end_and_are_scored_once(made_up, monkeypatch, tmp_path):
    run, _, _ = made_up
    asked = []

    def trials(model, setting, sets, links):
        asked.append((model, setting, [study.setting_name(each) for each in links]))
        return [Trial(links[0], tuple(np.full((3, 4), 2) for _ in sets))]

    monkeypatch.setattr(score_test, "trials", trials)
    monkeypatch.setattr(score_test, "whole_model", lambda run, out: "model")
    monkeypatch.setattr(study, "gold_pairs", lambda gold, names: list(names))
    score_test.main(tmp_path, run.folder.parent)
    assert not asked  # nothing is finished
    run.go_on()
    for _ in range(2):
        score_test.main(tmp_path, run.folder.parent)
    assert asked == [("model", "so", ["argmax-separate-6"])]
    found = read_json(run.folder / "test.json")
    assert found["test"] == {"mean": 0.0, **dict.fromkeys(study.TEST, 0.0)}
    assert found["counts"][study.TEST[0]] == [[2] * 4] * 3


# Writes one side after the other, and dies between them once, where the file "once" is.
ASSEMBLE = """import pathlib, sys
pair, out = sys.argv[1], pathlib.Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
print("assembled", pair)
for side in pair.split("-"):
    (out / f"train.{side}").write_text("a")
    once = pathlib.Path(__file__).with_name("once")
    if once.exists():
        once.unlink()
        sys.exit(1)
"""


def prepare_pairs(folder):
    """Run prepare.sh; its exit code and what it has called."""
    (folder / "assemble.py").write_text(ASSEMBLE)
    xalign = '#!/bin/sh\necho "$@"\n[ "$1" = links ] || mkdir "$3"\n'
    done = run_script(folder, "xlm_align/continued/prepare.sh", folder / "text", folder / "data",
                      instead={"xalign": xalign}, BENCHMARK=str(folder))  # fmt: skip
    return done.returncode, done.stdout.splitlines()


def test_the_four_pairs_are_prepared_together(tmp_path):
    (tmp_path / "text/en-fr").mkdir(parents=True)
    code, (*before, prepared) = prepare_pairs(tmp_path)
    assert code == 0
    assert [line.split()[1] for line in before if line.startswith("assembled")] == ["de-en", "en-hi", "ro-en"]
    linked = [line for line in before if line.startswith("links --engine eflomal")]
    assert len(linked) == 4 and "en-fr/train.en --tgt" in linked[1]
    assert prepared.startswith(f"prepare --out {tmp_path}/data --tokenizer e5-small --trim-vocabulary --pair de-en")
    assert prepared.count("--pair") == prepared.count("--links train=") == 4


def test_a_pair_that_was_broken_off_is_assembled_anew_and_a_data_bin_stays(tmp_path):
    (tmp_path / "once").touch()
    assert prepare_pairs(tmp_path)[0] != 0
    code, called = prepare_pairs(tmp_path)
    assert code == 0 and called[0] == "assembled de-en"
    assert {path.name for path in (tmp_path / "text/de-en").iterdir()} == {"train.de", "train.en"}
    code, (*_, last) = prepare_pairs(tmp_path)
    assert code == 0 and last == f"{tmp_path}/data is there already"


def test_pairs_to_guide_are_drawn_once_side_by_side(tmp_path, monkeypatch):
    called, text = [], tmp_path / "text"
    monkeypatch.setattr(guide, "DRAWN", 20)
    monkeypatch.setattr(guide.subprocess, "run", lambda line, check: called.append([str(each) for each in line]))
    for pair in study.PAIRS:
        folder = text / "-".join(pair)
        folder.mkdir(parents=True)
        for side in pair:
            lines = [f"{side} {i}" for i in range(40)] + ["", "too long " * 40]
            (folder / f"train.{side}").write_text("".join(f"{line}\n" for line in lines))

    def numbers(side):
        drawn = (text / f"guided/de-en/train.{side}").read_text().splitlines()
        return [line.removeprefix(f"{side} ") for line in drawn]

    with pytest.raises(XalignError, match=r"so-grow-1/checkpoint_last\.pt"):
        guide.main(text, tmp_path / "so-grow-1", tmp_path / "bin")
    assert not called
    (tmp_path / "so-grow-1").mkdir()
    (tmp_path / "so-grow-1/checkpoint_last.pt").touch()
    guide.main(text, tmp_path / "so-grow-1", tmp_path / "bin")
    first = numbers("de")
    assert first == numbers("en") and len(set(first)) == 20 and first != [str(i) for i in range(20)]
    *aligned, prepared = called
    assert [line[3:5] for line in aligned] == [["--model", f"{tmp_path}/so-grow-1/checkpoint_last.pt"]] * 4
    assert prepared.count("--pair") == 4 and f"train={text}/guided/ro-en/train.links" in prepared
    for pair in study.PAIRS:
        (text / "guided" / "-".join(pair) / "train.links").touch()
        (text / "-".join(pair) / "train.en").write_text("")  # what was drawn stays
    called.clear()
    guide.main(text, tmp_path / "so-grow-1", tmp_path / "bin")
    assert called == [prepared] and numbers("de") == first
    called.clear()
    (tmp_path / "bin").mkdir()
    guide.main(text, tmp_path / "so-grow-1", tmp_path / "bin")
    assert not called


def record(setting, seed, test, change=None, lowest=20.0):
    options = {**study.COMMON, **study.SETTINGS[setting], **(change or {}), "--seed": str(seed)}
    updates = int(options["--max-update"])
    row = {"updates": updates, "cpu_seconds": 60, "aer": {tables.USUAL: {"mean": lowest + 1}, "x": {"mean": lowest}}}
    return {"setting": setting, "seed": seed, "options": options, "development": [row],
            "test": test and {"test": {"mean": test}}}  # fmt: skip


def test_a_changed_setting_of_several_seeds_is_among_the_objectives():
    grow = {"--self-training-method": "grow"}
    records = {"a": record("so", 1, 19.0, grow), "b": record("so", 2, 21.0, grow), "c": record("so", 1, 20.0)}
    shown = tables.objectives(records, {}).splitlines()[2:]
    assert [line.split(" | ")[0] for line in shown] == ["| so, self-training-method=grow", "| so"]
    assert "| 20.00 ± 1.41 |" in shown[0]


def test_ablations_change_one_option_of_dwa_and_stand_beside_it_as_it_is():
    dustbin = {"--dwa-method": "ot-unbalanced", "--dwa-filter": "itermax"}
    records = {
        "dwa-1": record("dwa", 1, 20.5),
        "layer": record("dwa", 1, 20.7, {"--dwa-label-layer": "10"}, 21.0),
        "filter": record("dwa", 1, None, {"--dwa-filter": "union"}),
        "dustbin": record("dwa", 1, 20.6, dustbin),
        "both": record("dwa", 1, 20.0, {"--dwa-queries": "unmasked", "--dwa-layer": "12"}),
        "so-1": record("so", 1, 19.0),
    }
    lines = [line.strip("| ").split(" | ") for line in tables.ablations(records).splitlines()[2:]]
    values = {title: [line[1] for line in lines if line[0] == title] for title, *_ in lines}
    assert lines[:2] == [["Table 4, layer that labels", "7 (here)", "1", "20.00", "20.50"],
                         ["Table 4, layer that labels", "10", "1", "21.00", "20.70"]]  # fmt: skip
    assert values["Table 6, filter of the labels"] == ["argmax (here)", "union"]
    assert values["dustbin"] == ["transport (here)", "ot-unbalanced"]
    assert values["Table 5, layer of the pointer"] == ["7 (here)"]
    assert values["Table 7, positions that point"] == ["masked (here)"]


def test_what_the_ablations_stand_beside_is_the_study_s():
    options = {**study.COMMON, **study.SETTINGS[tables.ABLATED]}
    for _, option, usual in tables.ABLATIONS:
        assert options.get(option, usual) == usual


def test_a_papers_page_has_its_settings_beside_their_control():
    records = {"none-1": record("none", 1, 22.0), "weam-1": record("weam", 1, 21.0)}
    row = {"checkpoint": "weam", "zero_shot": {"mean": 0.85, "deviation": None, "runs": 1}}
    tasks = [
        {"title": title, "scored_by": ["accuracy"], "rows": {"accuracy": [row]}} for title in papers.TASKS.values()
    ]
    test = {"difference": -0.01, "low": -0.02, "high": -0.001, "p_holm": 0.01}
    made = papers.page(
        ("none", "tlm30", "weam"), "tlm30", records, {"none": {"weam": test}, "tlm30": {}}, {"tasks": tasks}
    )
    assert made.splitlines()[2:] == [
        "| none |  |  | 22.00 |  |  |  |  |  |  |",
        "| weam | tlm + word_exchange | 1 | 21.00 | −1.0 (−2.0 to −0.1) |  | 85.0 | 85.0 | 85.0 | 85.0 |",
    ]


def test_pages_show_settings_of_the_study():
    for settings, control in papers.PAGES.values():
        assert set(settings) <= study.SETTINGS.keys() and control in settings


def test_pictures_are_of_what_is_tested(tmp_path):
    test = {"difference": -0.01, "low": -0.02, "high": -0.001}
    papers.draw(("none", "tlm", "weam"), {"weam": test}, tmp_path / "picture.svg")
    assert "weam" in (tmp_path / "picture.svg").read_text()
