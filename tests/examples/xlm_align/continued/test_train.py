"""Runs in pieces, with simulated training and scoring."""

import numpy as np
import pytest

from tests.examples.xlm_align.continued.made_up import study, train
from xalign_fairseq.aligner.neural.comparison import Trial
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json


def test_pieces_are_trained_and_scored_with_their_total_cost(made_up):
    run, called, _ = made_up
    run.go_on()
    assert called == [
        ("score", 0, 0.0, 0),
        ("train", 2),
        ("score", 2, 10.0, 1000),
        ("train", 4),
        ("score", 4, 20.0, 2000),
        ("train", 5),
        ("score", 5, 30.0, 3000),
    ]
    assert len(read_json(run.folder / "result.json")["development"]) == 4
    called.clear()
    run.go_on()
    assert called == []  # a finished run is kept


def test_the_starting_point_of_runs_is_scored_once(made_up):
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
    with pytest.raises(XalignError, match="head is not trained"):
        weam._start()
    (run.folder.parent / "head-1").mkdir()
    (run.folder.parent / "head-1/result.json").touch()
    assert weam._start() == run.folder.parent / "head-1/checkpoint_last.pt"


def test_maps_are_those_of_each_set_s_languages(monkeypatch):
    """Each set has its own pair's aligner, and only separate encoding, which maps need."""
    asked = []
    monkeypatch.setattr(train.Aligner, "from_pretrained", lambda model, **options: asked.append((model, options)))
    monkeypatch.setattr(
        train,
        "try_linkings",
        lambda aligner, sets, settings: [
            Trial(each, tuple(np.full((2, 4), len(text.name)) for text in sets)) for each in settings
        ],
    )
    sets = [train.GoldPairs(name, [], []) for name in ("trial/en-fr", "dev/en-pt")]
    found = train.trials("model", "procrustes", sets, study.line_settings())
    assert [options["languages"] for _, options in asked] == [("en", "fr"), ("en", "pt")]
    assert [options["maps"] for _, options in asked] == [True, False]  # the training text has no Portuguese
    assert {trial.linking.encoding for trial in found} == {"separate"}
    assert [part[0, 0] for part in found[0].parts] == [11, 9]
    asked.clear()
    train.trials("model", "so", sets, study.line_settings())
    assert asked == [("model", {"linking": train.LINKING})]


@pytest.mark.parametrize("killed", [2, 4])
def test_a_run_killed_before_its_cost_was_recorded_resumes(made_up, killed):
    """The checkpoint is complete, but its cost, and so the sum from then on, is unknown."""
    run, called, _ = made_up
    run._score(0, 0.0, 0)
    for until in range(2, killed + 1, 2):
        run._train(until)
    *noted, _ = (run.folder / train.COST).read_text().splitlines(keepends=True)
    (run.folder / train.COST).unlink()
    if noted:
        (run.folder / train.COST).write_text("".join(noted))
    called.clear()
    run.go_on()
    scored = [each[1:] for each in called if each[0] == "score"]
    assert scored == [(2, *((10.0, 1000) if noted else (None, None))), (4, None, None), (5, None, None)]
    assert [each[1] for each in called if each[0] == "train"] == ([5] if noted else [4, 5])
    assert read_json(run.folder / "result.json")["development"][-1]["cpu_seconds"] is None
