"""The benchmark of training: its requests to contestants, its comparisons, and the contestants themselves."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from xalign_fairseq.core.errors import XalignError

CONTENTS = {"tokens": 100.0, "padding": 0.1, "pairs": 2.0, "blocks": 1.0, "predictions": 15.0}
SECONDS = {"fairseq": 2.0, "xalign, MLM + TLM": 1.0, "transformers": 4.0, "xalign, XLM-Align": 1.25}


@pytest.fixture
def benchmark(script):
    return script("benchmark_training")


@pytest.fixture
def asked(benchmark, monkeypatch):
    """Requests to contestants, (name, request); answers come at once, those in ``asked.broken`` with an error."""
    questions = []
    losses = dict.fromkeys(SECONDS, 7.5) | {"xalign, XLM-Align": 6.0}
    state = SimpleNamespace(questions=questions, broken={}, losses=losses, ended=[])

    class Process:
        def __init__(self, name, setting):
            self.name = name

        def send(self, what):
            questions.append((self.name, what))
            self.what = what

        def receive(self):
            if self.what in state.broken.get(self.name, ()):
                raise XalignError("ImportError: No module named 'x'")
            return {
                "begin": {"first_loss": losses[self.name], "contents": CONTENTS},
                "round": {"tokens": 200, "seconds": SECONDS[self.name], "peak_mb": 500.0},
            }[self.what]

        def end(self):
            state.ended.append(self.name)

    monkeypatch.setattr(benchmark, "Process", Process)
    return state


@pytest.fixture
def run(benchmark, monkeypatch, tmp_path):
    """Run the script on a simulated data-bin; return the results file's content."""
    data, out = tmp_path / "data-bin", tmp_path / "out"
    data.mkdir()
    (data / "dict.txt").write_text("a 1\n")

    def call(*options):
        line = ["benchmark_training.py", "--data-bin", data, "--work", tmp_path / "work", "--out", out]
        line += ["--pairs", "any", "--processes", 1, "--memory", "own", *options]
        monkeypatch.setattr("sys.argv", list(map(str, line)))
        benchmark.main()
        return json.loads((out / "training-cpu.json").read_text())

    call.out = out
    return call


def test_rounds_alternate_and_are_compared_with_fairseq_s(run, asked):
    result = run("--arch", "tiny", "--dtype", "float32", "--rounds", "2", "--threads", "1")
    names = list(SECONDS)
    begin, rounds = [(name, "begin") for name in names], [(name, "round") for name in names]
    assert asked.questions == [*begin, *rounds, *rounds]
    assert sorted(asked.ended) == sorted(names)
    rows = {row["contestant"]: row for row in result["rows"]}
    assert rows["fairseq"]["tokens_per_second"] == [100.0, 100.0, 100.0]
    assert rows["xalign, MLM + TLM"]["times_fairseq"] == [2.0, 2.0, 2.0]
    assert rows["transformers"]["times_fairseq"] == [0.5, 0.5, 0.5]
    whole = rows["xalign, XLM-Align"]
    assert whole["rounds"] == 2
    assert result["seed"] == 1 and result["device"] == "cpu" and result["threads"] == 1
    assert {"commit", "machine", "cores"} <= result.keys() and "torch" in result["versions"]
    expected = "benchmark_training.py --device cpu --arch tiny --dtype float32 --pairs any --processes 1 --memory own"
    assert result["command"] == f"{expected} --rounds 2 --data-bin data-bin"
    assert all(row["batches"] == CONTENTS and row["vocabulary"] == "given" for row in result["rows"])
    assert whole["times_masked"] == [1.25, 1.25, 1.25] and "times_masked" not in rows["fairseq"]


@pytest.mark.parametrize("name", ["fairseq", "xalign, MLM + TLM", "transformers"])
def test_different_first_losses_write_no_results(run, asked, name):
    asked.losses[name] = 7.5 * (1 + 1e-4)
    with pytest.raises(XalignError, match=r"losses differ[\s\S]*" + name.replace("+", r"\+")):
        run("--arch", "tiny", "--dtype", "float32")
    assert not run.out.exists() and ("fairseq", "round") not in asked.questions
    assert len(asked.ended) == 4


def test_the_table_and_the_picture(run, asked, script):
    run("--arch", "tiny", "base", "--dtype", "float32", "bfloat16", "--rounds", "1", "--threads", "2")
    text = (run.out / "training.md").read_text()
    assert "CPU, 2 threads:" in text and "GPU: not measured." in text
    which = "| base, bfloat16, given vocabulary, pairs of any length | 10.0 % | xalign, XLM-Align |"
    assert f"{which} 160 (160 to 160) | 1.60 (1.60 to 1.60) | 500 | 1.25 (1.25 to 1.25) |" in text
    assert "pairs of any length: 100 tokens a batch (2 pairs, 1 blocks, 15 predictions)" in text
    assert "given: as in the data-bin" in text
    assert (run.out / "training.png").read_bytes().startswith(b"\x89PNG")
    # Rounds restored from a log have no memory figures.
    found = json.loads((run.out / "training-cpu.json").read_text())
    for row in found["rows"]:
        del row["peak_mb"]
    assert "| 160 (160 to 160) | 1.60 (1.60 to 1.60) | - | 1.25" in script("training_report").render({"cpu": found})


@pytest.fixture
def setting(script, databin):
    return script("training_batches").Setting("tiny", "float32", "cpu", 256, str(databin), 1, 1)


@pytest.mark.slow
def test_all_begin_with_the_same_loss_of_the_same_batches(script, setting, transformers):
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


def test_cuda_graphs_take_part_in_half_precision_on_a_gpu(script, setting):
    contestants = script("training_contestants")
    assert contestants.GRAPHS not in contestants.contestants_of(setting)
    gpu = replace(setting, device="cuda", dtype="bfloat16")
    assert contestants.contestants_of(gpu)[:3] == ["fairseq", "xalign, MLM + TLM", contestants.GRAPHS]
    assert contestants.GRAPHS not in contestants.contestants_of(replace(gpu, dtype="float32"))
    made = contestants.PROFILED[contestants.GRAPHS](setting)  # eager layers compute its first loss
    eager = contestants.CONTESTANTS["xalign, MLM + TLM"](setting)
    assert made.model.encoder.sentence_encoder.graphs and made.first_loss() == eager.first_loss()
