import json
import shutil

import numpy as np
import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.benchmarks import BENCHMARKS
from xalign_fairseq.transfer.results import read_results


def test_counts_are_columns_side_by_side(write_run, tmp_path):
    f1, em = [(0.5, 1), (1, 1), (0, 1)], [(0, 1), (1, 1), (0, 1)]
    write_run("a", {"de": {"f1": f1, "em": em}}, task="xquad")
    [task] = read_results(tmp_path).tasks
    assert task.score_metrics == BENCHMARKS["xquad"].metrics
    run = task.runs["a"][12]["de"]
    assert run.counts("de", task.score_metrics) == pytest.approx(np.concatenate([f1, em], axis=1))
    np.savez(run.folder / "counts.npz", **{"de/f1": f1[:2], "de/em": em})
    with pytest.raises(XalignError, match=r"counts do not match[\s\S]*\(2, 2\)[\s\S]*\(3, 2\)"):
        run.counts("de", task.score_metrics)
    path = run.folder / "counts.npz"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(XalignError, match=r"file of arrays is damaged[\s\S]*counts.npz"):
        run.counts("de", task.score_metrics)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "another format"),
        ({"seed": None}, "seed"),
        ({"benchmark": "glue"}, "unknown benchmark"),
        ({"scores": {"de": {"em": 0.5}}}, "lacks a metric"),
        ({"signatures": {}}, "lacks a metric"),
        ({"made_by": 3}, "made_by"),
    ],
)
def test_results_that_can_not_be_read(write_run, right, tmp_path, change, message):
    path = write_run("a", {"de": right(9)}) / "result.json"
    content = json.loads(path.read_text()) | change
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    with pytest.raises(XalignError, match=rf"{message}") as error:
        read_results(tmp_path)
    assert "a/xnli/en/12" in str(error.value)


def test_settings_runs_and_averages(write_run, right, tmp_path):
    for seed, hits in ((12, 10), (156, 14)):
        write_run("tlm", {"en": right(18), "de": right(hits), "ar": right(8)}, seed=seed)
    write_run("tlm", {"de": right(16)}, train=("de",), models="each")
    write_run("tlm", {"ar": right(12)}, train=("ar",), models="each")
    one, each = read_results(tmp_path).tasks
    assert (one.title, each.title) == ("xnli, trained on en", "xnli, a model for each language")
    assert one.languages == ("en", "ar", "de") and one.zero_shot == ("ar", "de") == one.averaged
    assert each.languages == ("ar", "de") == each.averaged and each.zero_shot == ()
    metrics = BENCHMARKS["xnli"].metrics
    assert one.scores("tlm", "de", metrics) == {12: 0.5, 156: 0.7}
    assert one.averages("tlm", one.zero_shot, metrics) == pytest.approx({12: 0.45, 156: 0.55})
    assert each.averages("tlm", each.languages, metrics) == pytest.approx({12: 0.7})
    assert one.scores("other", "de", metrics) == {}


def test_averages_never_cover_fewer_languages(write_run, right, tmp_path):
    write_run("tlm", {"en": right(18), "de": right(10)}, seed=12)
    write_run("tlm", {"en": right(16)}, seed=156)
    [task] = read_results(tmp_path).tasks
    metrics = task.score_metrics
    assert task.averages("tlm", ["en"], metrics) == {12: 0.9}
    assert task.scores("tlm", "en", metrics) == {12: 0.9, 156: 0.8}


def test_other_test_data_is_an_error(write_run, right, tmp_path):
    write_run("a", {"en": right(9), "de": right(9)})
    write_run("b", {"en": right(9), "de": right(9)}, digests={"de": "ffff"})
    with pytest.raises(XalignError, match=r"same way on de[\s\S]*sha256-0123456789ab and data:sha256-ffff"):
        read_results(tmp_path)


def test_other_numbers_of_items_are_an_error(write_run, right, tmp_path):
    write_run("a", {"de": right(9)})
    write_run("b", {"de": right(9, items=19)})
    with pytest.raises(XalignError, match="20 and 19 items"):
        read_results(tmp_path)


def test_other_versions_and_layers_compare_and_other_variants_do_not(write_run, right, tmp_path):
    write_run("a", {"de": right(9)})
    path = write_run("b", {"de": right(9)}) / "result.json"
    text = path.read_text()
    path.write_text(text.replace("version:", "layer:9|version:9."))
    assert read_results(tmp_path).checkpoints == ("a", "b")
    path.write_text(text.replace("variant:", "variant:other "))
    with pytest.raises(XalignError, match="variant:other"):
        read_results(tmp_path)


