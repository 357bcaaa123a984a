"""The fused operators: hidden states to links, and similarities to links or to the plan, in one native call per batch.

Registered with torch.library as ``torch.ops.xalign.sinkhorn_links``, ``sinkhorn_links_of`` and ``sinkhorn_plan``, so
that torch.compile traces them. The native code (``csrc/``) has a plain C interface and does not use torch.
"""

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.names import FILTERS
from xalign_fairseq.transport.options import SinkhornOptions, TransportOptions
from xalign_fairseq.transport.sinkhorn.building import library
from xalign_fairseq.transport.token_links import label_dtype

DTYPES = {torch.float32: 0, torch.bfloat16: 1, torch.float16: 2}
_UNION = FILTERS.index("union")
_NAMES = ("iterations", "mu", "eps", "rows_first", "log_domain")
_SINKHORN = "int iterations, float mu, float eps, bool rows_first, bool log_domain"
_FILTER = "int filter, int rounds, float alpha, bool probabilities, bool highest=False"
_LIBRARY = torch.library.Library("xalign", "DEF")


class Call(ctypes.Structure):
    """``struct Call`` of csrc/call.h, field by field."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("hidden", "similarity")),
        *((name, ctypes.c_int64) for name in ("dtype", "batch", "length", "width", "batch_stride", "token_stride")),
        ("spans", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("n", "m")),
        *((name, ctypes.c_void_p) for name in ("row_mass", "column_mass")),
        *((name, ctypes.c_int64) for name in ("iterations", "rows_first", "log_domain", "filter", "rounds")),
        *((name, ctypes.c_double) for name in ("mu", "eps", "alpha")),
        ("partners", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("partner_bytes", "highest")),
        *((name, ctypes.c_void_p) for name in ("probability", "plan")),
        *((name, ctypes.c_int64) for name in ("threads", "device")),
        *((name, ctypes.c_void_p) for name in ("stream", "workspace")),
    )


def link_partners(
    hidden: Tensor,
    spans: Tensor,
    sizes: tuple[int, int],
    options: TransportOptions,
    *,
    probabilities: bool = False,
    highest: bool = False,
) -> tuple[Tensor, Tensor]:
    """The partner of each token in each round of the filter, from hidden states in one call.

    The links are those of :func:`~xalign_fairseq.transport.sinkhorn.reference.sinkhorn` and
    :func:`~xalign_fairseq.transport.extraction.find_links`; products are accumulated in float32, and hidden states are
    not copied. The same input gives the same bits in any batch. A pair whose similarities are not all finite has no
    links.

    Args:
        hidden: (B, T, H) float32, bfloat16 or float16.
        spans: (B, 4) int64, [src_start, src_end, tgt_start, tgt_end).
        sizes: the longest sides (n, m); tokens beyond them have no links.
        options: Sinkhorn's and the filter's.
        probabilities: whether to compute them.
        highest: merge all rounds into one with each token's partner of the highest position; not for ``union``.

    Returns:
        partners (R, B, T) int16 (int32 if T > 32767): the position of each token's partner in the sequence, -1 without
        one, with R = ``options.rounds`` of ``itermax`` and ``itermax-paper``, otherwise 1. In each round links are
        one-to-one, except for ``union``: a source token has its forward link, a target token its backward link.
        Also the links' probabilities (R, B, T) float32, 0 without a link; empty unless requested.
    """
    given = _LinkOptions.of(options, probabilities, highest)
    found: tuple[Tensor, Tensor] = torch.ops.xalign.sinkhorn_links(hidden, spans, *sizes, *given)
    return found


def link_partners_of(
    similarity: Tensor,
    spans: Tensor,
    length: int,
    options: TransportOptions,
    *,
    probabilities: bool = False,
    highest: bool = False,
) -> tuple[Tensor, Tensor]:
    """Like :func:`link_partners`, from similarities (B, n, m) float32 and for sequences of ``length`` tokens."""
    given = _LinkOptions.of(options, probabilities, highest)
    found: tuple[Tensor, Tensor] = torch.ops.xalign.sinkhorn_links_of(similarity, spans, length, *given)
    return found


def plan(
    similarity: Tensor,
    src_sizes: Tensor,
    tgt_sizes: Tensor,
    options: SinkhornOptions,
    *,
    src_mass: Tensor | None = None,
    tgt_mass: Tensor | None = None,
) -> Tensor:
    """The plan of :func:`~xalign_fairseq.transport.sinkhorn.reference.sinkhorn`, float32, without gradient.

    Returns:
        (B, n, m) float32, 0 at padding and in pairs without a plan.
    """
    sides = (similarity.float(), src_sizes, tgt_sizes, src_mass, tgt_mass)
    found: Tensor = torch.ops.xalign.sinkhorn_plan(*sides, *[getattr(options, name) for name in _NAMES])
    return found


class _LinkOptions(NamedTuple):
    """The arguments that both link operators take after their tensors and sizes, in the order of their schema."""

    iterations: int
    mu: float
    eps: float
    rows_first: bool
    log_domain: bool
    filter: int
    rounds: int
    alpha: float
    probabilities: bool
    highest: bool = False

    @classmethod
    def of(cls, options: TransportOptions, probabilities: bool, highest: bool) -> "_LinkOptions":
        rounds = options.rounds if options.filter.startswith("itermax") else 1
        rules = (FILTERS.index(options.filter), rounds, options.alpha, probabilities, highest)
        return cls._make((*[getattr(options, name) for name in _NAMES], *rules))

    @property
    def merged(self) -> bool:
        """Whether one round has all partners."""
        return self.highest and self.filter != _UNION


def _links(hidden: Tensor, spans: Tensor, n: int, m: int, *options: Any) -> tuple[Tensor, Tensor]:
    if hidden.dim() != 3 or spans.shape != (hidden.shape[0], 4):
        found = f"{tuple(hidden.shape)}, {tuple(spans.shape)}"
        raise XalignError("hidden states and spans do not match", found=found, expected="(B, T, H), (B, 4)")
    if hidden.stride(2) != 1 and hidden.shape[2] != 1:
        hidden = hidden.contiguous()
    if hidden.dtype not in DTYPES:
        problem = "the fused operators do not compute in this dtype"
        raise XalignError(problem, parameter="sinkhorn_backend", found=hidden.dtype)
    batch, length, width = hidden.shape
    call = Call(
        hidden=hidden.data_ptr(),
        dtype=DTYPES[hidden.dtype],
        width=width,
        batch_stride=hidden.stride(0),
        token_stride=hidden.stride(1),
        n=n,
        m=m,
    )
    return _run_links(call, hidden, batch, length, spans, _LinkOptions(*options))


def _links_of(similarity: Tensor, spans: Tensor, length: int, *options: Any) -> tuple[Tensor, Tensor]:
    similarity = similarity.float().contiguous()
    batch, n, m = similarity.shape
    call = Call(similarity=similarity.data_ptr(), n=n, m=m)
    return _run_links(call, similarity, batch, length, spans, _LinkOptions(*options))


def _run_links(
    call: Call, read: Tensor, batch: int, length: int, spans: Tensor, options: _LinkOptions
) -> tuple[Tensor, Tensor]:
    if spans.device != read.device:
        raise XalignError("spans are on another device", found=str(spans.device), expected=str(read.device))
    spans = spans.to(torch.int64).contiguous()
    partners, probability = _outputs(read, length, options)
    call.batch, call.length, call.spans = batch, length, spans.data_ptr()
    for name in (*_NAMES, "filter", "rounds", "alpha"):
        setattr(call, name, getattr(options, name))
    call.partners, call.partner_bytes = partners.data_ptr(), partners.element_size()
    call.highest, call.probability = options.merged, probability.data_ptr() if options.probabilities else None
    _run(call, read)
    return partners, probability


def _plan(
    similarity: Tensor,
    src_sizes: Tensor,
    tgt_sizes: Tensor,
    src_mass: Tensor | None,
    tgt_mass: Tensor | None,
    *options: object,
) -> Tensor:
    similarity = similarity.contiguous()
    batch, n, m = similarity.shape
    zero = torch.zeros_like(src_sizes)
    spans = torch.stack([zero, src_sizes, zero, tgt_sizes], 1).to(torch.int64)
    masses = [None if mass is None else mass.float().contiguous() for mass in (src_mass, tgt_mass)]
    found = torch.empty_like(similarity)
    call = Call(
        similarity=similarity.data_ptr(),
        batch=batch,
        length=max(n, m),
        spans=spans.data_ptr(),
        n=n,
        m=m,
        row_mass=None if masses[0] is None else masses[0].data_ptr(),
        column_mass=None if masses[1] is None else masses[1].data_ptr(),
        **dict(zip(_NAMES, options, strict=True)),
        partner_bytes=2,
        plan=found.data_ptr(),
    )
    _run(call, similarity)
    return found


def _run(call: Call, read: Tensor) -> None:
    if call.batch == 0:
        return
    if read.device.type == "cpu":
        call.threads = torch.get_num_threads()
        if library("cpu").xalign_cpu(ctypes.byref(call)):
            raise MemoryError("Sinkhorn's matrices do not fit into memory")
        return
    native = _cuda_library()
    call.device = read.device.index
    call.stream = torch.cuda.current_stream(read.device).cuda_stream
    # Allocated on the stream that uses it, so it can be freed immediately.
    floats = native.xalign_cuda_workspace(ctypes.byref(call))
    workspace = torch.empty(floats, dtype=torch.float32, device=read.device)
    call.workspace = workspace.data_ptr()
    failed = native.xalign_cuda(ctypes.byref(call))
    if failed:
        raise RuntimeError(f"Sinkhorn on {read.device}: {native.xalign_cuda_error(failed).decode()}")


@functools.cache
def _cuda_library() -> ctypes.CDLL:
    native = library("cuda")
    # By default, ctypes reads every result as 32 bits.
    native.xalign_cuda.restype = native.xalign_cuda_workspace.restype = ctypes.c_int64
    native.xalign_cuda_error.argtypes, native.xalign_cuda_error.restype = [ctypes.c_int64], ctypes.c_char_p
    return native


def _outputs(like: Tensor, length: int, options: _LinkOptions) -> tuple[Tensor, Tensor]:
    shape = (1 if options.merged else options.rounds, like.shape[0], length)
    partners = like.new_empty(shape, dtype=label_dtype(length))
    return partners, like.new_empty(shape if options.probabilities else (0,), dtype=torch.float32)


# Operator -> its schema, its computation, and the shapes of its results for torch.compile.
_OPERATORS: dict[str, tuple[str, Callable[..., object], Callable[..., object]]] = {
    "sinkhorn_links": (
        f"(Tensor hidden, Tensor spans, SymInt n, SymInt m, {_SINKHORN}, {_FILTER}) -> (Tensor, Tensor)",
        _links,
        lambda hidden, spans, n, m, *options: _outputs(hidden, hidden.shape[1], _LinkOptions(*options)),
    ),
    "sinkhorn_links_of": (
        f"(Tensor similarity, Tensor spans, SymInt length, {_SINKHORN}, {_FILTER}) -> (Tensor, Tensor)",
        _links_of,
        lambda similarity, spans, length, *options: _outputs(similarity, length, _LinkOptions(*options)),
    ),
    "sinkhorn_plan": (
        "(Tensor similarity, Tensor src_sizes, Tensor tgt_sizes, Tensor? src_mass, Tensor? tgt_mass, "
        f"{_SINKHORN}) -> Tensor",
        _plan,
        lambda similarity, *rest: torch.empty_like(similarity, memory_format=torch.contiguous_format),
    ),
}
for _name, (_schema, _compute, _fake) in _OPERATORS.items():
    _LIBRARY.define(_name + _schema)
    for _device in ("CPU", "CUDA"):
        _LIBRARY.impl(_name, _compute, _device)
    # Links have no gradient, like argmax; plan.sinkhorn_plan computes the plan's gradient.
    _LIBRARY.impl(_name, torch.library.fallthrough_kernel, "Autograd")
    torch.library.register_fake(f"xalign::{_name}", _fake, lib=_LIBRARY)
