"""The command line of fairseq-train for an aligner."""

from collections.abc import Sequence
from typing import Any, NoReturn

import xalign_fairseq
from xalign_fairseq.aligner.training.run import Plan
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.errors import XalignError
from xalign_fairseq.launch.fairseq_train import USER_DIR, flags

# In epochs: of a small bitext they are short, and only every so many updates is there a checkpoint.
NEVER = 10**9


def train_options(plan: Plan, config: EncoderConfig, layer: int, cpu: bool) -> list[str]:
    """What fairseq-train is given: awesome-align's optimiser, and losses as XLM-Align's paper sums them.

    Args:
        plan: the run.
        config: the model's encoder.
        layer: that links are read from.
        cpu: whether to train on the CPU.
    """
    pointer = plan.measure == "pointer"
    reads_layer = {
        "--dwa-label-layer": layer,
        "--dwa-layer": layer if pointer else None,
        "--word-contrastive-layer": layer,
        "--l2-align-layer": layer,
        "--ot-align-layer": layer,
        "--aer-layer": layer,
    }
    objectives: dict[str, Any] = {
        "--criterion": "weighted",
        "--objectives": plan.objectives,
        "--loss-normalization": "per-objective",
        **reads_layer,
        "--dwa-label-by": plan.measure,
        "--dwa-start-update": 0,  # a pretrained model's labels are as good before the first update as after it
        "--dwa-links-until": plan.updates if plan.links else None,
        # Given links are used in full; of the model's own, what XLM-Align asks for.
        "--dwa-queries": "all-aligned" if plan.links else "masked",
        "--aer-similarity": plan.measure,
        "--sinkhorn-backend": plan.sinkhorn_backend,
    }
    model: dict[str, Any] = {
        "--arch": "xalign_base",
        **{f"--{name.replace('_', '-')}": size for name, size in config.as_options().items()},
        "--init-checkpoint": plan.model,
    }
    optimiser: dict[str, Any] = {
        "--optimizer": "adam",
        "--adam-betas": "(0.9, 0.999)",
        "--adam-eps": "1e-8",
        "--clip-norm": "1.0",
        "--lr": f"{plan.learning_rate:g}",
        "--lr-scheduler": "polynomial_decay",
        "--total-num-update": plan.updates,
        "--max-update": plan.updates,
        "--batch-size": plan.batch_size,
        "--required-batch-size-multiple": 1,  # with more, fairseq would drop the rest of an epoch
    }
    rest: dict[str, Any] = {
        "--user-dir": USER_DIR,
        "--task": "xalign_pretraining",
        "--pivot-lang": "en" if "en" in plan.languages else plan.languages[1],
        "--seed": plan.seed,
        "--cpu": cpu,
        "--num-workers": 0 if cpu else None,
        "--save-dir": plan.out,
        "--log-format": "json",
        "--log-interval": min(50, plan.validate_every),
    }
    line = [str(plan.out / "data-bin"), *flags(rest), *flags(model), *flags(objectives), *flags(optimiser)]
    return [*line, *flags(_checkpoints(plan)), *plan.extra]


def _checkpoints(plan: Plan) -> dict[str, Any]:
    """When there is a checkpoint, and which is the best."""
    options: dict[str, Any] = {
        "--save-interval-updates": plan.validate_every,
        "--keep-interval-updates": 1,
        "--save-interval": NEVER,
        "--no-epoch-checkpoints": True,
    }
    if plan.dev is None:
        return {**options, "--disable-validation": True}
    return {
        **options,
        "--validate-interval-updates": plan.validate_every,
        "--validate-interval": NEVER,
        "--best-checkpoint-metric": "aer",
        "--patience": plan.patience or None,
    }


def require_known(line: Sequence[str]) -> None:
    """Raise :class:`XalignError` for options that fairseq-train does not know, or values that it does not take."""
    from fairseq import options

    def refuse(message: str) -> NoReturn:
        raise XalignError("fairseq-train does not take these options", where="behind --", found=message)

    xalign_fairseq.register()
    parser = options.get_training_parser()
    parser.error = refuse  # type: ignore[method-assign]
    options.parse_args_and_arch(parser, input_args=list(line))
