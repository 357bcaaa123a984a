"""The benchmark of encoders beside statistics, on a made-up text with encoders that find half of the links or all."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from support.text import write_bitext

from xalign_fairseq.aligner.alignment import Alignment
from xalign_fairseq.aligner.combined import SCORING
from xalign_fairseq.transport.linking import Linking

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


class Diagonal:
    """Links the first so many words of each pair to those at their places."""

    def __init__(self, words):
        self.words = words

    def stream(self, pairs, progress=None):
        for src, tgt in pairs:
            yield Alignment(src, tgt, {(k, k): 1.0 for k in range(min(self.words, len(src)))})
            if progress:
                progress(1)


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    spec = importlib.util.spec_from_file_location("benchmark_statistics", SCRIPTS / "benchmark_statistics.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def text(tmp_path):
    folder = tmp_path / "text" / "de-en"
    folder.mkdir(parents=True)
    for path in map(Path, write_bitext(folder)):
        lines = path.read_text().splitlines(keepends=True)
        path.rename(folder / f"all{path.suffix}")
        (tmp_path / f"test{path.suffix}").write_text("".join(lines[-4:]))
    (tmp_path / "test.gold").write_text("0-0 1-1 2-2 3-3\n" * 4)
    sets = {"test": {"begin": 44, "end": 48, "gold": str(tmp_path / "test.gold")}}
    (folder / "sets.json").write_text(json.dumps(sets))
    return tmp_path / "text"


def test_encoders_alone_and_beside_statistics(benchmark, text, tmp_path, monkeypatch):
    asked = []

    class Alone:
        @staticmethod
        def from_pretrained(path, linking):
            asked.append((path, linking))
            return Diagonal(2)

    def both(path, statistics):
        assert (statistics / "statistical.json").is_file() and (statistics / "scores-00000.npz").is_file()
        asked.append(path)
        return Diagonal(4)

    monkeypatch.setattr(benchmark, "Aligner", Alone)
    monkeypatch.setattr(benchmark, "load_aligner", both)
    arguments = [str(text), "de-en", "--work", str(tmp_path / "work"), "--out", str(tmp_path)]
    benchmark.main([*arguments, "--model", "mine=a.pt", "--limit", "40"])
    assert asked == [("a.pt", Linking("grow")), ("a.pt", SCORING), "a.pt"]
    record = json.loads((tmp_path / "statistics.json").read_text())["de-en 40 1"]
    assert record["pairs"] == 44
    found = record["sets"]["test"]["systems"]
    assert found["statistics"]["aer"] == 0
    # Half of the links: precision 1, recall 0.5, AER 1 - 2 * 2 / (2 + 4).
    assert found["mine"]["aer"] == pytest.approx(1 / 3)
    assert (found["mine"]["precision"], found["mine"]["recall"]) == (1, 0.5)
    assert found["mine + statistics"]["aer"] == 0
    assert record["sets"]["test"]["tests"]["mine"]["difference"] == pytest.approx(-1 / 3)
    # --limit 0 is the text of the sets alone; e5-small is the default.
    benchmark.main([*arguments, "--limit", "0"])
    assert asked[3:] == [("e5-small", Linking("grow")), ("e5-small", SCORING), "e5-small"]
    sizes = (tmp_path / "statistics_sizes.md").read_text().splitlines()
    columns = "| pair | pairs of text | draws | statistics | mine | mine + statistics | statistics by mine |"
    assert sizes[0].startswith(columns)
    assert sizes[2].startswith("| de-en | 4 | 1 |") and "|  |  |  | 33.3 | 0.0 |" in sizes[2]
    assert sizes[3] == "| de-en | 44 | 1 | 0.0 | 33.3 | 0.0 | 0.0 |  |  |  |"
    table = (tmp_path / "statistics.md").read_text()
    assert "| de-en | test | 44 | 0.0 | 33.3 | 0.0 | 0.0 | -33.3 (-33.3 to -33.3), 0.0" in table
    assert "| mean | test |  | 0.0 | 33.3 | 0.0 | 0.0 |  |" in table
    assert "mine + statistics" in table.split("second")[1]
    assert (tmp_path / "statistics.png").stat().st_size > 0


@pytest.mark.parametrize("given", ["mine", "=a.pt", "mine="])
def test_a_model_without_a_name_or_a_path(benchmark, text, given, capsys):
    with pytest.raises(SystemExit):
        benchmark.main([str(text), "de-en", "--model", given])
    assert "NAME=PATH" in capsys.readouterr().err


def test_seeds_of_one_encoder_have_a_mean_and_a_deviation_of_it(benchmark):
    """The mean of the pairs deviates as the seeds' means do, which here are equal although no pair's figures are."""

    def record(first, second):
        aers = {"so-1": first, "so-1 + statistics": 0, "statistics by so-1": 0.5, "statistics": 1, "mine-7": 1,
                "so-2": second, "so-2 + statistics": 0, "statistics by so-2": 0.5}  # fmt: skip
        systems = {name: {"aer": aer} for name, aer in aers.items()}
        origin = {"machine": "M", "commit": "C", "command": "benchmark"}
        return {"pairs": 4, "models": ["so-1", "mine-7", "so-2"], "sets": {"test": {"systems": systems}}, **origin}

    records = {"de-en 0 1": record(0.1, 0.2), "ro-en 0 1": record(0.3, 0.2)}
    assert benchmark.seeds_of(records) == {"so": ["so-1", "so-2"]}
    lines = benchmark.write_seeds(records).splitlines()
    assert lines[0] == "| pair | pairs of text | so | so + statistics | statistics by so |"
    assert lines[2] == "| de-en | 4 | 15.0 ± 7.1 | 0.0 ± 0.0 | 50.0 ± 0.0 |"
    assert lines[3] == "| ro-en | 4 | 25.0 ± 7.1 | 0.0 ± 0.0 | 50.0 ± 0.0 |"
    assert lines[4] == "| mean |  | 20.0 ± 0.0 | 0.0 ± 0.0 | 50.0 ± 0.0 |"
    assert "so: 2 seeds. M, commit C; `benchmark`" in lines[-1]
    # What other runs have left of other encoders has no cells, and there is no mean of all pairs.
    other = {**record(0, 0), "models": ["e5-small"], "sets": {"test": {"systems": {"e5-small": {"aer": 0.5}}}}}
    lines = benchmark.write_seeds({"en-hi 0 1": other, "ro-en 0 1": records["ro-en 0 1"]}).splitlines()
    assert lines[2:5] == ["| en-hi | 4 |  |  |  |", "| ro-en | 4 | 25.0 ± 7.1 | 0.0 ± 0.0 | 50.0 ± 0.0 |",
                          "| mean |  |  |  |  |"]  # fmt: skip
