"""The benchmark of aligners: its pairs, its comparisons, its table, and our own measurements."""

import pytest

from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def benchmark(script):
    return script("benchmark_aligner")


def run(method, seconds, links, encoding="separate", layer=8, dtype="float32"):
    return {"method": method, "encoding": encoding, "layer": layer, "dtype": dtype, "seconds": seconds, "links": links}


def write_text(folder, src, tgt):
    paths = folder / "text.de", folder / "text.en"
    for path, lines in zip(paths, (src, tgt), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines))
    return paths


def test_agreement_counts_pairs_with_the_same_links_and_all_links(benchmark):
    assert benchmark.agreement(["0-0 1-1", "", "2-2"], ["1-1 0-0", "", "2-1"]) == (2, 2 * 2 / 6)
    assert benchmark.agreement([""], [""]) == (1, 1.0)


def test_rows_are_relative_to_simalign_and_links_to_the_program_with_the_method(benchmark):
    measured = {
        "simalign": {"version": "0.4", "peak_mb": 700.0, "runs": [run("itermax", 2.0, ["0-0 1-1", "0-0"])]},
        "awesome-align": {"version": "0.1.7", "peak_mb": 900.0, "runs": [run("softmax", 1.0, ["0-0", "0-1"])]},
        "xalign": {
            "version": "1",
            "peak_mb": 800.0,
            "runs": [
                run("itermax", 0.5, ["1-1 0-0", "0-0 1-0"]),
                run("softmax", 0.8, ["0-0", "0-1"]),
                run("transport", 0.4, ["", ""], "joint", 10),
            ],
        },
    }
    rows = {(row["tool"], row["method"]): row for row in benchmark.compare(measured)}
    ours = rows["xalign", "itermax"]
    assert (ours["pairs_per_second"], ours["times_simalign"], ours["peak_mb"]) == (4.0, 4.0, 800.0)
    assert (ours["equal_pairs"], ours["equal_f1"]) == (1, 2 * 3 / 7)
    assert rows["simalign", "itermax"]["times_simalign"] == 1.0
    assert rows["xalign", "softmax"]["equal_pairs"] == 2
    assert "equal_pairs" not in rows["xalign", "transport"] and "equal_pairs" not in rows["awesome-align", "softmax"]


def test_pairs_are_spread_over_the_text_and_made_once(benchmark, script, monkeypatch, tmp_path):
    made = []
    model = script("benchmark_model")
    monkeypatch.setattr(model, "make", lambda folder, text, **options: made.append((len(text), options["vocabulary"])))
    src, tgt = write_text(tmp_path, ["a  1", "b", "", "d", "e", "f"], ["A", "B", "C", "", "E", "F"])
    folder = benchmark.prepare(tmp_path / "work", src, tgt, 2)
    assert (folder / "src.txt").read_text() == "a 1\ne\n" and (folder / "tgt.txt").read_text() == "A\nE\n"
    assert made == [(12, benchmark.VOCABULARY)]
    assert benchmark.prepare(tmp_path / "work", src, tgt, 2) == folder and len(made) == 1
    assert benchmark.prepare(tmp_path / "work", src, tgt, 4) != folder and len(made) == 2
    with pytest.raises(XalignError, match=r"too few pairs[\s\S]*found: 4[\s\S]*expected: 5"):
        benchmark.prepare(tmp_path / "work", src, tgt, 5)


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