def test_runs_that_differ_in_more_than_their_seed_have_no_mean(write_run, right, tmp_path):
    """Some results belong to an earlier study in the same folder, or were copied to another machine's."""
    spec = {"settings": {"lr": 1e-3, "dropout": 0.1}, "updates": 40, "digests": {"train": {"en": "aa"}}}
    write_run("a", {"de": right(9)}, seed=1)  # from an earlier version
    write_run("a", {"de": right(9)}, seed=2, made_by=spec)
    write_run("a", {"de": right(9)}, seed=3, made_by=spec)
    write_run("b", {"de": right(9)}, seed=3, made_by=spec | {"updates": 50})
    write_run("a", {"de": right(9)}, task="pawsx", made_by=spec | {"updates": 60})
    write_run("a", {"de": right(9)}, train=("de",), made_by=spec | {"updates": 70})
    assert len(read_results(tmp_path).tasks) == 3
    other = {"settings": {"lr": 2e-3, "dropout": 0.1}, "updates": 40, "digests": {"train": {"en": "bb"}}}
    write_run("a", {"de": right(9)}, seed=4, made_by=other)
    with pytest.raises(
        XalignError, match=r"more than seed and languages[\s\S]*a/xnli/en/2 and [\s\S]*a/xnli/en/4"
    ) as error:
        read_results(tmp_path)
    assert "settings (lr: 0.001 and 0.002)" in str(error.value) and "updates" not in str(error.value)
    assert 'train (en: "aa" and "bb")' in str(error.value)


def test_a_task_is_scored_as_in_its_study(write_run, tmp_path):
    scores = {"de": {"f1": [(0.5, 1), (1, 1)], "em": [(0, 1), (1, 1)]}}
    write_run("a", scores, task="mlqa", made_by={"score": ["f1"]})
    [task] = read_results(tmp_path).tasks
    assert [metric.name for metric in task.score_metrics] == ["f1"]
    assert task.averages("a", ["de"], task.score_metrics) == {12: 0.75}
    write_run("b", scores, task="mlqa", made_by={})
    with pytest.raises(XalignError, match=r"have different metrics[\s\S]*f1 and the benchmark's own"):
        read_results(tmp_path)


def test_a_copy_of_a_run_is_an_error(write_run, right, tmp_path):
    """A folder set aside before the run was made again: the report used its scores instead of the new ones."""
    folder = write_run("a", {"de": right(9)})
    shutil.move(folder, folder.with_name("12.old"))
    write_run("a", {"de": right(15)})
    with pytest.raises(
        XalignError, match=r"the same checkpoint and seed[\s\S]*en/12 and [\s\S]*12\.old[\s\S]*seed 12, tested on de"
    ):
        read_results(tmp_path)


def test_models_for_each_language_differ_only_by_language(write_run, right, tmp_path):
    spec = {"settings": {"lr": 1e-3}, "updates": 40, "digests": {"train": {"de": "aa"}}}
    other = spec | {"updates": 50, "digests": {"train": {"ar": "bb"}}}
    write_run("a", {"de": right(9)}, train=("de",), models="each", made_by=spec)
    write_run("a", {"ar": right(9)}, train=("ar",), models="each", made_by=other)
    assert read_results(tmp_path).tasks[0].languages == ("ar", "de")
    write_run("a", {"ar": right(9)}, train=("ar",), models="each", seed=2, made_by=other | {"updates": 60})
    with pytest.raises(XalignError, match=r"a/xnli/ar/12 and [\s\S]*a/xnli/ar/2\n  found: updates: 50 and 60"):
        read_results(tmp_path)
    shutil.rmtree(tmp_path / "runs/a/xnli/ar/2")
    write_run("a", {"fr": right(9)}, train=("fr",), models="each", made_by=other | {"settings": {"lr": 3e-3}})
    with pytest.raises(XalignError, match=r"found: settings \(lr: 0.001 and 0.003\)"):
        read_results(tmp_path)


def test_what_is_missing_is_listed(write_run, right, tmp_path):
    write_run("a", {"en": right(9), "de": right(9)}, seed=12)
    write_run("a", {"en": right(9), "de": right(9)}, seed=78)
    write_run("b", {"en": right(9)}, seed=12)
    write_run("b", {"de": right(9)}, task="retrieval", benchmark="tatoeba", train=(), seed=12)
    (tmp_path / "runs/a/xnli/en/156").mkdir()
    (tmp_path / "runs/a/xnli/en/156/spec.json").write_text("{}")
    assert read_results(tmp_path).missing == (
        "a/retrieval/none/12: no run",
        "a/xnli/en/156: not finished",
        "b/xnli/en/12: not tested on de",
        "b/xnli/en/78: no run",
    )


def test_tests_without_labels_have_no_score(write_run, right, tmp_path):
    write_run("a", {"de": right(9), "th": None})
    write_run("a", {"th": None}, task="pawsx")
    results = read_results(tmp_path)
    assert results.unlabelled == ("pawsx, th", "xnli, th") and results.missing == ()
    assert [task.languages for task in results.tasks] == [("de",)]


def test_a_language_trained_on_as_a_treebank_is_not_zero_shot(write_run, right, tmp_path):
    write_run("a", {"en_ewt": right(18), "en_pud": right(16), "de": right(8)}, train=("en_ewt",))
    [task] = read_results(tmp_path).tasks
    assert task.zero_shot == ("de",)


def test_nothing_finished(tmp_path):
    (tmp_path / "runs/a/b/c/1").mkdir(parents=True)
    (tmp_path / "runs/a/b/c/1/spec.json").touch()
    with pytest.raises(XalignError, match=r"no finished run[\s\S]*1 unfinished run\n"):
        read_results(tmp_path)
