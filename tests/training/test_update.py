"""Per-objective normalisation is that of one large batch, however an update is cut."""

import pytest
import torch
from support.processes import run_workers
from support.small import block, diagonal, pair
from support.trials import Task, build_criterion, build_model

from xalign_fairseq.data.batches import collate
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.objectives.registry import OBJECTIVES

TASK = Task(lexicons=[Lexicon("aa", "bb", [5, 6], [1, 1], [40, 41], [1, 1], [0, 0])])
LENGTHS = ((5, 7), (3, 2), (9, 6), (4, 0), (1, 1), (12, 3), (2, 8))
# Additive and counting ahead; what is in a batch of the others depends on the rest of it, or on the model.
EXACT = "mlm,tlm,dict_mlm,sentence_mlm,l2_align,lexicon_align,ot_align,reg_hidden,reg_param,word_exchange,consistency"
WEIGHTS = {"tlm_weight": 0.5, "l2_align_weight": 3.0}
CPU = torch.device("cpu")


def part(*numbers):
    """A micro-batch of these pairs, and of a block for each; empty without any."""
    pairs = [pair(n, m, diagonal(n, m)) for n, m in (LENGTHS[number] for number in numbers)]
    return collate(pairs, [block(number, 8 + 3 * number) for number in numbers]) if numbers else {}


def build(objectives=EXACT, **options):
    criterion = build_criterion(
        "weighted", TASK, objectives=objectives, loss_normalization="per-objective", **WEIGHTS, **options
    )
    model = build_model(criterion)
    criterion(model, part(0))  # copies of the encoder are taken
    with torch.no_grad():  # and the encoder has moved on
        for parameter in model.encoder.parameters():
            parameter += 0.01 * torch.randn_like(parameter)
    model.set_num_updates(1)
    return criterion, model


def update(criterion, model, parts):
    """Gradient sum, sample sizes and logged losses of a worker, as fairseq's trainer makes them, patched."""
    torch.manual_seed(1)
    model.zero_grad()
    criterion.update.begin(parts, CPU)
    size = logged = 0.0
    for given in parts:
        criterion.update.ignored = not given
        loss, micro_size, logs = criterion(model, given or part(3, 5))
        (loss * bool(given)).backward()
        size, logged = size + micro_size * bool(given), logged + float(logs["loss"]) * bool(given)
    gradient = torch.cat([p.grad.flatten() for p in model.parameters() if p.requires_grad])
    return gradient, size, logged


def mean(*workers):
    """What fairseq makes of the workers' sums."""
    gradients, sizes, logged = zip(*workers, strict=True)
    return sum(gradients) / sum(sizes), sum(logged) / sum(sizes)


def whole(**options):
    criterion, model = build(**options)
    return mean(update(criterion, model, [part(*range(len(LENGTHS)))]))


def test_the_list_is_complete():
    apart = {"dwa", "linear_mapping", "moco", "psi", "self_training", "word_contrastive"}
    apart.add("link_scorer")  # trains without other objectives
    # Other tests register objectives of their own.
    own = {name for name, made in OBJECTIVES.items() if made.__module__.startswith("xalign_fairseq.")}
    assert set(EXACT.split(",")) == own - apart


@pytest.mark.parametrize("cuts", [[(0, 1, 2, 3, 4), (5, 6)], [(0,), (1, 3), (2, 4, 5, 6)]])
def test_micro_batches_are_one_batch(cuts):
    gradient, loss = whole()
    found, logged = mean(update(*build(), [part(*cut) for cut in cuts]))
    assert torch.allclose(found, gradient, rtol=1e-9, atol=1e-12) and logged == pytest.approx(loss, rel=1e-12)
    assert gradient.abs().max() > 0.1


# What the two workers have; one of them may lack the last micro-batch.
SHARES = (
    ([(0, 1), (2,)], [(3, 4, 5), (6,)]),
    ([(0, 1, 6), (2,)], [(3, 4, 5), ()]),
    ([(0, 1, 2, 3, 4, 5, 6)], [()]),
)
# Counts of dwa are known as it runs: workers are exact, micro-batches have equal weight.
RUNNING = "tlm,dwa"
RUNNING_SHARES = ([(0, 1, 2)], [(3, 4, 5, 6)]), ([(0, 1, 2, 3, 4, 5, 6)], [()])


def worker(rank):
    """The updates of one of two workers."""
    exact, running = [
        [update(*build(objectives), [part(*cut) for cut in share[rank]]) for share in shares]
        for objectives, shares in ((EXACT, SHARES), (RUNNING, RUNNING_SHARES))
    ]
    return exact, running


def test_workers_are_one_worker(tmp_path):
    both = run_workers(worker, 2, tmp_path)
    for objectives, shares in zip((EXACT, RUNNING), zip(*both, strict=True), strict=True):
        gradient, loss = whole(objectives=objectives)
        for each in zip(*shares, strict=True):
            found, logged = mean(*each)
            assert torch.allclose(found, gradient, rtol=1e-9, atol=1e-12) and logged == pytest.approx(loss, rel=1e-12)


def test_micro_batches_have_equal_weight_where_counts_hang_on_the_model():
    cuts = [part(0, 1, 2), part(3, 4, 5, 6)]
    alone = [mean(update(*build("dwa"), [cut])) for cut in cuts]
    found, logged = mean(update(*build("dwa"), cuts))
    assert torch.allclose(found, (alone[0][0] + alone[1][0]) / 2, rtol=1e-9, atol=1e-12)
    assert logged == pytest.approx((alone[0][1] + alone[1][1]) / 2)


def test_validation_and_a_batch_by_itself_are_over_their_own_counts():
    without = ",".join(name for name in EXACT.split(",") if not OBJECTIVES[name].traits.regularises)  # as validation is
    criterion, model = build(without)
    update(criterion, model, [part(0, 1, 2), part(3, 4)])
    criterion.eval()
    given = part(2, 6)
    validated = criterion(model, given)[0]
    fresh, other = build(without)
    assert validated.item() == pytest.approx(fresh(other, given)[0].item())


def test_streams_that_a_batch_lacks_count_nothing():
    criterion, _ = build("mlm,tlm")
    pairs, both = collate([pair(5, 7)], []), part(0)
    criterion.update.begin([pairs, both], CPU)
    counts = [len(both["mono"]["predicted"]) / 2, len(pairs["bitext"]["predicted"])]  # both have the same pair
    assert criterion.update.average(torch.tensor([9, 9])).tolist() == counts


def test_a_worker_that_lacks_a_micro_batch_weighs_the_others_as_all_do():
    criterion, _ = build("dwa")
    criterion.update.begin([part(0, 1), {}], CPU)  # two micro-batches, of which workers have one
    assert criterion.update.average(torch.tensor([4])).tolist() == [2 * 4 / 1]


def test_losses_of_earlier_updates_are_forgotten():
    criterion, model = build("tlm")
    for _ in range(2):
        criterion.begin_update([part(0, 1)], CPU)
        criterion(model, part(0, 1))
    assert len(criterion.seen) == 1
