import copy
import math
from dataclasses import replace

import pytest
import torch
import torch.distributed as dist
from support.processes import run_workers
from support.small import CONFIG, pair, typed
from support.trials import bound

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.copies import sentence_hash
from xalign_fairseq.encoder.passes import StepEncoder
from xalign_fairseq.encoder.transformer import Encoder
from xalign_fairseq.objectives.moco import MoCo

# Few sentences, so that they recur; the first two differ in length.
TEXT = [[4, 5, 6], [7, 8], [9], [10, 11, 12, 13, 14], [15, 16, 17], [18, 19, 20, 21], [22, 23], [24, 25, 26, 27]]


def batch(*pairs):
    """A batch of pairs of sentences, each a number of TEXT or a list of ids."""
    return typed([pair(*(TEXT[each] if isinstance(each, int) else each for each in both)) for both in pairs])


def config(**options):
    return MoCo(**{"queue_size": 7, "queue_init": "random", "projection_dim": 5, "momentum": 0.9, **options})


class Run:
    """An encoder and its objective; ``step`` is one update by plain gradient descent."""

    def __init__(self, objective, seed=0, dtype=torch.float64):
        torch.manual_seed(seed)
        self.objective = bound(objective)
        self.encoder = Encoder(CONFIG).to(dtype)
        with torch.no_grad():  # make sentences differ
            self.encoder.sentence_encoder.embed_tokens.weight.mul_(20)
        self.head = self.objective.build_head().to(dtype)
        self.modules = torch.nn.ModuleDict({"encoder": self.encoder.sentence_encoder, "head": self.head})

    def loss(self, data, update, training=True):
        heads = torch.nn.ModuleDict({"moco": self.head})
        return self.objective.forward(self.objective.step(StepEncoder(self.encoder, heads, training, update), data))

    @property
    def trained(self):
        return {name: p for name, p in self.modules.named_parameters() if p.requires_grad}

    def gradient(self, total):
        return dict(zip(self.trained, torch.autograd.grad(total, self.trained.values()), strict=True))

    def step(self, *batches, update, rate=0.05):
        losses = []
        self.modules.zero_grad()
        for data in batches:
            loss = self.loss(data, update)
            loss.total.backward()
            losses.append(loss)
        with torch.no_grad():
            for parameter in self.trained.values():
                parameter -= rate * parameter.grad
        return losses


class PlainLoop:
    """MoCo again, sentence by sentence, with lists as queue."""

    def __init__(self, run):
        self.cfg, self.live = run.objective, run
        self.average = None
        self.queue = [(key.clone(), ()) for key in run.head.queue.keys]
        self.next = 0

    def move(self, momentum):
        now = {name: p.detach().clone() for name, p in self.live.trained.items()}
        if self.average is None:
            self.average = copy.deepcopy(self.live.encoder), now
        for name, old in self.average[1].items():
            self.average[1][name] = momentum * old + (1 - momentum) * now[name]
        names = dict(self.average[0].sentence_encoder.named_parameters())
        with torch.no_grad():
            for name, parameter in names.items():
                parameter.copy_(self.average[1][f"encoder.{name}"])

    def vector(self, encoder, weights, ids):
        states = encoder.states(torch.tensor([[0, *ids, 2]])).layer(-1)[0]
        h = states[0] if self.cfg.pooling == "cls" else sum(states) / len(states)
        h = h / h.square().sum().sqrt()
        z = weights["head.projection.outer.weight"] @ torch.relu(weights["head.projection.inner.weight"] @ h)
        return z / z.square().sum().sqrt() if self.cfg.normalize == "both" else z

    def loss(self, pairs):
        total, correct, masked, keys = 0.0, 0, 0, []
        for src, tgt in pairs:
            query = self.vector(self.live.encoder, self.live.trained, TEXT[src])
            key = self.vector(self.average[0], self.average[1], TEXT[tgt]).detach()
            scores = [query @ key / self.cfg.temperature]
            for other, sentences in self.queue:
                if {src, tgt} & set(sentences) and not self.cfg.keep_duplicates:
                    masked += 1
                else:
                    scores.append(query @ other / self.cfg.temperature)
            total = total - (scores[0].exp() / sum(score.exp() for score in scores)).log()
            correct += all(scores[0] > score for score in scores[1:])
            keys.append((key, (src, tgt)))
        for each in keys:
            self.queue[self.next % len(self.queue)] = each
            self.next += 1
        return total, correct, masked


