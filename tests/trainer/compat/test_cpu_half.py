import torch
from fairseq.optim.fp16_optimizer import FP16Optimizer
from omegaconf import OmegaConf

from xalign_fairseq.trainer import compat


def optimizer(parameters):
    compat.apply()
    config = OmegaConf.create(
        {
            "common": {"bf16": False, "fp16_scale_window": 100, "fp16_init_scale": 4, "fp16_scale_tolerance": 0.0,
                       "threshold_loss_scale": None, "min_loss_scale": 1e-4, "fp16_no_flatten_grads": False},
            "optimizer": {"_name": "sgd", "momentum": 0.0, "weight_decay": 0.0, "lr": [0.5]},
            "optimization": {"update_freq": [1]},
        }
    )  # fmt: skip
    return FP16Optimizer.build_optimizer(config, parameters)


def test_a_half_precision_step_on_the_cpu_moves_the_weights():
    weight = torch.nn.Parameter(torch.tensor([1.0, 2.0], dtype=torch.float16))
    bias = torch.nn.Parameter(torch.tensor([3.0], dtype=torch.float16))
    before = torch.cuda.current_device
    optimiser = optimizer([weight, bias])
    assert torch.cuda.current_device is before
    optimiser.zero_grad()
    optimiser.backward((weight.float() * torch.tensor([2.0, 4.0])).sum() + bias.float().sum())
    optimiser.clip_grad_norm(0.0)
    optimiser.step()
    assert weight.tolist() == [0.0, 0.0]  # 1 - 0.5 * 2, 2 - 0.5 * 4
    assert bias.tolist() == [2.5]
