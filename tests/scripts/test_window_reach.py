"""The distances of linked words in one sequence, and shares beyond a window, by hand."""

import json

import numpy as np
import pytest


@pytest.fixture
def reaching(script):
    return script("window_reach")


class Letters:
    """Every letter is a token."""

    def encode_words(self, words):
        index = [number for number, word in enumerate(words) for _ in word]
        return list(range(len(index))), index


def test_distances_are_those_of_first_tokens_in_one_sequence(reaching):
    # <s> a b b </s> c d </s>: a is at 1, bb at 2, c at 5, d at 6.
    found = reaching.link_distances(Letters(), ["a", "bb", ""], ["c", "d"], {(0, 0), (1, 1), (2, 0)})
    assert sorted(found.tolist()) == [4, 4]


def test_shares_are_of_links_and_of_pairs(reaching):
    distances = [np.array([5, 70]), np.array([5, 6]), np.array([], dtype=np.int64)]
    found = reaching.reach(distances, 64)
    assert found["links beyond"] == 0.25 and found["links beyond, longest tenth"] == 0.5
    assert found["pairs with one"] == pytest.approx(1 / 3) and found["median distance"] == 5.5


def test_several_gold_sets_make_a_table(reaching, tmp_path, monkeypatch):
    for name in ("de-en", "en-fr"):
        for part, line in zip((*name.split("-"), "gold"), ("a bb", "c d", "0-0 1p1"), strict=True):
            (tmp_path / f"{name}.{part}").write_text(line + "\n")
    monkeypatch.setattr(reaching, "read_tokenizer", lambda name: Letters())
    prefixes = [str(tmp_path / name) for name in ("de-en", "en-fr")]
    monkeypatch.setattr("sys.argv", ["window_reach.py", *prefixes, "--window", "3", "--out", str(tmp_path)])
    reaching.main()
    sets = json.loads((tmp_path / "window_reach.json").read_text())["sets"]
    assert sets["de-en"]["links beyond"] == 1 and sets["de-en"]["pairs"] == 1
    assert "| en-fr | 1 | 100.0 % | 100.0 % | 100.0 % | 4 |" in (tmp_path / "window_reach.md").read_text()
