import numpy as np
import pytest
from fairseq.data import data_utils

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data import windows
from xalign_fairseq.data.windows import Pilot, Plan, Windows, batch_ends, brought_to, with_samples


@pytest.mark.parametrize("plan", [Plan(10, 4, 2), Plan(1000, 97, 13), Plan(7, 7, 7), Plan(5, 9, 1)])
def test_windows_share_draws_and_batches_without_gap(plan):
    for parts, total in ((plan.draws_of, plan.draws), (plan.batches_of, plan.batches)):
        assert [i for window in range(plan.windows) for i in parts(window)] == list(range(total))
    assert all(batch in plan.batches_of(plan.window_of(batch)) for batch in range(plan.batches))


def test_a_plan_has_room_for_the_deviation_of_a_window(monkeypatch):
    monkeypatch.setattr(windows, "DRAWS", 100)
    pilot = Pilot(draws=100, batches=20, variation=0.5)
    plan = pilot.plan(1000)
    assert (plan.draws, plan.windows) == (1000, 10) and plan.batches == 200 * 1.3 + 10  # 1 + 6 * 0.5 / sqrt(100)
    given = pilot.plan_of_batches(plan.batches)
    assert given.batches == plan.batches and 900 < given.draws <= 1100
    assert pilot.plan_of_batches(1).draws >= 1
    assert [pilot.together(batches) for batches in (1, 7, 20, 21)] == [20, 2, 1, 1]


def test_batches_are_brought_to_a_number_without_a_loss(caplog):
    batches = [np.arange(0, 5), np.arange(5, 8), np.arange(8, 9)]
    for count in (3, 4, 6, 9):
        made = brought_to(batches, count)
        assert len(made) == count and sorted(np.concatenate(made)) == list(range(9))
    assert max(map(len, brought_to(batches, 4))) == 3  # the largest is split in half
    assert list(map(len, brought_to(batches, 11))) == [1] * 9 + [0] * 2
    assert not caplog.text
    assert len(brought_to(batches, 2)) == 2 and "dropped 1 samples" in caplog.text


def test_one_window_is_held_and_any_batch_is_found_without_the_others():
    cut = []

    def make(window):
        cut.append(window)
        return [np.array([i]) for i in plan.batches_of(window)]

    plan = Plan(30, 10, 3)
    made = Windows(plan, make)
    assert [batch.item() for batch in made] == list(range(10)) and cut == [0, 1, 2]
    assert made[-1].item() == 9 and cut == [0, 1, 2]
    mixed = made.shuffled(seed=1, epoch=1)
    parts = [[batch.item() for batch in mixed[plan.batches_of(w).start : plan.batches_of(w).stop]] for w in range(3)]
    assert [sorted(part) for part in parts] == [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9]]
    assert any((one != two).any() for one, two in zip(mixed, made.shuffled(1, 2), strict=True))
    pairs = [batch.item() for batch in made.shuffled(1, 1, together=2)[6:]]
    assert pairs[0] + 1 == pairs[1] and pairs[2] + 1 == pairs[3]
    assert [batch.item() for batch in made[4:][1::2]] == [5, 7, 9]
    mine = made.share(3, 4)
    assert [batch.tolist() for batch in mine] == [[3], [7], []] and len(mine[1:]) == 2
    with pytest.raises(IndexError):
        made[10]


@pytest.mark.parametrize("multiple", [1, 2, 8])
@pytest.mark.parametrize("limits", [{"max_tokens": 60}, {"max_sentences": 7}, {"max_tokens": 90, "max_sentences": 16}])
@pytest.mark.parametrize("ordered", [True, False])
def test_batches_are_those_of_fairseq(multiple, limits, ordered):
    rng = np.random.default_rng(multiple)
    for size in (1, 5, 300):
        lengths = rng.integers(1, 40, size)
        lengths = np.sort(lengths) if ordered else lengths
        indices = rng.permutation(size)
        ours = np.split(indices, batch_ends(lengths, multiple=multiple, **limits)[:-1])
        theirs = data_utils.batch_by_size(
            indices, num_tokens_fn=None, num_tokens_vec=lengths, required_batch_size_multiple=multiple, **limits
        )
        rest = indices[sum(map(len, theirs)) :]  # fairseq drops it
        assert [each.tolist() for each in ours] == [each.tolist() for each in (*theirs, rest) if len(each)]


def test_a_batch_that_stands_in_for_others_has_samples():
    empty = np.arange(0)
    assert with_samples([empty, np.arange(2), np.arange(3)]).tolist() == [0, 1]
    with pytest.raises(XalignError, match="no batch of the epoch has a sample"):
        with_samples([empty, empty])
