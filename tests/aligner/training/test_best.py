"""All steps of an aligner: what is made once, what gold judges, what goes on after a break, and what is used."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from xalign_fairseq.aligner.best import read_best
from xalign_fairseq.aligner.combined import CombinedAligner
from xalign_fairseq.aligner.gold_sets import read_set
from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.training import best
from xalign_fairseq.aligner.training.best import HELD_OUT, BestRun, train_best
from xalign_fairseq.aligner.training.gold import judging_part, learned_part
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.transport.scorer_files import load_scorer

STEPS = ["links", "encoder", "scorer", "statistics"]


@pytest.fixture
def trained(monkeypatch, tiny_checkpoint):
    """The runs of self-training, which leave the encoder as it was."""
    runs = []

    def train_aligner(run, say, progress):
        runs.append(run)
        assert len(list(read_lines(run.links))) == len(list(read_lines(run.src))) == 40
        run.out.mkdir(exist_ok=True)
        shutil.copy(tiny_checkpoint, run.out / "checkpoint_last.pt")

    monkeypatch.setattr(best, "train_aligner", train_aligner)
    return runs


@pytest.fixture
def run(tiny_text, tiny_checkpoint, tmp_path):
    gold = tmp_path / "en-xx.gold"
    for ending in ("en", "xx", "gold"):
        shutil.copy(tiny_text / f"text.{ending}", gold.with_suffix(f".{ending}"))
    text = (str(tiny_text / "text.en"), str(tiny_text / "text.xx"))
    return BestRun(*text, tmp_path / "best", ("en", "xx"), [str(gold)], str(tiny_checkpoint), device="cpu", quiet=True)


def test_the_folder_holds_all_steps_and_aligns_by_itself(run, trained):
    said = []
    result = train_best(run, said.append)
    assert list(result["steps"]) == STEPS and len(trained) == 1
    assert trained[0].objectives == ("self_training",) and trained[0].links == str(run.out / "links.txt")
    _, record = load_scorer(run.out / "scorer" / "scorer.npz")
    assert record["held_out"] == HELD_OUT and record["sets"]["en-xx"]["pairs"] == 32
    for name, step in result["steps"].items():
        assert (step["aer"] is None) == (name == "links") and step["cpu_seconds"] >= 0
        assert step["used"] == (step["aer"] is None or step["aer"] <= step["before"])
    assert result["steps"]["encoder"]["aer"] == result["steps"]["encoder"]["before"]  # the same weights
    pairs = read_set(Path(run.golds[0])).pairs
    with load_aligner(run.out, device="cpu") as aligner:
        links = [set(pair.links) for pair in aligner.stream(pairs)]
        assert isinstance(aligner, CombinedAligner) == result["steps"]["statistics"]["used"]
    assert any(links)
    shutil.move(run.out, run.out.with_name("moved"))
    with load_aligner(run.out.with_name("moved"), device="cpu") as aligner:
        assert [set(pair.links) for pair in aligner.stream(pairs)] == links


def test_finished_steps_are_not_made_again(run, trained, monkeypatch):
    def broken(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken_off:
        broken_off.setattr(best, "learn_beside", broken)
        with pytest.raises(KeyboardInterrupt):
            train_best(run, lambda line: None)
    before = read_json(run.out / "steps.json")
    assert list(before) == STEPS[:3] and read_best(run.out) is None
    with monkeypatch.context() as nothing:
        nothing.setattr(best, "align_files", broken)
        nothing.setattr(best, "train_scorer", broken)
        result = train_best(run, lambda line: None)
        assert {name: result["steps"][name] for name in before} == before
        nothing.setattr(best, "learn_beside", broken)
        assert train_best(run, lambda line: None) == result
    assert len(trained) == 1
    with pytest.raises(XalignError, match="of another run"):
        train_best(replace(run, seed=2), lambda line: None)


def test_without_gold_every_step_is_used_and_nothing_judged(run, trained):
    result = train_best(replace(run, golds=()), lambda line: None)
    assert list(result["steps"]) == ["links", "encoder", "statistics"]  # no link scorer is packaged for this encoder
    assert all(step["used"] and step["aer"] is None for step in result["steps"].values())
    assert (result["method"], result["scorer"], result["statistics"]) == ("grow", "", "statistics")


def test_a_step_with_a_higher_aer_is_not_used(run, trained, monkeypatch):
    found = iter([0.2, 0.3, 0.2, 0.1, 0.1, 0.4])
    monkeypatch.setattr(best._Steps, "_judge", lambda self, parts, judges: next(found))
    result = train_best(run, lambda line: None)
    assert [step["used"] for step in result["steps"].values()] == [True, False, True, False]
    assert result["encoder"] == run.model and result["scorer"] == "scorer/scorer.npz" and not result["statistics"]
    assert read_best(run.out).statistics is None


def test_no_pair_both_trains_and_judges(run):
    gold = read_set(Path(run.golds[0]))
    learned, judging = learned_part(gold, HELD_OUT), judging_part(gold, HELD_OUT)
    both = [*zip(learned.pairs, learned.golds, strict=True), *zip(judging.pairs, judging.golds, strict=True)]
    assert len(judging.pairs) == 8 and judging.pairs[0] == gold.pairs[4]
    assert sorted(map(repr, both)) == sorted(map(repr, zip(gold.pairs, gold.golds, strict=True)))
    assert learned_part(gold, 0) == gold


def test_gold_too_small_to_judge_is_refused_before_the_work(run, trained, tmp_path):
    small = tmp_path / "en-yy.gold"
    small.write_text("0-0\n")
    small.with_suffix(".en").write_text("red\n")
    small.with_suffix(".yy").write_text("house\n")
    with pytest.raises(XalignError, match="gold sets are too small"):
        train_best(replace(run, golds=[str(small)]), lambda line: None)
    assert not run.out.exists()


def test_gold_that_the_packaged_scorer_has_seen_does_not_judge_it(run, trained, monkeypatch):
    monkeypatch.setattr(best, "scoring_method", lambda *given, **more: "scored")
    judged = []

    def judge(self, parts, judges):
        judged.append((parts.linking.method, parts.linking.options, [each.name for each in judges]))
        return 0.5

    monkeypatch.setattr(best._Steps, "_judge", judge)
    monkeypatch.setattr(best._Steps, "_fit", lambda self, encoder: None)
    monkeypatch.setattr(best._Steps, "_learn", lambda self, parts: None)
    [gold] = run.judges
    with monkeypatch.context() as seen:
        seen.setattr(best, "packaged_record", lambda: {"sets": {"en-xx": {"sha256": gold.digest}}})
        steps = train_best(run, lambda line: None)["steps"]
    assert list(steps) == ["links", "encoder", "packaged scorer", "scorer", "statistics"]
    assert [step["aer"] for step in steps.values()] == [None, 0.5, None, None, 0.5]
    assert [method for method, _, _ in judged] == ["grow", "grow", "scored", "scored"]
    judged.clear()
    steps = train_best(replace(run, out=run.out / "other"), lambda line: None)["steps"]
    assert [step["aer"] for step in steps.values()] == [None, 0.5, 0.5, 0.5, 0.5]