UPDATES = [
    [((0, 1), (2, 3), (4, 5))],
    [((1, 0), (6, 7))],
    [((0, 3), (0, 1), (5, 4), (6, 2)), ((7, 1),)],  # --update-freq 2
    [((3, 5), (1, 0), (2, 6), (4, 7), (5, 5), (0, 1), (7, 3))],  # the whole queue
    [((2, 3), (4, 1), (0, 6))],
]


@pytest.mark.parametrize(
    "options",
    [{"pooling": pooling, "normalize": normalize} for pooling in ("cls", "mean") for normalize in ("both", "hidden")]
    + [{"keep_duplicates": True}, {"momentum": 0.2}],
)
def test_it_equals_a_plain_loop(options):
    run = Run(config(temperature=0.3, **options))
    plain = PlainLoop(run)
    masked_somewhere = 0
    for update, batches in enumerate(UPDATES):
        plain.move(options.get("momentum", 0.9))
        for pairs in batches:
            expected, correct, masked = plain.loss(pairs)
            loss = run.loss(batch(*pairs), update)
            assert loss.total.item() == pytest.approx(expected.item(), rel=1e-10) and loss.count == len(pairs)
            assert [int(each) for each in loss.stats["accuracy"]] == [correct, len(pairs)]
            assert [int(each) for each in loss.stats["masked_negatives"]] == [masked, 7 * len(pairs)]
            wanted = torch.autograd.grad(expected, run.trained.values(), retain_graph=True)
            found = torch.autograd.grad(loss.total, run.trained.values())
            assert all(torch.allclose(one, other, atol=1e-10) for one, other in zip(wanted, found, strict=True))
            masked_somewhere += masked
            assert torch.allclose(run.head.queue.keys, torch.stack([key for key, _ in plain.queue]), atol=1e-12)
        with torch.no_grad():
            for parameter, gradient in zip(run.trained.values(), found, strict=True):
                parameter -= 0.1 * gradient
    assert (masked_somewhere > 3) == (not options.get("keep_duplicates"))


def test_a_queue_of_data_is_filled_before_it_is_used():
    run = Run(config(queue_init="data", queue_size=4))
    with torch.no_grad():  # the loss of chance in validation: with zero, this checkpoint would be the best
        loss = run.loss(batch((0, 1), (2, 3)), 0, training=False)
    assert loss.count == 2 and loss.total == pytest.approx(2 * math.log(5)) and loss.stats["accuracy"][0] == 0
    for update, (pairs, filled) in enumerate([([(0, 1), (2, 3)], 0), ([(4, 5)], 2), ([(6, 7)], 3)]):
        loss = run.loss(batch(*pairs), update)
        assert loss.total == 0 and loss.count == 0 and loss.stats["accuracy"][1] == 0
        assert [int(each) for each in loss.stats["queue_fill"]] == [filled, 4]
        assert all((gradient == 0).all() for gradient in run.gradient(loss.total).values())
    loss = run.loss(batch((0, 4), (1, 6)), 3)
    assert loss.total > 0 and loss.count == 2 and all(g.any() for g in run.gradient(loss.total).values())


@pytest.mark.parametrize(
    ("options", "updates", "pairs", "told"),
    [
        (
            {"queue_size": 32000},
            201,
            64.0,
            "but before the last of 201 updates of 64 pairs it has only 12,800; set moco_queue_size=1280, or",
        ),
        ({"queue_size": 32000}, 2, 64.5, "updates of 64 pairs it has only 64; set moco_queue_size=65, or"),
        ({"queue_size": 12800}, 201, 64.0, ""),
        ({"queue_size": 12801}, 201, 64.0, "12,801 keys"),
        ({"queue_size": 32000, "queue_init": "random"}, 201, 64.0, ""),
    ],
)
def test_a_queue_that_the_run_cannot_fill_gives_a_warning_at_the_start(caplog, options, updates, pairs, told):
    config(**{"queue_init": "data", **options}).check_run(updates, pairs)
    assert told in caplog.text and bool(told) == ("moco learns nothing in this run" in caplog.text)


def holds(run, number):
    """Whether the queue has a key of a sentence of TEXT or of its translation."""
    return bool(run.head.queue.holds(sentence_hash(torch.tensor([[0, *TEXT[number], 2]]))).any())


@pytest.mark.parametrize("init", ["data", "random"])
def test_a_new_run_forgets_the_keys_of_an_earlier_one(init):
    run = Run(config(queue_init=init, queue_size=4))
    for update in (0, 1):
        run.step(batch((0, 1), (2, 3)), update=update)
    keys = run.head.queue.keys.clone()
    run.loss(batch((4, 5)), 0)
    assert not any(holds(run, number) for number in range(4)) and holds(run, 5)
    assert run.head.queue.filled == (1 if init == "data" else 4) and (run.head.queue.keys != keys).any(1).all()
    run.loss(batch((6, 7)), 0)  # the second batch of --update-freq 2
    assert holds(run, 5) and holds(run, 7)


