"""AdamW that scales and clips in its single pass over the parameters, and applies sparse gradients by rows."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor

from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.trainer.optim.apex import apex_step, require_apex

MOMENTS = ("exp_avg", "exp_avg_sq")
HALVES = (torch.float16, torch.bfloat16)
# Half-precision values converted to float32 at a time, with their gradients; a larger parameter is converted alone.
TOGETHER = 2**24


class Part(NamedTuple):
    """Tensors of one shape, type and device: values, gradient, and the averages of the gradient and its square."""

    values: Tensor
    gradient: Tensor
    exp_avg: Tensor
    exp_avg_sq: Tensor


class FoldedAdamW(torch.optim.Optimizer):
    r"""AdamW (Loshchilov & Hutter 2019) with the gradients' scale kept as a number until the step.

    With g the gradient times the kept factor and t the parameter's number of updates, per element::

        m = b1 m + (1 - b1) g          v = b2 v + (1 - b2) g^2
        p = (1 - lr w) p - lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps)

    This is fairseq's adam, with eps in the same place. :meth:`multiply` and :meth:`clip` change the factor, a number on
    the device, without synchronisation, and the step reads gradient, moments and values once. Until then ``p.grad`` is
    unscaled; afterwards, float32 gradients are scaled as in the step, others unchanged.

    **Sparse gradients** are stepped lazily: rows with a gradient follow the equations above, with t the updates of the
    whole parameter; other rows and their moments do not change. In dense Adam a row whose gradient is zero for n
    updates would have::

        m_n = b1^n m          v_n = b2^n v
        p_n = (1 - lr w) p_(n-1) - lr sqrt(1 - b2^t) / (1 - b1^t) m_n / (sqrt(v_n) + eps)

    At constant lr and without bias correction, lazy steps omit two things in a gap of any length: momentum, at most
    r / (1 - r) times the row's last update with r = b1 / sqrt(b2) (9 times for 0.9 and 0.999); and weight decay, lr w
    of the values per update. The next update multiplies m and v by b1 and b2 instead of b1^(n+1) and b2^(n+1). In both
    cases an element changes, once bias needs no correction, by at most lr (1 - b1) / sqrt((1 - b2)(1 - b1^2 / b2)),
    7.3 lr for these values. A row with a gradient in every update is stepped as by dense Adam. On a GPU, summing
    repeated rows of a sparse gradient needs a synchronisation.

    For float16 and bfloat16 parameters, moments are float32, and steps are in float32, in chunks. ``weight_decay`` is
    w; ``kernel`` is ``torch``, or ``apex`` for float32 parameters on a GPU.
    """

    supports_memory_efficient_fp16 = True
    supports_flat_params = True
    disable_mem_eff_fp16_loading_hack = True  # load_state_dict here keeps float32 moments

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        betas: Iterable[float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        kernel: str = "torch",
    ):
        super().__init__(params, {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay})
        self.factor: float | Tensor = 1.0
        check_values("unknown kernel", ("adamw_kernel", kernel, kernel in ("torch", "apex"), "torch or apex"))
        if kernel == "apex":
            require_apex()
        self.kernel = kernel

    def multiply(self, factor: float | Tensor) -> None:
        """Multiply the gradients by a number, when they are read."""
        self.factor = self.factor * factor

    def clip(self, max_norm: float, aggregate: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """The norm of all workers' gradients times the factor; the step clips it to ``max_norm``, unless this is 0."""
        norm = gradient_norm(self._gradients())
        norm = norm * (self.factor.to(norm.device) if isinstance(self.factor, Tensor) else self.factor)
        if aggregate is not None:
            norm = aggregate(norm)
        if max_norm > 0:
            self.factor = (max_norm / (norm + 1e-6)).clamp(max=1) * self.factor
        return norm

    def zero_grad(self, set_to_none: bool = True) -> None:
        self.factor = 1.0
        super().zero_grad(set_to_none)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update every parameter with a gradient, and reset the factor to 1."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            whole: defaultdict[tuple[torch.device, torch.dtype, int], list[Part]] = defaultdict(list)
            halves: defaultdict[tuple[torch.device, torch.dtype, int], list[Tensor]] = defaultdict(list)
            for p in group["params"]:
                if p.grad is None:
                    continue
                state: dict[str, Any] = self.state[p]
                if not state:
                    state |= {"step": 0, **{name: torch.zeros_like(p, dtype=moment_type(p)) for name in MOMENTS}}
                state["step"] += 1
                if p.grad.is_sparse:
                    self._step_rows(p, state, group)
                elif p.dtype in HALVES:
                    halves[p.device, p.dtype, state["step"]].append(p)
                else:
                    part = Part(p, aligned(p.grad, p), *(state[name] for name in MOMENTS))
                    whole[p.device, p.dtype, state["step"]].append(part)
            for (_, _, step), parts in whole.items():
                self._run(parts, step, group)
            for (_, _, step), parameters in halves.items():
                for together in batched(parameters):
                    self._step_halves(together, step, group)
        self.factor = 1.0
        return loss

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a state of this optimizer or of fairseq's adam; moments keep their precision."""
        require_groups([len(group["params"]) for group in state_dict["param_groups"]], self.param_groups)
        super().load_state_dict(dict(state_dict))
        for group, saved_group in zip(self.param_groups, state_dict["param_groups"], strict=True):
            for p, key in zip(group["params"], saved_group["params"], strict=True):
                if key not in state_dict["state"]:
                    continue
                saved = dict(state_dict["state"][key])
                step = saved.pop("step", saved_group.get("step"))
                require_moments(saved, p, step)
                moments = {name: saved[name].to(device=p.device, dtype=moment_type(p)) for name in MOMENTS}
                self.state[p] = {"step": int(step), **moments}

    def _gradients(self) -> Iterator[Tensor]:
        """The gradients for the norm; repeated rows of sparse gradients are summed once, for norm and step."""
        for p in chain.from_iterable(group["params"] for group in self.param_groups):
            if p.grad is not None and p.grad.is_sparse:
                p.grad = p.grad.coalesce()
                yield p.grad.values()
            elif p.grad is not None:
                yield p.grad

    def _step_rows(self, p: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Update the rows of a sparse gradient, copied out and back."""
        gradient = p.grad.coalesce()  # type: ignore[union-attr]
        rows = gradient.indices()[0]
        kind = moment_type(p)
        tables = (p, *(state[name] for name in MOMENTS))
        values, *moments = (table[rows].to(kind) for table in tables)
        self._run([Part(values, gradient.values().to(kind), *moments)], state["step"], group)
        for table, updated in zip(tables, (values, *moments), strict=True):
            table.index_copy_(0, rows, updated.to(table.dtype))

    def _step_halves(self, parameters: list[Tensor], step: int, group: dict[str, Any]) -> None:
        """Update parameters of half precision in float32."""
        values, gradients = ([torch.empty_like(p, dtype=torch.float32) for p in parameters] for _ in range(2))
        torch._foreach_copy_(values, parameters)
        torch._foreach_copy_(gradients, [p.grad for p in parameters])  # type: ignore[misc]
        moments = ([self.state[p][name] for p in parameters] for name in MOMENTS)
        self._run([Part(*each) for each in zip(values, gradients, *moments, strict=True)], step, group)
        torch._foreach_copy_(parameters, values)

    def _run(self, parts: list[Part], step: int, group: dict[str, Any]) -> None:
        """One call of the operator of torch.optim.AdamW(fused=True), or of apex's; the gradients come out scaled."""
        values, gradients, exp_avgs, exp_avg_sqs = (list(tensors) for tensors in zip(*parts, strict=True))
        device = values[0].device
        # The operators add eps after the second moment's correction, fairseq's adam before it.
        eps = group["eps"] / math.sqrt(1 - group["betas"][1] ** step)
        if self.kernel == "apex" and device.type == "cuda" and values[0].dtype == torch.float32:
            lists = (gradients, values, exp_avgs, exp_avg_sqs)
            apex_step(lists, step, group["lr"], group["betas"], eps, group["weight_decay"], self.factor)
            return
        count = torch.full((), step, dtype=torch.float32, device=device)
        scale = None
        if isinstance(self.factor, Tensor):
            scale = self.factor.to(device=device, dtype=torch.float32, non_blocking=True)
        elif self.factor != 1:
            scale = torch.full((), self.factor, dtype=torch.float32, device=device)
        torch._fused_adamw_(
            values,
            gradients,
            exp_avgs,
            exp_avg_sqs,
            [],  # no AMSGrad
            [count] * len(parts),
            lr=group["lr"],
            beta1=group["betas"][0],
            beta2=group["betas"][1],
            weight_decay=group["weight_decay"],
            eps=eps,
            amsgrad=False,
            maximize=False,
            grad_scale=None if scale is None else scale.reciprocal(),  # the operator divides
            found_inf=None,
        )


def batched(parameters: Iterable[Tensor]) -> Iterator[list[Tensor]]:
    """Parameters in order, in groups of at most :data:`TOGETHER` numbers."""
    batch: list[Tensor] = []
    numbers = 0
    for p in parameters:
        if batch and numbers + p.numel() > TOGETHER:
            yield batch
            batch, numbers = [], 0
        batch.append(p)
        numbers += p.numel()
    if batch:
        yield batch


def gradient_norm(gradients: Iterable[Tensor]) -> Tensor:
    """The joint Euclidean norm of all gradients, each read once; in float32 for half precision."""
    alike: defaultdict[tuple[torch.device, torch.dtype], list[Tensor]] = defaultdict(list)
    for gradient in gradients:
        alike[gradient.device, gradient.dtype].append(gradient.detach())
    if not alike:
        return torch.tensor(0.0)
    norms = [
        norm
        for (_, kind), each in alike.items()
        for norm in torch._foreach_norm(each, 2.0, torch.float32 if kind in HALVES else None)
    ]
    together: Tensor = torch.linalg.vector_norm(torch.stack([norm.to(norms[0]) for norm in norms]))
    return together


def moment_type(p: Tensor) -> torch.dtype:
    """The dtype of a parameter's moments and of its update."""
    return torch.float32 if p.dtype in HALVES else p.dtype


def aligned(gradient: Tensor, p: Tensor) -> Tensor:
    """A gradient in its parameter's memory order; fused kernels ignore strides."""
    return gradient if gradient.stride() == p.stride() else torch.empty_like(p).copy_(gradient)


def require_groups(saved: list[int], groups: list[dict[str, Any]]) -> None:
    """Raise :class:`XalignError` unless a saved state has as many parameters in each group."""
    here = [len(group["params"]) for group in groups]
    if saved != here:
        problem, remedy = "the checkpoint's optimizer state does not fit", ("set", Parameter("reset_optimizer"))
        raise XalignError(problem, found=f"groups of {saved} parameters", expected=here, remedy=remedy)


def require_moments(saved: Mapping[str, Any], p: Tensor, step: object) -> None:
    """Raise :class:`XalignError` unless a saved state is Adam's, of a parameter of this shape."""
    fitting = step is not None and set(saved) == set(MOMENTS)
    if fitting and all(saved[name].shape == p.shape for name in MOMENTS):
        return
    shapes = {name: tuple(getattr(value, "shape", ())) for name, value in saved.items()}
    problem, where = "the checkpoint's optimizer state does not fit", f"a parameter of shape {tuple(p.shape)}"
    raise XalignError(problem, where=where, found=shapes, remedy=("set", Parameter("reset_optimizer")))
