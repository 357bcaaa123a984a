import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from xalign_fairseq.aligner.gold_sets import read_set
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.training import gold as gold_module
from xalign_fairseq.aligner.training.gold import ScorerRun, train_scorer
from xalign_fairseq.aligner.training.low_rank import Changing, _loss, mean_of, train_together
from xalign_fairseq.links.pharaoh import Gold
from xalign_fairseq.transport.link_scorer import LinkScorer
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.pair_features import WordStates


@pytest.fixture
def gold(tiny_text, tmp_path):
    for ending in ("en", "xx", "gold"):
        shutil.copy(tiny_text / f"text.{ending}", tmp_path / f"en-xx.{ending}")
    return tmp_path / "en-xx.gold"


@pytest.fixture
def scorer():
    torch.manual_seed(5)
    return LinkScorer(16, (1, 2), (2,), rank=4, width=8)


def opened(model):
    return Aligner.from_pretrained(model, linking=Linking("grow"), device="cpu", dtype="float32")


def test_the_loss_is_of_sure_links_and_of_words_that_no_possible_link_joins(scorer):
    src, tgt = (WordStates(F.normalize(torch.randn(1, size, 2, 16), dim=3), torch.ones(1, size)) for size in (3, 4))
    sure, possible = {(0, 0), (1, 2)}, {(0, 0), (1, 2), (2, 3)}
    scores = scorer.eval()(src, tgt)
    expected = -sum(scores.log_forward[0, i, j] + scores.log_backward[0, i, j] for i, j in sure)
    for logits in scores.rounds:
        for i in range(3):
            for j in range(4):
                if (i, j) != (2, 3):
                    expected = expected - F.logsigmoid(logits[0, i, j] * (1 if (i, j) in sure else -1))
    beyond = frozenset({*sure, (1, 9)})  # a word that the tokenizer drops
    torch.testing.assert_close(_loss(scorer, src, tgt, [Gold(beyond, frozenset(possible))]), expected)


def test_gold_links_become_more_probable_and_encoder_weights_stay(gold, scorer, tiny_checkpoint):
    aligner, learned = opened(tiny_checkpoint), read_set(gold)
    own = {name: each.clone() for name, each in aligner.encoder.state_dict().items()}
    lines = []
    changing = Changing(batch=8, updates=60)
    changes = train_together(aligner, scorer, [learned], 1, torch.float32, changing, lines.append)
    losses = [float(line.rpartition(" ")[2]) for line in lines]
    assert losses[-1] < 0.8 * losses[0]
    assert all(torch.equal(each, own[name]) for name, each in aligner.encoder.state_dict().items())
    assert set(changes) == {
        f"sentence_encoder.layers.{layer}.{name}.weight"
        for layer in (0, 1)
        for name in (*(f"self_attn.{each}_proj" for each in "qkv"), "self_attn.out_proj", "fc1", "fc2")
    }
    assert all(up.any() and up.shape[1] == down.shape[0] == 8 for up, down in changes.values())


def test_the_mean_is_of_the_products_at_the_rank_of_one_and_of_the_scorers():
    trained = [({"fc1": (torch.randn(6, 2), torch.randn(2, 5))}, {"first": torch.randn(3)}) for _ in range(3)]
    changes, state = mean_of(trained, 2)
    up, down = changes["fc1"]
    mean = sum(each["fc1"][0] @ each["fc1"][1] for each, _ in trained) / 3
    assert up.shape[1] == down.shape[0] == 2
    # The other singular values are the error of the best product of rank 2.
    torch.testing.assert_close((mean - up @ down).norm(), torch.linalg.svdvals(mean)[2:].norm())
    torch.testing.assert_close(state["first"], sum(each["first"] for _, each in trained) / 3)


@pytest.fixture
def run(gold, scorer, tiny_checkpoint, tmp_path, monkeypatch):
    monkeypatch.setattr(gold_module, "_fit_scorer", lambda *given: scorer)
    monkeypatch.setattr(gold_module, "Changing", lambda: Changing(batch=8, updates=20))
    return ScorerRun(str(tiny_checkpoint), [gold], tmp_path / "out", device="cpu", train_encoder=True)


def test_the_written_model_scores_like_the_trained_one(run, gold, scorer, tiny_checkpoint, monkeypatch):
    monkeypatch.setattr(gold_module, "TRAININGS", 1)
    record = train_scorer(run, lambda line: None)
    assert record["command"].endswith("--train-encoder --out out") and record["model"] == str(tiny_checkpoint)
    assert [each.name for each in run.out.glob("*.npz")] == ["encoder.npz"]
    aligner = opened(tiny_checkpoint)
    changes = train_together(aligner, scorer, [read_set(gold)], 1, torch.float32, Changing(batch=8, updates=20))
    state = aligner.encoder.state_dict()
    aligner.encoder.load_state_dict(
        {**state, **{name: state[name] + up @ down for name, (up, down) in changes.items()}}
    )
    pairs = read_set(gold).pairs[:10]
    with Aligner.from_pretrained(run.path, device="cpu", dtype="float32") as read:
        assert read.linking.method == "scored"
        mine = [pair.matrix for pair in read.stream(pairs, matrices=True)]
    for indices, (src, tgt) in aligner.states_of_words(pairs, scorer.layers):
        for row, index in enumerate(indices):
            n, m = mine[index].shape
            np.testing.assert_allclose(scorer.probabilities(src, tgt)[row, :n, :m].numpy(), mine[index], atol=0.02)


def test_finished_trainings_are_repeated_only_for_another_seed(run, monkeypatch):
    seeds = []

    def trained(aligner, scorer, sets, seed, *rest):
        if seed == broken:
            raise KeyboardInterrupt
        seeds.append(seed)
        return train_together(aligner, scorer, sets, seed, *rest)

    monkeypatch.setattr(gold_module, "train_together", trained)
    broken = 3
    with pytest.raises(KeyboardInterrupt):
        train_scorer(run, lambda line: None)
    broken = 6
    with pytest.raises(KeyboardInterrupt):
        train_scorer(replace(run, seed=5), lambda line: None)
    broken = None
    train_scorer(replace(run, seed=5), lambda line: None)
    assert seeds == [1, 2, 5, 6, 7]
    mended = run.path.read_bytes()
    run.path.unlink()
    train_scorer(replace(run, seed=5), lambda line: None)
    assert seeds[5:] == [5, 6, 7] and run.path.read_bytes() == mended
