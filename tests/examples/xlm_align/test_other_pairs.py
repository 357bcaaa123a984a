"""Self-training on other pairs: their text, what is scored, and the table."""

import pytest

from tests.examples.recipes import load
from tests.examples.stand_ins import run_script
from xalign_fairseq.core.json_files import read_json, write_json

other_text, score = load("xlm_align/other_pairs", "other_text", "score")

ASSEMBLE = """SOURCES = {}


def main(pair, out):
    out.mkdir(parents=True)
    (out / "made").write_text(f"{pair} {len(SOURCES[pair])} {SOURCES[pair][0]}")
"""


def test_text_is_assembled_as_the_benchmarks(tmp_path):
    (tmp_path / "assemble.py").write_text(ASSEMBLE)
    other_text.main(tmp_path, "en-ja", tmp_path / "text/en-ja")
    made = (tmp_path / "text/en-ja/made").read_text()
    assert made == "en-ja 3 ('tatoeba-manythings/en-ja.en', 'tatoeba-manythings/en-ja.ja')"


def test_no_scored_set_chooses_how_links_are_read():
    assert not set(score.study.DEVELOPMENT) & set(score.NAMES)
    assert len(set(score.NAMES)) == len(score.NAMES)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Two seeds of one choice of pairs, one of another, and a run that is not finished; what was scored."""
    calls = []

    def scored(model, setting, gold, development, names):
        calls.append(str(model))
        return {"chosen": min(development, key=development.get), "test": dict.fromkeys(names, 10.0 + len(calls))}

    monkeypatch.setattr(score, "scored", scored)
    monkeypatch.setattr(score, "whole_model", lambda run, out: f"whole of {run.parent.name}/{run.name}")
    for name in ("cs/so-1", "cs/so-2", "four/so-1"):
        curve = [{"aer": {"first": 21.0, "other": 22.0}}, {"aer": {"first": 19.0, "other": 18.0}}]
        run = tmp_path / name
        run.mkdir(parents=True)
        write_json(run / "result.json", {"seed": int(name[-1]), "options": {}, "development": curve})
    (tmp_path / "four/so-2").mkdir()
    return tmp_path, calls


def test_finished_runs_are_scored_once(runs):
    folder, calls = runs
    found = score.collect(folder, folder)
    assert calls == ["e5-small", "whole of cs/so-1", "whole of cs/so-2", "whole of four/so-1"]
    assert [(each["choice"], each["run"], each["chosen"]) for each in found] == [
        ("none", "so-0", "first"), ("cs", "so-1", "other"), ("cs", "so-2", "other"), ("four", "so-1", "other")
    ]  # fmt: skip
    assert score.collect(folder, folder) == found and len(calls) == 4


def test_seeds_of_several_digits_are_scored_too(runs):
    folder, calls = runs
    (folder / "cs/so-2").rename(folder / "cs/so-12")
    score.collect(folder, folder)
    assert calls == ["e5-small", "whole of cs/so-1", "whole of cs/so-12", "whole of four/so-1"]


def test_pairs_that_a_run_has_not_seen_are_in_italics(runs):
    folder, _ = runs
    _, _, none, cs, four = score.table(score.collect(folder, folder)).splitlines()
    assert none == "| nothing: e5-small as it comes |  | *11.0* | *11.0* | *11.0* | *11.0* | *11.0* |"
    assert cs.startswith("| cs | 2 | *12.5 ± 0.7* | 12.5 ± 0.7 | *12.5 ± 0.7* |")
    assert four == "| de, fr, hi, ro | 1 | 14.0 | *14.0* | *14.0* | *14.0* | *14.0* |"


def test_the_page_is_written_from_its_results(tmp_path):
    """The table of the page is that of results.json."""
    page = (score.HERE / "README.md").read_text()
    assert score.table(read_json(score.HERE / "results.json")["runs"]) in page


def test_the_script_says_what_it_lacks(tmp_path):
    text, runs = tmp_path / "text", tmp_path / "runs"
    done = run_script(tmp_path, "xlm_align/other_pairs/run.sh", text, runs, BENCHMARK=str(tmp_path))
    assert done.returncode == 2 and "no assemble.py" in done.stderr
