"""Sentence pairs, links and methods in plain loops, and stand-ins for word aligners that are not installed."""

import math
import random
import sys
from dataclasses import fields
from pathlib import Path

import torch

from support.processes import program
from xalign_fairseq.transport.extraction import find_links
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.names import FILTERS
from xalign_fairseq.transport.options import SinkhornOptions
from xalign_fairseq.transport.pair_features import WordStates
from xalign_fairseq.transport.similarity import pair_similarity, side_sizes
from xalign_fairseq.transport.sinkhorn import backend, fused, sinkhorn

# Forward, every target word takes the source word at its place, or the last; backward, the reverse.
DIAGONAL = """
import sys
reverse = sys.argv[-1] == "-r"
assert sys.argv[1:] == ["-i", "text", "-d", "-o", "-v"] + ["-r"] * reverse, sys.argv
print("ITERATION 1", file=sys.stderr)
for line in open("text", encoding="utf-8", newline="\\n"):
    src, tgt = (side.split(" ") for side in line.removesuffix("\\n").split(" ||| "))
    assert all(src) and all(tgt)
    if reverse:
        print(*(f"{i}-{min(i, len(tgt) - 1)}" for i in range(len(src))))
    else:
        print(*(f"{min(j, len(src) - 1)}-{j}" for j in range(len(tgt))))
"""


def only_tools(monkeypatch, folder: Path, **programs: str) -> None:
    """Make these Python programs, by name, the only ones on the path."""
    folder.mkdir()
    for name, body in programs.items():
        program(folder / name, f"#!{sys.executable} -S\n{body}")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))


PAIRS = [
    (["a", "b", "c"], ["x", "y"]),
    ([], ["q"]),
    (["|||", "¦"], ["z", "|||", "|||"]),
    (["a"], []),
    (["d"], ["u", "v"]),
]
FORWARD = [{(0, 0), (1, 1)}, set(), {(0, 0), (1, 1), (1, 2)}, set(), {(0, 0), (0, 1)}]
BACKWARD = [{(0, 0), (1, 1), (2, 1)}, set(), {(0, 0), (1, 1)}, set(), {(0, 0)}]
WRITES = 'import sys\nprint({!r}, end="")\n'


DIM = 6
SIZES = [(1, 1), (1, 5), (4, 1), (2, 2), (2, 6), (3, 3), (5, 4), (6, 6), (7, 3)]


def draw(seed, sizes=SIZES):
    """Sides of similar states, as lists, and a batch (B, T, H) of them with spans."""
    rng = random.Random(seed)
    vector = [rng.gauss(0, 1) for _ in range(DIM)]
    pairs = [[[[v + rng.gauss(0, 1) for v in vector] for _ in range(size)] for size in both] for both in sizes]
    length = 3 + max(map(sum, sizes))
    hidden = torch.full((len(sizes), length, DIM), 50.0, dtype=torch.float64)
    spans = []
    for row, (src, tgt) in zip(hidden, pairs, strict=True):
        n, m = len(src), len(tgt)
        row[1 : 1 + n], row[2 + n : 2 + n + m] = (torch.tensor(side, dtype=torch.float64) for side in (src, tgt))
        spans.append([1, 1 + n, 2 + n, 2 + n + m])
    return pairs, hidden, torch.tensor(spans)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def similarities(src, tgt):
    """(1 + cos) / 2."""
    return [[(1 + dot(a, b) / math.sqrt(dot(a, a) * dot(b, b))) / 2 for b in tgt] for a in src]


def mutual(values):
    """Entries that are the first largest of their row and of their column."""
    columns = list(zip(*values, strict=True))
    return {
        (i, j)
        for i, row in enumerate(values)
        for j, column in enumerate(columns)
        if row.index(max(row)) == j and column.index(max(column)) == i
    }


def by_pair(links, pairs):
    """The links (i, j) of each pair, from :class:`~xalign_fairseq.transport.token_links.TokenLinks`."""
    found = [[] for _ in range(pairs)]
    for pair, i, j, _ in zip(*(column.tolist() for column in links), strict=True):
        found[pair].append((i, j))
    return found


def joined_words(links, src_words, tgt_words):
    """The word links of one pair: words are linked if two of their tokens are; -1 means no word."""
    return {link for link in {(int(src_words[i]), int(tgt_words[j])) for i, j in links} if -1 not in link}


