"""The benchmark of aligners: our own measurements."""


def write_text(folder, src, tgt):
    paths = folder / "text.de", folder / "text.en"
    for path, lines in zip(paths, (src, tgt), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines))
    return paths


def test_our_own_side_runs_every_method_of_the_others(script, transformers, tmp_path):
    lines = [f"das ist das haus nummer {number} ." for number in range(30)]
    write_text(tmp_path, lines[:3], lines[1:4])
    (tmp_path / "text.de").rename(tmp_path / "src.txt")
    (tmp_path / "text.en").rename(tmp_path / "tgt.txt")
    sizes = {"num_hidden_layers": 3, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32}
    script("benchmark_model").make(tmp_path, lines, vocabulary=60, seed=1, **sizes)
    found = script("benchmark_tools").measure("xalign", tmp_path, "cpu")
    assert [(row["method"], row["encoding"], row["layer"]) for row in found["runs"]] == [
        ("argmax", "separate", 2),
        ("itermax", "separate", 2),
        ("match", "separate", 2),
        ("softmax", "separate", 2),
        ("transport", "joint", 2),
    ]
    assert all(row["seconds"] > 0 and len(row["links"]) == 3 and all(row["links"]) for row in found["runs"])
    assert found["peak_mb"] > 10
