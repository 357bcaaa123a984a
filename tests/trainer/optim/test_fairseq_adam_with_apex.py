"""fairseq's adam with NVIDIA's apex: updates by apex's published interface equal those of its own Adam.

The stand-in has the signatures of apex.optimizers.FusedAdam, of multi_tensor_applier and of amp_C.multi_tensor_adam;
fairseq looks for apex when it is imported, so the test runs in a separate process.
"""

import sys

from support.warm_start import run_warm

INIT = "from apex import multi_tensor_apply, optimizers\n"
APPLY = """
class MultiTensorApply:
    available = True

    def __init__(self, chunk_size):
        self.chunk_size = chunk_size

    def __call__(self, op, noop_flag_buffer, tensor_lists, *args):
        return op(self.chunk_size, noop_flag_buffer, tensor_lists, *args)

multi_tensor_applier = MultiTensorApply(2048 * 32)
"""
OPTIMIZERS = """
import torch

CALLS = []

def multi_tensor_adam(chunk, noop, lists, lr, beta1, beta2, eps, step, mode, correction, decay):
    assert noop.dtype == torch.int32 and mode == 1 and correction == 1
    CALLS.append(step)
    for g, p, m, v in zip(*lists, strict=True):
        m.mul_(beta1).add_(g, alpha=1 - beta1)
        v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
        unbiased = v / (1 - beta2**step)
        p.sub_(lr * (m / (1 - beta1**step) / (unbiased.sqrt() + eps) + decay * p))

class FusedAdam(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, bias_correction=True, betas=(0.9, 0.999), eps=1e-8, adam_w_mode=True,
                 weight_decay=0., amsgrad=False, set_grad_none=True):
        super().__init__(params, dict(lr=lr, bias_correction=bias_correction, betas=betas, eps=eps,
                                      weight_decay=weight_decay))
        self.adam_w_mode = 1 if adam_w_mode else 0
        self._dummy_overflow_buf = torch.zeros(1, dtype=torch.int32)
        self.multi_tensor_adam = multi_tensor_adam
"""
SCRIPT = """
import contextlib
import torch
torch.cuda.is_available = lambda: True
torch.cuda.device = lambda device: contextlib.nullcontext()
from apex.optimizers import CALLS
from fairseq.optim.adam import FairseqAdam, FairseqAdamConfig
from xalign_fairseq.trainer.optim.adamw import FoldedAdamW

OPTIONS = {"adam_betas": "(0.9, 0.98)", "adam_eps": 1e-12, "weight_decay": 0.1, "lr": [0.02], "tpu": False}

def steps(optimizer, p, count):
    for number in range(count):
        p.grad = torch.randn(4, 3, generator=torch.Generator().manual_seed(number))
        optimizer.step()
    return p

def start():
    return torch.nn.Parameter(torch.randn(4, 3, generator=torch.Generator().manual_seed(9)))

def trained(**more):
    p = start()
    optimizer = FairseqAdam(FairseqAdamConfig(**OPTIONS, **more), [p])
    return optimizer, steps(optimizer, p, 3)

fused, p = trained()
assert type(fused.optimizer).__name__ == "FusedAdamV2" and CALLS == [1, 2, 3], CALLS
own, q = trained(use_old_adam=True)
assert type(own.optimizer).__name__ == "Adam" and CALLS == [1, 2, 3]
torch.testing.assert_close(p, q, rtol=1e-5, atol=1e-6)

# xalign_adamw continues from the state of apex as fairseq's own Adam does from its own
r = torch.nn.Parameter(p.detach().clone())
resumed = FoldedAdamW([r], lr=0.02, betas=(0.9, 0.98), eps=1e-12, weight_decay=0.1)
resumed.load_state_dict(fused.optimizer.state_dict())
torch.testing.assert_close(steps(resumed, r, 2), steps(own, q, 2), rtol=1e-5, atol=1e-6)
print("the same")
"""


def test_updates_by_apex_equal_those_of_fairseq_and_xalign_adamw_continues_them(tmp_path):
    for name, text in {"__init__": INIT, "multi_tensor_apply/__init__": APPLY, "optimizers": OPTIMIZERS}.items():
        path = tmp_path / f"apex/{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    apex = tmp_path
    program = f"import sys\nsys.path.insert(0, {str(apex)!r})\n{SCRIPT}"
    done = run_warm([sys.executable, "-c", program], apex)
    assert done.returncode == 0 and done.stdout.endswith("the same\n"), done.stderr[-3000:]
