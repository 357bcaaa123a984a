import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from xalign_fairseq.aligner.combined import CombinedAligner
from xalign_fairseq.aligner.gold_sets import read_set
from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.options import BestParts, read_best
from xalign_fairseq.aligner.training import best
from xalign_fairseq.aligner.training import gold as gold_module
from xalign_fairseq.aligner.training.best import HELD_OUT, BestRun, train_best
from xalign_fairseq.aligner.training.gold import judging_part, learned_part
from xalign_fairseq.aligner.training.low_rank import Changing
from xalign_fairseq.aligner.training.scorer_fitting import Fitting
from xalign_fairseq.core.array_files import ArrayForm, read_arrays
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.encoder.pretrained.low_rank import NAME, record_of

STEPS = ["gold", "links"]


@pytest.fixture(autouse=True)
def briefly(monkeypatch):
    """Training on gold takes few updates."""
    monkeypatch.setattr(gold_module, "Fitting", partial(Fitting, epochs=1, updates=1))
    monkeypatch.setattr(gold_module, "Changing", partial(Changing, epochs=0, updates=2))


@pytest.fixture
def trained(monkeypatch, tiny_checkpoint):
    """Self-training runs that leave the encoder unchanged."""
    runs = []

    def train_aligner(run, say, hear):
        runs.append(run)
        assert len(list(read_lines(run.links))) == len(list(read_lines(run.src))) == 40
        run.out.mkdir(exist_ok=True)
        shutil.copy(tiny_checkpoint, run.out / "checkpoint_last.pt")

    monkeypatch.setattr(best, "train_aligner", train_aligner)
    return runs


@pytest.fixture
def kind(monkeypatch):
    """Finds no step worse, because an untrained encoder has a random AER."""
    judge = best._Steps._judge
    monkeypatch.setattr(best._Steps, "_judge", lambda self, *parts: tuple(sorted(judge(self, *parts), reverse=True)))


@pytest.fixture
def run(tiny_text, tiny_checkpoint, tmp_path):
    gold = tmp_path / "en-xx.gold"
    for ending in ("en", "xx", "gold"):
        shutil.copy(tiny_text / f"text.{ending}", gold.with_suffix(f".{ending}"))
    text = (str(tiny_text / "text.en"), str(tiny_text / "text.xx"))
    return BestRun(*text, tmp_path / "best", ("en", "xx"), [str(gold)], str(tiny_checkpoint), device="cpu", quiet=True)


def test_the_folder_holds_all_steps_and_aligns_by_itself(run, trained, kind):
    result = train_best(run, print)
    assert list(result["steps"]) == STEPS and not trained
    record = record_of(read_arrays(run.out / "gold" / "encoder.npz", ArrayForm(np.generic)))
    assert record["held_out"] == HELD_OUT and record["sets"]["en-xx"]["pairs"] == 32
    for step in result["steps"].values():
        assert step["cpu_seconds"] >= 0 and step["used"] and 0 < step["aer"] <= step["before"] <= 1
    pairs = read_set(Path(run.golds[0])).pairs
    with load_aligner(run.out, device="cpu") as aligner:
        links = [set(pair.links) for pair in aligner.stream(pairs)]
        assert isinstance(aligner, CombinedAligner)
    assert any(links)
    shutil.move(run.out, run.out.with_name("moved"))
    with load_aligner(run.out.with_name("moved"), device="cpu") as aligner:
        assert [set(pair.links) for pair in aligner.stream(pairs)] == links


