"""The methods that benchmark_sinkhorn.py compares: they compute a transport plan or word labels from hidden states.

Each one is prepared for a problem and then called repeatedly. Those without ragged sequences get each pair's
sides cut out and padded, with zero mass for padding; solvers compute only a plan.
"""

import importlib.util
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sinkhorn_problems import Problem
from torch import Tensor

from xalign_fairseq.transport.extraction import find_links
from xalign_fairseq.transport.methods import Transport
from xalign_fairseq.transport.similarity import pair_similarity
from xalign_fairseq.transport.sinkhorn.reference import sinkhorn
from xalign_fairseq.transport.token_links import NO_PARTNER, partners_of_matrix

Call = Callable[[], Tensor]
# A contestant's output: products (B, n, m), a plan (B, n, m) or labels (B, T).
PRODUCTS, PLAN, LABELS = "products", "plan", "labels"


# Kinds of programs: for usual batches, for one of thousands of pairs, for few pairs, where starting kernels takes the
# time; and those that take long to compile for each batch, whatever its size.
KINDS = ("usual", "large", "few", "compiled")


@dataclass(frozen=True)
class Contestant:
    """One method.

    Attributes:
        prepare: returns the call to measure.
        gives: products, plan or labels.
        dtypes: of the hidden states to measure with.
        package: the required package and its name for pip; None for torch alone.
        least_f1: lowest F1 of its links against the reference in float64, by dtype; none for other algorithms.
        kinds: a subset of :data:`KINDS`.
        devices: that it runs on.
    """

    prepare: Callable[[Problem, Transport], Call]
    gives: str
    dtypes: Sequence[str] = ("float32",)
    package: tuple[str, str] | None = None
    least_f1: dict[str, float] | None = None
    kinds: Sequence[str] = ("usual",)
    devices: Sequence[str] = ("cpu", "cuda")

    def competes(self, kinds: Sequence[str], device: str) -> bool:
        """Whether it is one of these kinds and runs on a device."""
        return device in self.devices and not set(kinds).isdisjoint(self.kinds)

    @property
    def missing(self) -> str | None:
        """pip's name of the package that is missing."""
        module, name = self.package or ("torch", None)
        return name if importlib.util.find_spec(module) is None else None


def products(problem: Problem, options: Transport) -> Call:
    """The products of both sides and nothing else: the unit of all others."""
    return lambda: torch.bmm(problem.src, problem.tgt.transpose(1, 2))


def read(problem: Problem, options: Transport) -> Call:
    """A copy of the hidden states, which reads and writes them: twice the time of reading."""
    target = torch.empty_like(problem.hidden)
    return lambda: target.copy_(problem.hidden)


def xalign(problem: Problem, options: Transport) -> Call:
    """Our own."""
    return lambda: options.labels(problem.hidden, problem.spans, sizes=problem.sizes)


def eager(problem: Problem, options: Transport) -> Call:
    """The reference, in eager operations of torch."""

    def label() -> Tensor:
        similarity, src_mask, tgt_mask = pair_similarity(problem.hidden, problem.spans, sizes=problem.sizes)
        plan = sinkhorn(similarity, src_mask, tgt_mask, options)
        return partners_of_matrix(find_links(plan, src_mask, tgt_mask), problem.spans, problem.hidden.shape[1])

    return label


def graphed(call: Call) -> Call:
    """A call as a CUDA graph: no Python between the kernels, for hidden states at a fixed address."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = call()

    def replay() -> Tensor:
        graph.replay()
        return output

    return replay


def xalign_graph(problem: Problem, options: Transport) -> Call:
    """Our own as a CUDA graph."""
    return graphed(xalign(problem, options))


def eager_graph(problem: Problem, options: Transport) -> Call:
    """The reference as a CUDA graph."""
    return graphed(eager(problem, options))


def compiled(problem: Problem, options: Transport) -> Call:
    """The reference by torch.compile, for this exact shape."""
    return torch.compile(eager(problem, options), fullgraph=True, dynamic=False)


def pot(problem: Problem, options: Transport, log: bool = False) -> Call:
    """POT's batched Sinkhorn. It starts with rows, we with columns: it gets the transposed matrices."""
    from ot import batch

    solve = batch.bregman_log_projection_batch if log else batch.bregman_projection_batch
    src_mass, tgt_mass = (mask / mask.sum(1, keepdim=True) for mask in (problem.src_mask, problem.tgt_mask))
    # It creates its first potentials on torch's default device.
    where = nullcontext() if problem.hidden.device.type == "cpu" else torch.device(problem.hidden.device)

    def solved() -> Tensor:
        kernel = torch.bmm(problem.tgt, problem.src.transpose(1, 2)).clamp_min(options.eps)
        kernel = kernel.log() if log else kernel
        with where:
            found = solve(kernel, tgt_mass, src_mass, max_iter=options.iterations, tol=0.0, grad="detach")
        return found["T"].transpose(1, 2)

    return solved


def pot_log(problem: Problem, options: Transport) -> Call:
    """The same in the log domain."""
    return pot(problem, options, log=True)


