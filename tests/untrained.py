"""Checkpoints of transfer tasks as fairseq-train would save them, with heads that nothing has trained."""

import torch

from xalign_fairseq.encoder import checkpoint
from xalign_fairseq.encoder.vocabulary import load_tokenizer


def with_head(state, spec):
    """The content of a checkpoint with the head of a task beside its encoder: always the same one."""
    encoder, _ = checkpoint.load_encoder(state)
    torch.manual_seed(1)
    head = spec.build_head(spec.build_family(load_tokenizer(state, encoder.config.vocab_size)), encoder.config)
    weights = {f"heads.{spec.head_name}.{key}": value for key, value in head.state_dict().items()}
    task_state = {**state["task_state"], "transfer": spec.to_state()}
    return {**state, "model": {**state["model"], **weights}, "task_state": task_state}