def random_pairs(seed, count, longest, width=24, common=2.0, shortest=1, scale=1.0):
    """Hidden states (B, T, H) float32 and spans of ragged pairs; ``common`` of 0 makes half the similarities negative.

    Target tokens resemble source tokens, and all tokens share a direction, like those of real encoders.
    """
    generator = torch.Generator().manual_seed(seed)
    draw = random.Random(seed)
    sizes = [(draw.randint(shortest, longest), draw.randint(shortest, longest)) for _ in range(count)]
    hidden = torch.randn(count, max(n + m for n, m in sizes) + 3, width, generator=generator)
    spans = []
    for row, (n, m) in enumerate(sizes):
        like = torch.randint(0, n, (m,), generator=generator)
        noise = torch.randn(m, width, generator=generator)
        hidden[row, n + 2 : n + 2 + m] = 0.7 * hidden[row, 1 : n + 1][like] + 0.7 * noise
        spans.append([1, n + 1, n + 2, n + 2 + m])
    return (hidden + common * torch.randn(width, generator=generator)) * scale, torch.tensor(spans)


def pairs_of(sizes, width=24, seed=0):
    """Hidden states and spans of pairs of given sides, as from :func:`random_pairs`."""
    longest = max(map(max, sizes))
    hidden, spans = random_pairs(seed, len(sizes), longest, width=width, shortest=longest)
    spans[:, 1::2] = spans[:, ::2] + torch.tensor(sizes)
    return hidden, spans


def random_options(seed):
    """Any of the options that :class:`Transport` has."""
    draw = random.Random(seed)
    mu = draw.choice([1.0, 1.0, 2.0, 0.5, 0.1, 0.05, 0.02, 0.01])
    options = Transport(
        # Without iterations, K itself, whose powers below this mu are too small for float32.
        iterations=draw.choice([0, 1, 2, 3, 10] if mu >= 0.5 else [1, 2, 3, 10]),
        mu=mu,
        eps=draw.choice([1e-6, 1e-3]),
        order=draw.choice(["columns-first", "rows-first"]),
        filter=draw.choice(FILTERS),
        rounds=draw.choice([1, 2, 3]),
        alpha=draw.choice([0.9, 0.5, 1.0]),
    )
    return in_domain(options, draw.choice(["auto", "auto", "log"]))


def in_domain(options, domain):
    """Options whose iterations run in the linear or in the log domain, whatever mu is; ``auto``: no change."""
    if domain == "auto":
        return options
    forced = type(type(options).__name__, (type(options),), {"log_domain": domain == "log"})
    return forced(**{each.name: getattr(options, each.name) for each in fields(options)})


def differing(found, expected):
    """The numbers of the pairs whose links (B, n, m) differ."""
    return (found != expected).flatten(1).any(1).nonzero().flatten()


def hangs_on_rounding(hidden, spans, options, draws=16):
    """(B,) bool: pairs whose links change if each entry of the float64 plan is off by float32's rounding.

    The error is 2e-6 of the entry, times 1 / mu below 1, because the logarithm over mu loses its last bits.
    """
    similarity, src_mask, tgt_mask = pair_similarity(hidden.double(), spans)
    plan = sinkhorn(similarity, src_mask, tgt_mask, in_domain(options, "log"))
    rules = {name: getattr(options, name) for name in ("filter", "rounds", "alpha")}
    exact = find_links(plan, src_mask, tgt_mask, **rules)
    generator = torch.Generator().manual_seed(1)
    changed = torch.zeros(len(hidden), dtype=torch.bool)
    for _ in range(draws):
        noise = 2 * torch.rand(plan.shape, generator=generator, dtype=plan.dtype) - 1
        noisy = plan * (1 + 2e-6 * max(1.0, 1 / options.mu) * noise)
        changed |= (find_links(noisy, src_mask, tgt_mask, **rules) != exact).flatten(1).any(1)
    return changed


def matrices(links, batch, sizes):
    """Token links as a matrix of bool, and their probabilities, 0 elsewhere, both (B, n, m)."""
    found = torch.zeros(batch, *sizes, dtype=torch.bool, device=links.pair.device)
    shares = links.probability.new_zeros(found.shape)
    found[links.pair, links.src, links.tgt] = True
    shares[links.pair, links.src, links.tgt] = links.probability
    assert int(found.sum()) == len(links.pair)  # none is repeated
    return found, shares