def geomloss(problem: Problem, options: Transport) -> Call:
    """geomloss's batched solver: another algorithm, which anneals and averages both sides' updates."""
    from geomloss import ot

    src_mass, tgt_mass = (mask / mask.sum(1, keepdim=True) for mask in (problem.src_mask, problem.tgt_mask))

    def solved() -> Tensor:
        cost = -torch.bmm(problem.src, problem.tgt.transpose(1, 2)).clamp_min(options.eps).log()
        return ot.solve_batch(cost, reg=options.mu, a=src_mass, b=tgt_mass, max_iter=options.iterations).plan

    return solved


def released(problem: Problem, options: Transport) -> Call:
    """XLM-Align's released code, rewritten: products of whole sequences, then pair by pair in Python."""

    def label() -> Tensor:
        similarity = torch.bmm(problem.hidden, problem.hidden.transpose(1, 2))
        labels = [[NO_PARTNER] * problem.hidden.shape[1] for _ in similarity]
        for row, matrix, (a, b, c, d) in zip(labels, similarity, problem.spans.tolist(), strict=True):
            kernel = matrix[a:b, c:d].clone()
            kernel[kernel <= 0] = options.eps
            for _ in range(options.iterations):
                kernel = kernel / kernel.sum(0, keepdim=True)
                kernel = kernel / kernel.sum(1, keepdim=True)
            for i, j in link_list(kernel.cpu().numpy(), options):
                row[a + i], row[c + j] = c + j, a + i
        return torch.tensor(labels, device=problem.hidden.device)

    return label


def link_list(plan: np.ndarray, options: Transport) -> list[tuple[int, int]]:
    """Itermax on dense 0/1 matrices, and its links entry by entry."""
    n, m = plan.shape
    links = _mutual(plan)
    for _ in range(options.rounds - 1 if min(n, m) > 2 else 0):
        src_free, tgt_free = 1 - links.sum(1, keepdims=True).clip(max=1), 1 - links.sum(0, keepdims=True).clip(max=1)
        if not src_free.any() or not tgt_free.any():
            break
        both, one = src_free * tgt_free, np.maximum(src_free, tgt_free)
        new = _mutual(plan * (both + options.alpha * (one - both))) * one
        if not new.any():
            break
        links = links + new
    return [(i, j) for i in range(n) for j in range(m) if links[i, j] > 0]


def _mutual(plan: np.ndarray) -> np.ndarray:
    n, m = plan.shape
    return np.eye(m)[plan.argmax(1)] * np.eye(n)[plan.argmax(0)].T


_EXACT = {"float32": 0.999, "bfloat16": 0.995}
_BOTH = ("float32", "bfloat16")
_ALWAYS = ("usual", "large", "few")
BASE, OURS, OURS_GRAPH, READ = "bmm alone", "xalign", "xalign, CUDA graph", "copy"
EAGER, EAGER_GRAPH, COMPILED = "torch, eager", "torch, eager, CUDA graph", "torch.compile"
CONTESTANTS = {
    BASE: Contestant(products, PRODUCTS, _BOTH, kinds=_ALWAYS),
    OURS: Contestant(xalign, LABELS, _BOTH, least_f1=_EXACT, kinds=_ALWAYS),
    OURS_GRAPH: Contestant(xalign_graph, LABELS, _BOTH, least_f1=_EXACT, kinds=("large", "few"), devices=("cuda",)),
    EAGER: Contestant(eager, LABELS, _BOTH, least_f1=_EXACT, kinds=_ALWAYS),
    EAGER_GRAPH: Contestant(eager_graph, LABELS, _BOTH, least_f1=_EXACT, kinds=("few",), devices=("cuda",)),
    COMPILED: Contestant(compiled, LABELS, _BOTH, least_f1=_EXACT, kinds=("compiled",)),
    "POT": Contestant(pot, PLAN, package=("ot", "POT"), least_f1=_EXACT),
    "POT, log domain": Contestant(pot_log, PLAN, package=("ot", "POT"), least_f1=_EXACT),
    "geomloss": Contestant(geomloss, PLAN, package=("geomloss", "geomloss")),
    "released loop": Contestant(released, LABELS, least_f1=_EXACT),
}


def labels_of(gives: str, output: Any, problem: Problem) -> Tensor:
    """The labels (B, T) of a contestant's output."""
    if gives == LABELS:
        return output
    inside = problem.src_mask[:, :, None] & problem.tgt_mask[:, None, :]
    links = find_links(output.masked_fill(~inside, 0.0), problem.src_mask, problem.tgt_mask)
    return partners_of_matrix(links, problem.spans, problem.hidden.shape[1])


def agreement(labels: Tensor, truth: Tensor) -> float:
    """F1 of labels (B, T) against others; 1 if neither has any."""
    equal = ((labels == truth) & (truth >= 0)).sum()
    total = (labels >= 0).sum() + (truth >= 0).sum()
    return float(2 * equal / total) if total else 1.0