def test_finished_steps_are_not_repeated(run, trained, kind, monkeypatch):
    def broken(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken_off:
        broken_off.setattr(best, "align_files", broken)
        with pytest.raises(KeyboardInterrupt):
            train_best(run, lambda line: None)
    before = read_json(run.out / "steps.json")
    assert list(before) == STEPS[:1] and read_best(run.out) is None
    with monkeypatch.context() as nothing:
        nothing.setattr(best, "train_scorer", broken)
        result = train_best(run, lambda line: None)
        assert {name: result["steps"][name] for name in before} == before
        nothing.setattr(best, "align_files", broken)
        assert train_best(run, lambda line: None) == result
    with pytest.raises(XalignError, match="another run"):
        train_best(replace(run, seed=2), lambda line: None)


def test_without_gold_every_step_is_used_and_nothing_judged(run, trained):
    result = train_best(replace(run, golds=()), lambda line: None)
    assert list(result["steps"]) == ["links", "encoder"] and len(trained) == 1
    assert trained[0].objectives == ("self_training",) and trained[0].links == str(run.out / "links.txt")
    assert all(step["used"] and step["aer"] is None for step in result["steps"].values())
    assert (result["method"], result["trained"], result["gold"]) == ("grow", "encoder", "")
    assert result["statistics"] == "links.txt.aligner"


def test_a_step_with_a_higher_aer_is_not_used(run, trained, monkeypatch):
    found = iter([(0.2, 0.3), (0.2, 0.1), (0.1, 0.4)])
    monkeypatch.setattr(best._Steps, "_judge", lambda self, before, after: next(found))
    result = train_best(run, lambda line: None)
    assert [step["used"] for step in result["steps"].values()] == [False, True, False]
    assert read_best(run.out) == BestParts(run.model, "grow", statistics=run.out / "links.txt.aligner")


def test_an_encoder_that_has_learned_from_gold_is_not_trained_on_the_bitext(run, trained, monkeypatch):
    found = iter([(0.2, 0.2), (0.2, 0.3)])
    monkeypatch.setattr(best._Steps, "_judge", lambda self, before, after: next(found))
    assert list(train_best(run, lambda line: None)["steps"]) == STEPS and not trained
    assert read_best(run.out) == BestParts(str(run.out / "gold" / "encoder.npz"), "scored")


def test_no_pair_is_used_for_training_and_evaluation(run):
    gold = read_set(Path(run.golds[0]))
    learned, judging = learned_part(gold, HELD_OUT), judging_part(gold, HELD_OUT)
    both = [*zip(learned.pairs, learned.golds, strict=True), *zip(judging.pairs, judging.golds, strict=True)]
    assert len(judging.pairs) == 8 and judging.pairs[0] == gold.pairs[4]
    assert sorted(map(repr, both)) == sorted(map(repr, zip(gold.pairs, gold.golds, strict=True)))
    assert learned_part(gold, 0) == gold


def test_too_little_gold_is_refused_before_training(run, trained, tmp_path):
    small = tmp_path / "en-yy.gold"
    small.write_text("0-0\n")
    small.with_suffix(".en").write_text("red\n")
    small.with_suffix(".yy").write_text("house\n")
    with pytest.raises(XalignError, match="gold sets are too small"):
        train_best(replace(run, golds=[str(small)]), lambda line: None)
    with pytest.raises(XalignError, match="colon"):
        train_best(replace(run, out=tmp_path / "x:y"), lambda line: None)
    assert not run.out.exists()


def test_gold_that_can_evaluate_a_step(run, trained, monkeypatch):
    judged = []

    def aer(self, parts, judge):
        judged.append(parts)
        return 0.5

    monkeypatch.setattr(best._Steps, "_aer", aer)
    [gold] = run.judges
    steps = best._Steps(run, lambda line: None, lambda report: None)
    start, trained_too = BestParts("e5-small", "scored"), BestParts("e5-small", "scored", "encoder")
    counted = start._replace(statistics=run.out)
    assert steps._judge(start, counted) == (0.5, 0.5) and judged == [start, counted]
    other = best._Steps(replace(run, languages=("xx", "en")), lambda line: None, lambda report: None)
    assert other._judge(start, counted) is None  # statistics of other languages
    judged.clear()
    assert other._judge(counted, trained_too._replace(statistics=run.out)) and judged == [start, trained_too]
    monkeypatch.setattr(best, "packaged_sets", lambda: {gold.digest})
    seen = best._Steps(replace(run, model=NAME), lambda line: None, lambda report: None)
    assert seen._judge(start, counted) is None and not seen._new
    assert best._Steps(run, lambda line: None, lambda report: None)._judge(start, counted)
