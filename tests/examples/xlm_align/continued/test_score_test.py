"""When the test sets are scored."""

import numpy as np

from tests.examples.xlm_align.continued.made_up import score_test, study
from xalign_fairseq.aligner.neural.comparison import Trial
from xalign_fairseq.core.json_files import read_json


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
    assert not asked  # no run is finished
    run.go_on()
    for _ in range(2):
        score_test.main(tmp_path, run.folder.parent)
    assert asked == [("model", "so", ["argmax-separate-6"])]
    found = read_json(run.folder / "test.json")
    assert found["test"] == {"mean": 0.0, **dict.fromkeys(study.TEST, 0.0)}
    assert found["counts"][study.TEST[0]] == [[2] * 4] * 3