def test_all_processes_start_with_the_same_random_keys():
    # Processes have drawn different numbers before, for dropout in batches of different sizes.
    first, second = Run(config(), seed=0), Run(config(), seed=1)
    begun = first.head.queue.keys.clone()
    assert torch.equal(begun, second.head.queue.keys)
    for run in (first, second):
        run.step(batch((0, 1), (2, 3)), update=0)
        run.step(batch((4, 5)), update=1)
        run.loss(batch((6, 7)), 0)  # in a new run
        assert torch.equal(run.head.queue.keys[1:], begun[1:])


def test_a_batch_that_is_not_finite_spoils_no_later_one():
    run = Run(config())
    weight = run.encoder.sentence_encoder.embed_tokens.weight
    run.step(batch((0, 1)), update=0)
    kept = weight[9].clone()
    weight.data[9] = torch.inf
    assert not run.loss(batch((2, 2), (0, 1)), 1).total.isfinite()  # an update that the trainer skips
    weight.data[9] = kept
    run.head.momentum_encoder.encoder.start(run.encoder.sentence_encoder, 0)
    assert run.loss(batch((0, 1)), 1).total.isfinite()


def test_validation_changes_nothing():
    run = Run(config())
    run.step(batch((0, 1), (2, 3)), update=0)
    before = copy.deepcopy(run.modules.state_dict())
    with torch.no_grad():
        losses = [run.loss(batch((4, 5), (6, 7)), 1, training=False).total for _ in range(2)]
    assert losses[0] == losses[1] > 0
    assert all(torch.equal(before[name], value) for name, value in run.modules.state_dict().items())


@pytest.mark.parametrize("option", [{"temperature": 0.0}, {"queue_size": 0}, {"projection_dim": 0}, {"momentum": 1.5}])
def test_bad_options_are_named(option):
    with pytest.raises(XalignError, match="moco_" + next(iter(option))):
        bound(config(**option))


SPLIT = [[((0, 1), (2, 3)), ((4, 5),)], [((1, 0),), ((6, 7), (3, 4))], [((0, 3),), ((4, 2),)]]


def outcome(losses, run):
    parts = [torch.stack([loss.detach() for loss in losses])]
    parts += [parameter.flatten() for parameter in [*run.trained.values(), *run.head.buffers()]]
    return torch.cat([part.detach().double() for part in parts])


def worker(rank):
    """One of two workers: half of each batch; losses and gradients are summed over both."""
    run, losses = Run(config()), []
    for update, halves in enumerate(SPLIT):
        run.modules.zero_grad()
        total = run.loss(batch(*halves[rank]), update).total
        total.backward()
        losses.append(total.detach())
        dist.all_reduce(losses[-1])
        for parameter in run.trained.values():
            dist.all_reduce(parameter.grad)
            parameter.data -= 0.05 * parameter.grad
    return outcome(losses, run)


def lacking_worker(rank):
    """One of two workers; the second one repeats its first batch."""
    run = Run(config())
    for update, halves in enumerate(SPLIT[:2]):
        lacks = rank == 1 and update == 1
        loss = run.loss(replace(batch(*SPLIT[0][1]), stands_in=True) if lacks else batch(*halves[rank]), update)
    counted = torch.stack([loss.count, *(part for pair_ in loss.stats.values() for part in pair_)])
    return torch.cat([buffer.flatten().double() for buffer in [*run.head.queue.buffers(), counted]])


def test_a_stand_in_batch_adds_no_keys(tmp_path):
    run = Run(config())
    run.loss(batch(*SPLIT[0][0], *SPLIT[0][1]), 0)
    alone = run.loss(batch(*SPLIT[1][0]), 1)
    queue = torch.cat([buffer.flatten().double() for buffer in run.head.queue.buffers()])
    first, second = run_workers(lacking_worker, 2, tmp_path)
    assert torch.allclose(first[: len(queue)], queue, atol=1e-6) and torch.equal(
        first[: len(queue)], second[: len(queue)]
    )
    assert first[len(queue)] == alone.count == 1


def test_two_workers_equal_one(tmp_path):
    run = Run(config())
    losses = [run.step(batch(*halves[0], *halves[1]), update=n)[0].total for n, halves in enumerate(SPLIT)]
    for seen in run_workers(worker, 2, tmp_path):
        assert torch.allclose(seen, outcome(losses, run), atol=1e-10)
