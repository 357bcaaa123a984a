"""The command line of fairseq-train for an aligner."""

from collections.abc import Sequence
from typing import Any, NoReturn

from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.objectives.moco import MoCo, soon_full
from xalign_fairseq.registration import register
from xalign_fairseq.trainer.fairseq_train import adam_options, encoder_options, flags

# In epochs: epochs of a small bitext are short, and checkpoints are rarer.
NEVER = 10**9


def train_options(run: TrainingRun, config: EncoderConfig, layer: int, cpu: bool) -> list[str]:
    """The arguments of fairseq-train: awesome-align's optimiser, and losses as XLM-Align's paper sums them."""
    # A pointer that starts as dot products belongs at the labelling layer.
    beside_labels = run.measure == "pointer" or run.pointer_start == "identity"
    reads_layer = {
        "--dwa-label-layer": layer,
        "--dwa-layer": layer if beside_labels else None,
        "--self-training-layer": layer,
        "--self-training-method": run.method,
        "--self-training-labels": "both" if run.links else None,
        "--consistency-layer": layer,
        "--psi-layer": min(layer + 1, config.encoder_layers),  # as awesome-align has it
        "--word-contrastive-layer": layer,
        "--l2-align-layer": layer,
        "--ot-align-layer": layer,
        "--aer-layer": layer,
    }
    keys = min(MoCo.queue_size, soon_full(run.updates * run.batch_size, run.batch_size))
    objectives: dict[str, Any] = {
        "--criterion": "weighted",
        "--objectives": run.objectives,
        "--loss-normalization": "per-objective",
        **reads_layer,
        "--dwa-label-by": run.measure,
        "--dwa-pointer-start": run.pointer_start,
        "--dwa-start-update": 0,  # a pretrained model's labels are as good before the first update as after it
        "--dwa-links-until": run.updates if run.links else None,
        # Given links are used in full; the model's own only at XLM-Align's positions.
        "--dwa-queries": "all-aligned" if run.links else "masked",
        "--aer-similarity": run.measure,
        "--sinkhorn-backend": run.sinkhorn_backend,
        # PPA's queue may be too long for a short run.
        "--moco-queue-size": keys if "moco" in run.objectives else None,
    }
    model = encoder_options(config.as_options(), run.model)
    optimiser = adam_options(
        run.learning_rate,
        run.updates,
        run.batch_size,
        betas=(0.9, 0.999),
        eps=1e-8,
        clip_norm=1.0,
        warmup=run.warmup,
        optimizer="xalign_adamw",
    )
    rest: dict[str, Any] = {
        "--task": "xalign_pretraining",
        "--pivot-lang": "en" if "en" in run.languages else run.languages[1],
        "--freeze-layers": run.freeze_layers,
        "--freeze-encoder-updates": run.freeze_encoder_updates or None,
        "--heads-lr": run.heads_lr,
        "--autocast": "auto" if cpu else None,  # GPUs have fairseq's own options
        "--seed": run.seed,
        "--cpu": cpu,
        # Two workers read as fast as a GPU trains; on a CPU, reading takes a hundredth of the training time.
        "--num-workers": 0 if cpu else 2,
        "--save-dir": run.out,
        "--log-format": "json",
        "--log-interval": min(50, run.validate_every),
    }
    line = [str(run.out / "data-bin"), *flags(rest), *flags(model), *flags(objectives), *flags(optimiser)]
    return [*line, *flags(_checkpoints(run)), *run.extra]


def _checkpoints(run: TrainingRun) -> dict[str, Any]:
    """When there is a checkpoint, and which is the best."""
    options: dict[str, Any] = {
        "--save-interval-updates": run.validate_every,
        "--keep-interval-updates": 1,
        "--save-interval": NEVER,
        "--no-epoch-checkpoints": True,
    }
    if run.dev is None:
        return {**options, "--disable-validation": True}
    return {
        **options,
        "--validate-interval-updates": run.validate_every,
        "--validate-interval": NEVER,
        "--best-checkpoint-metric": "aer",
        "--patience": run.patience or None,
    }


def require_known(line: Sequence[str]) -> None:
    """Raise :class:`XalignError` for options that fairseq-train does not know, or values that it does not take."""
    from fairseq import options

    def refuse(message: str) -> NoReturn:
        raise XalignError("fairseq-train does not take these options", where="the extra options", found=message)

    register()
    parser = options.get_training_parser()
    parser.error = refuse
    options.parse_args_and_arch(parser, input_args=list(line))
