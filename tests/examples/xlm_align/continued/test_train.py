"""Runs in pieces, with simulated training and scoring."""

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
