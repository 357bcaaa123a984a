"""A small network in every precision that fairseq's trainer knows, and the options of its optimizers."""

import torch
from omegaconf import OmegaConf

PRECISIONS = {
    "float32": {},
    "fp16": {"fp16": True},
    "fp16, not flat": {"fp16": True, "fp16_no_flatten_grads": True},
    "bf16": {"bf16": True},
    "memory-efficient fp16": {"fp16": True, "memory_efficient_fp16": True},
    "memory-efficient bf16": {"bf16": True, "memory_efficient_bf16": True},
}


def config(name, **common):
    """The configuration that fairseq's trainer passes to an optimizer, as from a command line."""
    off = ("amp", "fp16", "bf16", "memory_efficient_fp16", "memory_efficient_bf16", "tpu", "fp16_no_flatten_grads")
    scaler = {"fp16_scale_window": 3, "fp16_init_scale": 8, "fp16_scale_tolerance": 0.0, "min_loss_scale": 1e-4}
    return OmegaConf.create(
        {
            "common": {**dict.fromkeys(off, False), **scaler, "threshold_loss_scale": None, **common},
            "optimizer": {"_name": name, "adam_betas": "(0.9, 0.98)", "adam_eps": 1e-6, "weight_decay": 0.01},
            "optimization": {"lr": [0.01], "update_freq": [1]},
        }
    )


def network(**common):
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Embedding(20, 8), torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.Linear(8, 4)
    )
    return model.half() if common.get("fp16") else model.bfloat16() if common.get("bf16") else model
