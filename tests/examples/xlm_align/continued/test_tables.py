"""The tables of objectives and ablations."""

from tests.examples.xlm_align.continued.made_up import record, tables


def test_a_changed_setting_of_several_seeds_is_among_the_objectives():
    grow = {"--self-training-method": "grow"}
    records = {"a": record("so", 1, 19.0, grow), "b": record("so", 2, 21.0, grow), "c": record("so", 1, 20.0)}
    shown = tables.objectives(records, {}).splitlines()[2:]
    assert [line.split(" | ")[0] for line in shown] == ["| so, self-training-method=grow", "| so"]
    assert "| 20.00 ± 1.41 |" in shown[0]


def test_ablations_change_one_option_of_dwa_and_are_listed_with_it():
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
    assert lines[:2] == [
        ["Table 4, layer that labels", "7 (here)", "1", "20.00", "20.50"],
        ["Table 4, layer that labels", "10", "1", "21.00", "20.70"],
    ]
    assert values["Table 6, filter of the labels"] == ["argmax (here)", "union"]
    assert values["dustbin"] == ["transport (here)", "ot-unbalanced"]
    assert values["Table 5, layer of the pointer"] == ["7 (here)"]
    assert values["Table 7, positions that point"] == ["masked (here)"]
