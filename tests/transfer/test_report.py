import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.report import make_report


def summary(*scores):
    mean = sum(scores) / len(scores)
    if len(scores) == 1:
        return (pytest.approx(mean), None, 1)
    deviation = (sum((score - mean) ** 2 for score in scores) / (len(scores) - 1)) ** 0.5
    return (pytest.approx(mean), pytest.approx(deviation), len(scores))


def parts(found):
    return (found.mean, found.deviation, found.runs)


@pytest.fixture
def study(write_run, right, tmp_path):
    """Two checkpoints, two seeds: XNLI of three languages, XQuAD of two, and XNLI with a model for each language."""
    for name, more in (("none", 0), ("tlm", 2)):
        for seed, luck in ((12, 0), (156, 1)):
            hits = {"en": 18 - luck, "ar": 8 + more, "de": 10 + more + luck}
            write_run(name, {each: right(count) for each, count in hits.items()}, seed=seed)
            answers = {
                "en": {"f1": [(0.8, 1), (0.6, 1)], "em": [(1, 1), (0, 1)]},
                "de": {"f1": [(0.5 + luck / 10, 1), (0.5, 1)], "em": [(0, 1), (0, 1)]},
            }
            write_run(name, answers, task="xquad", seed=seed)
    for seed in (12, 156, 78):
        write_run("tlm", {"de": right(16)}, train=("de",), models="each", seed=seed)
    return tmp_path


def test_the_average_over_tasks_needs_all_tasks_and_its_deviation_the_same_seeds(study, write_run, right):
    write_run("tlm", {"de": right(10)}, task="pawsx", seed=12)
    report = make_report(study)
    assert report.overall["none"] is None
    found = report.overall["tlm"]
    means = [report.tasks[k].rows["score"][-1].average.mean for k in (0, 2, 3)]
    assert found.mean == pytest.approx(sum(means) / 3) and found.deviation is None


def test_a_task_without_training_is_the_same_with_every_seed(study, write_run, right):
    before = make_report(study).overall["tlm"]
    write_run("tlm", {"de": right(10)}, task="retrieval", benchmark="tatoeba", train=(), seed=0)
    found = make_report(study).overall["tlm"]
    assert found.mean == pytest.approx((2 * before.mean + 0.5) / 3)
    assert found.deviation == pytest.approx(2 * before.deviation / 3) and found.runs == 2


def test_gaps(study):
    report = make_report(study)
    gap = next(gap for gap in report.english_gaps if gap.checkpoint == "tlm" and gap.task.startswith("xnli"))
    assert parts(gap.average) == summary(0.9 - 0.55, 0.85 - 0.575)
    assert parts(gap.languages["de"]) == summary(0.3, 0.2) and set(gap.languages) == {"ar", "de"}
    [supervised] = report.supervised_gaps
    assert (supervised.checkpoint, supervised.language) == ("tlm", "de")
    # The third seed of the models trained on German has no matching zero-shot run.
    assert parts(supervised.supervised) == summary(0.8, 0.8)
    assert parts(supervised.zero_shot) == summary(0.6, 0.65)
    assert parts(supervised.gap) == summary(0.2, 0.15)


def test_no_supervised_gap_across_test_data(study, write_run, right):
    for language, digest in (("ar", "ffff"),):
        write_run("tlm", {language: right(9)}, train=(language,), models="each", digests={language: digest})
    assert {gap.language for gap in make_report(study).supervised_gaps} == {"de"}


def test_tests_need_a_baseline(study):
    assert make_report(study).findings is None
    findings = make_report(study, "none", samples=50).findings
    assert {finding.checkpoint for finding in findings.averages} == {"tlm"}
    # There is no baseline trained on each language.
    assert [finding.task for finding in findings.averages] == ["xnli, trained on en", "xquad, trained on en"]
    assert make_report(study, "tlm", samples=20).checkpoints == ("tlm", "none")
    with pytest.raises(XalignError, match=r"baseline[\s\S]*nothing[\s\S]*none, tlm"):
        make_report(study, "nothing")


def test_checkpoints_with_different_fine_tuning_are_reported(write_run, right, tmp_path, caplog):
    """A study that changed between two checkpoints: the folder of one does not affect the other."""
    spec = {"checkpoint_digest": "aa", "encoder": {"layers": 2}, "settings": {"lr": 1e-3, "clip_norm": 1.0}}
    for name, more in (
        ("none", {}),
        ("a", {"checkpoint_digest": "bb", "encoder": {"layers": 4}}),
        ("b", {"settings": {"lr": 2e-3, "clip_norm": 1.0}}),
    ):
        for seed in (12, 156):
            write_run(name, {"de": right(9)}, seed=seed, made_by=spec | more)
    write_run("earlier", {"de": right(9)})
    write_run("none", {"de": right(9)}, task="pawsx", made_by=spec)
    make_report(tmp_path, "none", samples=10)
    [told] = caplog.messages
    assert told.startswith("xnli, trained on en") and told.endswith("b and none: settings (lr: 0.002 and 0.001)")
