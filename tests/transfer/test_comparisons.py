import numpy as np
import pytest

from xalign_fairseq.evaluation.statistics import Comparison, holm, resample
from xalign_fairseq.transfer.benchmarks import BENCHMARKS
from xalign_fairseq.transfer.comparisons import compare, mean_value
from xalign_fairseq.transfer.results import read_results


def table(answers):
    return np.array([(answer, 1) for answer in answers], dtype=np.float64)


def test_the_value_of_qa_is_the_mean_of_f1_and_em():
    value = mean_value(BENCHMARKS["xquad"].metrics)
    # F1 3 / 4, EM 1 / 4.
    assert value(np.array([[3.0, 4, 1, 4], [4, 4, 4, 4]])) == pytest.approx([0.5, 1])
    assert mean_value(BENCHMARKS["ner"].metrics[:1])(np.array([3.0, 4, 5])) == pytest.approx(6 / 9)


def test_findings_are_those_of_the_tests(write_run, right, tmp_path):
    seeds, languages = (12, 156, 78), ("en", "ar", "de")
    hits = {"none": {"en": 80, "ar": 50, "de": 60}, "tlm": {"en": 78, "ar": 64, "de": 75}}
    answers = {
        name: {each: [right(hits[name][each] + s, 100, seed=s) for s in range(3)] for each in languages}
        for name in hits
    }
    for name in hits:
        for number, seed in enumerate(seeds):
            write_run(name, {each: answers[name][each][number] for each in languages}, seed=seed)
    found = compare(read_results(tmp_path), "none", samples=300, seed=4)
    # Runs are read in the order of their folders' names.
    order = sorted(range(3), key=lambda number: str(seeds[number]))
    systems = [
        [np.stack([table(answers[name][each][number]) for number in order]) for each in languages] for name in hits
    ]
    value = BENCHMARKS["xnli"].metrics[0].value
    sides = resample(systems, value, samples=300, seed=4)
    items, both = Comparison.of_items(*sides), Comparison.of_items_and_seeds(*sides, seed=4)
    [average] = found.averages
    assert (average.checkpoint, average.task, average.over) == ("tlm", "xnli, trained on en", "zero-shot")
    assert average.difference == pytest.approx(0.145)
    assert average.p_items == items.test([1, 2]).p_value
    assert average.p_items_and_seeds == average.p_holm == both.test([1, 2]).p_value
    assert (average.low, average.high) == (both.test([1, 2]).low, both.test([1, 2]).high)
    assert average.significant and average.low > 0
    [english] = found.english
    assert english.over == "en" and english.difference == pytest.approx(-0.02) and not english.significant
    assert english.p_holm == both.test([0]).p_value
    assert [finding.over for finding in found.languages] == list(languages)
    assert [finding.p_holm for finding in found.languages] == holm([both.test([k]).p_value for k in range(3)])


def test_a_seed_that_one_checkpoint_has_more_is_left_out(write_run, right, tmp_path):
    """Seed 78 is easy for all: a checkpoint without it is not worse for that."""
    for name, seeds in (("none", (12, 156, 78)), ("tlm", (12, 156))):
        for seed in seeds:
            write_run(name, {"de": right(90 if seed == 78 else 50, 100, seed=seed)}, seed=seed)
    [average] = compare(read_results(tmp_path), "none", samples=100).averages
    assert average.difference == 0 and average.p_holm == 1


def test_one_seed_is_tested_only_over_items(write_run, right, tmp_path):
    write_run("none", {"de": right(40, 100)})
    write_run("tlm", {"de": right(70, 100, seed=3)}, seed=12)
    write_run("tlm", {"de": right(70, 100, seed=4)}, seed=78)
    [finding] = compare(read_results(tmp_path), "none", samples=200).averages
    assert finding.p_items_and_seeds is None and finding.p_holm == finding.p_items == pytest.approx(1 / 201)


def test_a_model_for_each_language_is_compared_over_all_and_not_in_english(write_run, right, tmp_path):
    for name in ("none", "tlm"):
        for language in ("en", "de"):
            write_run(name, {language: right(40)}, train=(language,), models="each")
    found = compare(read_results(tmp_path), "none", samples=50)
    assert [finding.over for finding in found.averages] == ["all languages"] and found.english == []