def pair_matrices(hidden, spans, options=None, *, sizes=None, **measure):
    """The links of transport, as :func:`matrices`."""
    return method_matrices(Transport(**measure) if options is None else options, hidden, spans, sizes)


def method_matrices(method, hidden, spans, sizes=None):
    """The links of a method, as :func:`matrices`."""
    return matrices(method(hidden, spans, sizes=sizes), len(spans), side_sizes(spans) if sizes is None else sizes)


def assert_highest(hidden, spans, sizes, options):
    """With ``highest`` the operator combines rounds, and probabilities, like a maximum over them."""
    partners, shares = fused.link_partners(hidden, spans, sizes, options, probabilities=True)
    found, its = fused.link_partners(hidden, spans, sizes, options, probabilities=True, highest=True)
    if options.filter == "union":
        assert torch.equal(found, partners)
        return
    highest, at = partners.max(0, keepdim=True)
    assert torch.equal(found, highest) and torch.equal(its, shares.gather(0, at))


def links_by(name, hidden, spans, options):
    """Links and probabilities by a backend, both (B, n, m)."""
    with backend.using(name):
        return pair_matrices(hidden, spans, options)


def hard_plan(seed):
    """Similarities (1, n, m), many of them floored, with masks, options and masses: float32 may lose the plan."""
    draw, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    n, m = draw.randint(2, 6), draw.randint(2, 6)
    similarity = torch.rand(1, n, m, generator=generator) * draw.choice([1, 10, 50])
    floored = torch.rand(1, n, m, generator=generator) < draw.choice([0.0, 0.3, 0.6])
    masks = torch.ones(1, n, dtype=torch.bool), torch.ones(1, m, dtype=torch.bool)
    options = SinkhornOptions(
        iterations=draw.choice([1, 2, 5, 20, 50, 80, 200]),
        mu=draw.choice([1, 0.5, 0.3, 0.2, 0.1, 0.05]),
        order=draw.choice(["rows-first", "columns-first"]),
    )
    masses = {}
    if draw.random() < 0.5:
        masses = {
            name: torch.rand(1, size, generator=generator) + 0.05 for name, size in (("src_mass", n), ("tgt_mass", m))
        }
        masses["tgt_mass"][:, : draw.randint(0, 1)] = 0
    return similarity.masked_fill(floored, -1.0), masks, options, masses


def exact_plan(similarity, masks, options, masses):
    """The same plan in float64, in the log domain."""
    wide = {name: mass.double() for name, mass in masses.items()}
    return sinkhorn(similarity.double(), *masks, in_domain(options, "log"), **wide)


def assert_no_plan_is_lost(count, plan):
    """Check ``plan(similarity, masks, options, masses)`` on hard plans; return how many have mass."""
    kept = 0
    for seed in range(count):
        hard = hard_plan(seed)
        exact = exact_plan(*hard)
        torch.testing.assert_close(plan(*hard).double(), exact, rtol=0, atol=1e-3 * exact.max().item())
        kept += int(exact.sum() > 0)
    return kept


def lost_pair(k):
    """Hidden states (1, T, 3 k) and spans of a pair whose plan float32 loses in the linear domain from mu = 0.1 on.

    Two thirds of its source tokens resemble one third of the target's, the others the other two thirds.
    """
    similarity = torch.randint(20, 65, (3 * k, 3 * k), generator=torch.Generator().manual_seed(k)) / 64
    similarity[: 2 * k, k:] = similarity[2 * k :, :k] = -1.0
    hidden = torch.zeros(1, 6 * k + 3, 3 * k)
    hidden[0, 1 : 3 * k + 1], hidden[0, 3 * k + 2 : -1] = similarity, torch.eye(3 * k)
    return hidden, torch.tensor([[1, 3 * k + 1, 3 * k + 2, 6 * k + 2]])


def draw_words(sizes, layers, dim=DIM, seed=1):
    """States of words of both sides, for pairs of these sizes, padded; words have 1 to 3 tokens."""
    generator = torch.Generator().manual_seed(seed)
    sides = []
    for side in (0, 1):
        width = max(size[side] for size in sizes)
        states = torch.randn(len(sizes), width, layers, dim, generator=generator)
        tokens = torch.randint(1, 4, (len(sizes), width), generator=generator).float()
        for row, size in enumerate(sizes):
            states[row, size[side] :], tokens[row, size[side] :] = 0, 0
        sides.append(WordStates(torch.nn.functional.normalize(states, dim=3), tokens))
    return sides
