"""The benchmark of fine-tuning: what it reads from a log, what it runs, its table, and a whole small one."""

import json
from argparse import Namespace

import pytest

from xalign_fairseq.core.errors import XalignError


@pytest.fixture
def benchmark(script):
    return script("benchmark_finetuning")


def reports(*rows):
    """Lines as fairseq-train logs them: update, tokens, tokens a second."""
    each = [{"num_updates": str(update), "wpb": str(tokens), "wps": str(speed)} for update, tokens, speed in rows]
    return "".join(f"2026-11-22 | INFO | train_inner | {json.dumps(row)}\n" for row in each)


def test_tokens_a_second_are_those_of_all_updates_but_the_first(benchmark):
    log = "noise\n" + reports((1, 900, 1.0), (2, 100, 50.0), (3, 300, 300.0))
    assert benchmark.tokens_per_second(log) == pytest.approx(400 / 3)
    with pytest.raises(XalignError, match="fewer than two updates"):
        benchmark.tokens_per_second(reports((1, 900, 1.0)))


@pytest.fixture
def done(benchmark, tmp_path):
    """Two rounds of every variant, each 100 tokens a second faster than the one before; the second round is slower."""
    for place, variant in enumerate(benchmark.VARIANTS, 1):
        for number in (0, 1):
            folder = tmp_path / f"{variant.name}-{number}"
            folder.mkdir()
            (folder / "train.log").write_text(reports((1, 9, 9), (2, 100, 100 * place - 10 * number)))
            (folder / "result.json").write_text(json.dumps({"before": 0.25, "aer": 0.25 - 0.01 * place}))
    return tmp_path


def test_the_fastest_round_counts_and_the_first_row_is_the_measure(benchmark, done):
    rows = benchmark.rows(done, 2, benchmark.VARIANTS)
    assert [row["tokens_per_second"] for row in rows] == pytest.approx([100, 200, 300, 400, 500, 600])
    assert rows[1]["rounds"] == pytest.approx([200, 190]) and rows[1]["after"] == pytest.approx(0.23)
    shown = {"rows": rows, "updates": 20, "batch_size": 16, "machine": "x", "commit": "abc", "command": "benchmark"}
    lines = benchmark.render(shown).splitlines()
    assert [cell.strip() for cell in lines[3].strip("|").split("|")] == [
        "dwa, tlm", "everything trained, float32", "200", "2.0", "25.0", "23.0"
    ]  # fmt: skip
    rows[0]["before"] = rows[0]["after"] = None
    assert benchmark.render(shown).splitlines()[2].endswith("| - | - |")


def test_every_variant_differs_from_the_one_before_in_one_thing(benchmark):
    changing = ("objectives", "frozen", "trimmed", "autocast", "earlier")
    for one, other in zip(benchmark.VARIANTS[:5], benchmark.VARIANTS[1:5], strict=False):
        assert sum(getattr(one, name) != getattr(other, name) for name in changing) == 1


def test_a_baseline_makes_the_first_row_by_its_own_package(benchmark, tmp_path, monkeypatch):
    assert [variant.name for variant in benchmark.variants_beside(None)][:2] == ["plain", "frozen"]
    with pytest.raises(XalignError, match="no checkout"):
        benchmark.variants_beside(tmp_path)
    (tmp_path / "xalign_fairseq").mkdir()
    (tmp_path / "xalign_fairseq/__init__.py").touch()
    monkeypatch.setattr(benchmark, "commit", lambda path: "77983d1")
    variants = benchmark.variants_beside(tmp_path)
    assert [variant.change for variant in variants[:3]] == [
        "everything trained, float32, at commit 77983d1", "this version", "embeddings frozen"
    ]  # fmt: skip
    ran = []
    monkeypatch.setattr(benchmark.subprocess, "run", lambda line, env, cwd: ran.append((env, cwd)) or Done)
    options = dict.fromkeys(("valid_src", "valid_tgt", "valid_gold"))
    options |= {"updates": 4, "batch_size": 2, "lr": 1e-5, "threads": 1, "model": "m", "src": "s", "tgt": "t"}
    args = Namespace(**options, baseline=tmp_path, work=tmp_path)
    monkeypatch.setenv("PYTHONPATH", "here")
    for variant in variants[:2]:
        benchmark.run(args, variant, 0)
    assert [(env["PYTHONPATH"], cwd) for env, cwd in ran] == [(str(tmp_path), tmp_path), ("here", None)]


class Done:
    returncode = 0


TEXT = {
    "train.xx": "the red house\nBob sees the dog .\nAnn likes bread .",
    "train.en": "the house red\nBob finds a dog .\nAnn takes the bread .",
    "dev.xx": "the old king\nthe dog sees Ann",
    "dev.en": "the king old\nAnn sees the dog",
    "dev.gold": "0-0 1-2 2-1\n0-2 1-3 2-1 3-0",
}


@pytest.mark.slow
def test_a_whole_one(benchmark, transfer_encoder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        benchmark, "VARIANTS", (benchmark.VARIANTS[1], benchmark.VARIANTS[-1])
    )  # runs take long to start
    for name, text in TEXT.items():
        (tmp_path / name).write_text(f"{text}\n")
    line = ["--src", tmp_path / "train.xx", "--tgt", tmp_path / "train.en", "--valid-src", tmp_path / "dev.xx"]
    line += ["--valid-tgt", tmp_path / "dev.en", "--valid-gold", tmp_path / "dev.gold", "--work", tmp_path / "work"]
    line += ["--model", transfer_encoder, "--updates", 4, "--batch-size", 2, "--rounds", 1, "--out", tmp_path]
    benchmark.main([str(each) for each in line])
    result = json.loads((tmp_path / "finetuning.json").read_text())
    assert len(result["rows"]) == 2 and all(row["tokens_per_second"] > 0 for row in result["rows"])
    assert all(0 <= row["after"] <= 1 for row in result["rows"])
    assert (tmp_path / "finetuning.md").read_text() in capsys.readouterr().out
