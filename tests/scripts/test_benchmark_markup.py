"""Where tags land on test sets: which runs of words count, and how far a tag is from its place."""

import json

import pytest

from xalign_fairseq.aligner.alignment import Alignment

SENTENCES = {"de": "das rote Haus am See", "en": "house the red by the lake"}
GOLD = "0-1 1-2 2-0 3-3 3-4 4-5\n"


@pytest.fixture
def benchmark(script, monkeypatch, tmp_path):
    for side, text in SENTENCES.items():
        (tmp_path / f"de-en.{side}").write_text(f"{text}\n" * 300)
    (tmp_path / "de-en.gold").write_text(GOLD * 300)
    return script("benchmark_markup")


def test_a_run_counts_if_its_target_words_are_one_run(benchmark, tmp_path):
    [one] = benchmark.find_sets(str(tmp_path))
    found = benchmark.runs(one, 300, 1)
    assert {(*run, *target) for _, run, target in found} == {
        *((0, 1), (1, 2), (2, 0), (3, 3, 4), (4, 5)),
        *((0, 1, 1, 2), (3, 4, 3, 4, 5), (0, 1, 2, 0, 1, 2), (0, 1, 2, 3, 0, 1, 2, 3, 4)),
    }
    assert len(benchmark.runs(one, 3, 1)) == 3


def test_gold_links_are_right_and_others_are_as_far_off_as_they_are(benchmark, tmp_path, monkeypatch):
    class Off:
        def align(self, src, tgt):
            return [Alignment(a, b, {(0, 1): 1.0, (1, 3): 1.0}) for a, b in zip(src, tgt, strict=True)]

    monkeypatch.setattr(benchmark, "load_aligner", lambda name: Off())
    monkeypatch.setattr(benchmark, "runs", lambda *_: [(0, range(1, 2), range(2, 3)), (1, range(0, 2), range(1, 3))])
    monkeypatch.setattr("sys.argv", ["benchmark_markup.py", str(tmp_path), "--out", str(tmp_path / "out")])
    assert benchmark.main() == 0
    [found] = json.loads((tmp_path / "out/markup.json").read_text())["results"].values()
    assert found["gold"] == {"distance": 0.0, "exact": 1.0, "pairs": 2}
    assert found["links"] == found["hull"] == {"distance": 0.75, "exact": 0.0, "pairs": 2}
    assert found["position"] == {"distance": 1.0, "exact": 0.0, "pairs": 2}
    assert "| 2 | 0.00 (100%) | 0.75 (0%) |" in (tmp_path / "out/markup.md").read_text()
