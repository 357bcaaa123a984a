"""The table that compares programs has the figures of the results files."""

import shutil
from pathlib import Path

import pytest

from xalign_fairseq.core.json_files import read_json, write_json

ROOT = Path(__file__).parents[2]


@pytest.fixture
def peers(script):
    return script("peers")


@pytest.fixture
def results(tmp_path, peers):
    """The results that the table needs, with two seeds of a fine-tuned aligner."""
    for name in (*peers.FILES, peers.PUBLISHED):
        path = tmp_path / "scripts/results" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "scripts/results" / f"{name}.json", path)
    for seed, aer in ((1, 19.0), (2, 20.0)):
        path = tmp_path / peers.FINE_TUNED / peers.RUNS.replace("*", str(seed))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {"test": {"test": {"mean": aer}}})
    return tmp_path


def test_statistics_are_those_of_the_largest_texts(peers, results):
    systems = ("e5-small + statistics", "so-grow + statistics")
    records = {
        key: {
            "pairs": pairs,
            "sets": {"test": {"systems": {name: {"aer": aer} for name, aer in zip(systems, found, strict=True)}}},
        }
        for pair in peers.SETS
        for key, pairs, found in ((f"{pair} 5 1", 5, (0.9, 0.9)), (pair, 9, (0.2, 0.1)))
    }
    write_json(results / "scripts/results/statistics.json", records)
    aers = {pair: {"test": 20.0 + number} for number, pair in enumerate(peers.SETS)}
    write_json(results / "scripts/results/statistics-scored.json", {"aer": aers})
    seeds = [
        {pair: {"aer": {"test": {"links": aer + at}}} for at, pair in enumerate(peers.SETS)} for aer in (14.0, 16.0)
    ]
    write_json(results / "scripts/results/best.json", {"measured": seeds})
    [row] = [line for line in peers.table(results).splitlines() if "fine-tuned without gold" in line]
    assert row.split(" | ")[1] == "21.5, 10.0, 16.5"


def test_the_repository_has_all_of_them(peers):
    aer = read_json(ROOT / "scripts/results/defaults-e5-small-test.json")["mean"]
    assert f"| ... mean AER without any gold (`--method grow`) | {100 * aer:.1f} |" in peers.table(ROOT)
    scored = read_json(ROOT / "scripts/results/defaults-e5-small-scored-test.json")["mean"]
    assert f"(its scorer was trained on gold of other languages) | {100 * scored:.1f} |" in peers.table(ROOT)


def test_others_are_quoted_by_test_set(peers):
    rows = {row[0]: row[1:] for row in (line.strip("| ").split(" | ") for line in peers.published(ROOT).splitlines())}
    assert rows["aligner"][:6] == ["de-en", "en-fr", "en-hi", "ro-en", "ja-en", "mean of the first four"]
    assert rows["awesome-align, fine-tuned (published)"][:6] == ["15.2", "4.1", "–", "22.6", "37.4", "–"]
    assert rows["XLM-Align's aligner (published)"][:6] == ["17.4", "6.7", "31.9", "26.5", "–", "20.6"]
    assert rows["`e5-small (scored: trained on gold of other languages)`"][:6] == (
        ["14.4", "4.7", "29.4", "24.8", "39.4", "18.3"]
    )
    best = read_json(ROOT / "scripts/results/best.json")["measured"][0]
    aers = [best[pair]["aer"]["test"]["links"] for pair in peers.SETS]
    assert rows["`train-aligner --best`"][:6] == [*(f"{each:.1f}" for each in aers), "–", f"{sum(aers) / 4:.1f}"]
    table = peers.table(ROOT)
    for each in (
        "15.2 de-en, 4.1 en-fr, 22.6 ro-en, 37.4 ja-en",
        "17.4 de-en, 5.6 en-fr, 27.9 ro-en, 45.6 ja-en",
        "22.6 de-en, 8.2 en-fr, 25.1 ro-en, 47.5 ja-en",
        "19 de-en, 7 en-fr, 39 en-hi, 29 ro-en",
    ):
        assert f"{each} (published" in table


def test_every_published_figure_has_a_source(peers):
    for row in read_json(ROOT / "scripts/results" / f"{peers.PUBLISHED}.json")["rows"]:
        assert "https://" in row["source"] and row["conditions"] and row["aer"].keys() <= set(peers.COLUMNS)
