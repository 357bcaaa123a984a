"""Linear maps whose products on the CPU use the fastest of torch's libraries.

torch multiplies float32 matrices by MKL, which uses only AVX2 on AMD's processors. oneDNN, which torch uses only for
bfloat16, uses AVX-512 there: on Zen 5 it is about twice as fast for forward products and for gradients of inputs and
weights. So oneDNN is used on AMD's processors with AVX-512. The choice never depends on a timing, so resumed runs and
parallel processes compute the same. Processors before Zen 5 run AVX-512 in two halves; oneDNN is only 10 % faster on
them, and MKL computes gradients of weights, because oneDNN would copy a factor (:func:`weight_gradient`).

In bfloat16 both libraries are oneDNN, but torch first copies the bias to each row of the output. Here oneDNN adds the
bias: the same numbers, or one rounding less, and `xalign align` takes 2 to 4 % less time on Zen 4. For float16,
float64, autocast and other devices, torch decides.
"""

import functools
import logging
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from xalign_fairseq.core.devices import Cpu, cpu, fast_bfloat16

logger = logging.getLogger(__name__)

# rows x in x out from which oneDNN is faster, although a call costs more.
SMALLEST = 2**22
ZEN5 = 26  # first AMD family whose AVX-512 instructions take one cycle of a unit instead of two


class Libraries(NamedTuple):
    """The library, ``torch`` or ``onednn``, for outputs and input gradients, the one for weight gradients, and the
    reason."""

    products: str
    weight_gradients: str
    why: str


@functools.cache
def chosen() -> Libraries:
    """The libraries that multiply float32 matrices on this CPU; the choice is logged once."""
    choice = _automatic(cpu(), torch.backends.cpu.get_cpu_capability())
    logger.info("float32 products of linear maps on the CPU: %s, %s", choice.products, choice.why)
    return choice


def _automatic(here: Cpu, level: str) -> Libraries:
    if not torch.backends.mkl.is_available():
        return Libraries("torch", "torch", "which does not use MKL here")
    if here.vendor != "AuthenticAMD" or level != "AVX512":
        why = f"as on all CPUs except AMD's with AVX-512: this one is {here.vendor or 'of unknown make'}, {level}"
        return Libraries("torch", "torch", why)
    if lacking := onednn_fault():
        return Libraries("torch", "torch", f"although this is an AMD CPU with AVX-512: {lacking}")
    if here.family < ZEN5:
        return Libraries("onednn", "torch", "except for weight gradients: MKL uses no AVX-512 on AMD's CPUs")
    return Libraries("onednn", "onednn", "because MKL uses no AVX-512 on AMD's CPUs")


def onednn_fault() -> str:
    """Why oneDNN is not available; empty if it is. Its operator is internal to torch's compiler."""
    if not torch.backends.mkldnn.is_available():
        return "it is built without oneDNN"
    return "" if hasattr(torch.ops.mkldnn, "_linear_pointwise") else "it has no mkldnn::_linear_pointwise"


def compiles_shapes(dtype: torch.dtype) -> bool:
    """Whether products on the CPU may be oneDNN's, which compiles code for each new shape."""
    return dtype != torch.float32 or chosen().products == "onednn" or not torch.backends.mkl.is_available()


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``F.linear`` by the fastest library: y = x W^T + b, with gradients of any order; ``x`` (..., I) of any
    strides.
    """
    if not (_fits_onednn(x, weight) and _gains_by_onednn(x.dtype, bias)):
        return F.linear(x, weight, bias)
    if not torch.is_grad_enabled():  # an autograd function costs 1 % of `xalign align`
        return _onednn_product(x, weight, bias)
    product: Tensor = OneDnnLinear.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return product


def weight_gradient(grad: Tensor, x: Tensor, out: Tensor | None = None) -> Tensor:
    """dL/dW = G^T x of y = x W^T; without ``out`` with gradients of any order.

    MKL reads G^T in place and writes to a given place. oneDNN reads the second factor in place and copies a transposed
    first factor: G (N x O numbers) for G^T x, or x for x^T G, whose result must then be copied. The variant with less
    copying is used. G is (N, O) and x (N, I); the result is ``out`` (O, I), of any dtype, or (O, I) of any strides.
    """
    if x.dtype == torch.float32 and _fits_onednn(x.t(), grad.t()) and chosen().weight_gradients == "onednn":
        rows, of_y, of_x = *grad.shape, x.shape[1]
        copies_x = rows * of_y > of_x * (rows + of_y)
        product = linear(x.t(), grad.t()).t() if copies_x else linear(grad.t(), x.t())
    elif out is None or out.dtype != grad.dtype:
        product = torch.mm(grad.t(), x)
    else:
        return torch.mm(grad.t(), x, out=out)
    return product if out is None else out.copy_(product)


def _fits_onednn(x: Tensor, weight: Tensor) -> bool:
    return (
        x.dtype == weight.dtype
        and x.dtype in (torch.float32, torch.bfloat16)
        and x.device.type == "cpu"
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()  # torch's compiler needs such weights to be constants
        and x.numel() * weight.shape[0] >= SMALLEST
    )


def _gains_by_onednn(dtype: torch.dtype, bias: Tensor | None) -> bool:
    return chosen().products == "onednn" if dtype == torch.float32 else bias is not None and _adds_bias()


@functools.cache
def _adds_bias() -> bool:
    """Whether oneDNN, with fast bfloat16, is available to add the bias."""
    return fast_bfloat16(torch.device("cpu")) and not onednn_fault()


def _onednn_product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    product: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return product


class OneDnnLinear(torch.autograd.Function):
    """x W^T + b and its gradients, each one product by oneDNN."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        return _onednn_product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """dL/dx = G W, dL/dW = G^T x, dL/db = sum over rows of G, for G = dL/dy (..., O)."""
        x, weight = ctx.saved_tensors
        need_x, need_weight, need_bias = ctx.needs_input_grad
        (grad,) = grads
        rows = grad.reshape(-1, grad.shape[-1])
        grad_x = linear(grad, weight.t()) if need_x else None
        grad_weight = weight_gradient(rows, x.reshape(-1, x.shape[-1])) if need_weight else None
        return grad_x, grad_weight, rows.sum(0) if need_bias else None


class Linear(nn.Linear):
    """``nn.Linear`` by :func:`linear`; its parameters have the same names."""

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)
