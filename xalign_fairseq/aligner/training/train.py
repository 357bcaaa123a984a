"""The steps of a run: check, prepare, train, choose. The same call resumes an interrupted run."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn, TypedDict

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.training.model import TRIMMED, RunFolder, RunStart, aer_of, open_start, put_back, trim_model
from xalign_fairseq.aligner.training.run import OBJECTIVES, TrainingRun
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.installation import require_fairseq
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.locks import locked_folder
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.tokenizers.unknown import unknown_of_texts
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.reading import read_tokenizer
from xalign_fairseq.links.gold import GoldText
from xalign_fairseq.objectives.moco import MoCo, soon_full
from xalign_fairseq.registration import register
from xalign_fairseq.trainer.fairseq_train import adam_options, encoder_options, flags
from xalign_fairseq.trainer.launch import FairseqTraining, run_training
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.sinkhorn import backend

# In epochs, because epochs of a small bitext are short and checkpoints are rarer.
NEVER = 10**9

# The tokens of a batch, which bound the memory: of long sentences, a batch has fewer pairs.
MOST_TOKENS = 3072


def train_options(run: TrainingRun, config: EncoderConfig, layer: int, cpu: bool) -> list[str]:
    """The arguments of fairseq-train: awesome-align's optimiser, and losses summed as in XLM-Align's paper."""
    # A pointer that starts from the identity reads the labelling layer.
    beside_labels = run.link_similarity == "pointer" or run.pointer_start == "identity"
    reads_layer = {
        "--dwa-label-layer": layer,
        "--dwa-layer": layer if beside_labels else None,
        "--self-training-layer": layer,
        "--self-training-method": run.method,
        "--self-training-labels": "both" if run.links else None,
        "--consistency-layer": layer,
        "--psi-layer": min(layer + 1, config.encoder_layers),  # as in awesome-align
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
        "--dwa-label-by": run.link_similarity,
        "--dwa-pointer-start": run.pointer_start,
        "--dwa-start-update": 0,  # a pretrained model labels well before the first update
        "--dwa-links-until": run.updates if run.links else None,
        # Learn from all given links, but from the model's own links only at XLM-Align's positions.
        "--dwa-queries": "all-aligned" if run.links else "masked",
        "--aer-similarity": run.link_similarity,
        "--sinkhorn-backend": run.sinkhorn_backend,
        # PPA's queue may be too long for a short run.
        "--moco-queue-size": keys,
    }
    unused = tuple(f"--{name.replace('_', '-')}-" for name in OBJECTIVES if name not in run.objectives)
    objectives = {name: value for name, value in objectives.items() if not name.startswith(unused)}
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
        "--max-tokens": max(MOST_TOKENS, 2 * config.max_positions),  # room for every pair
        "--pivot-lang": "en" if "en" in run.languages else run.languages[1],
        "--freeze-layers": run.freeze_layers,
        "--autocast": "auto" if cpu else None,  # GPUs use fairseq's options
        "--seed": run.seed,
        "--cpu": cpu,
        # Two workers read as fast as a GPU trains; on a CPU, reading takes 1% of the training time.
        "--num-workers": 0 if cpu else 2,
        "--save-dir": run.out,
        "--log-format": "json",
        "--log-interval": min(50, run.validate_every),
    }
    checkpoints: dict[str, Any] = {
        "--save-interval-updates": run.validate_every,
        "--keep-interval-updates": 1,
        "--save-interval": NEVER,
        "--no-epoch-checkpoints": True,
    }
    if run.dev is None:
        checkpoints["--disable-validation"] = True
    else:
        checkpoints |= {
            "--validate-interval-updates": run.validate_every,
            "--validate-interval": NEVER,
            "--best-checkpoint-metric": "aer",
            "--patience": run.patience or None,
        }
    parts = (rest, model, objectives, optimiser, checkpoints)
    return [str(run.out / "data-bin"), *(flag for part in parts for flag in flags(part)), *run.extra]


def require_known(line: Sequence[str]) -> None:
    """Raise :class:`XalignError` for unknown options of fairseq-train or invalid values."""
    from fairseq import options

    def refuse(message: str) -> NoReturn:
        raise XalignError("fairseq-train does not take these options", where="the extra options", found=message)

    register()
    parser = options.get_training_parser()
    parser.error = refuse
    options.parse_args_and_arch(parser, input_args=list(line))


Say = Callable[[str], object]
Hear = Callable[[str, int], object]  # a line of fairseq-train's log, and the number of all updates


class TrainedAligner(TypedDict):
    """The content of ``result.json``. AER on the development set is a fraction, None without a set; ``before``: before
    training.
    """

    checkpoint: str
    updates: int | None
    aer: float | None
    before: float | None
    language_embeddings: bool
    command: str


def train_aligner(run: TrainingRun, say: Say = print, hear: Hear = lambda line, updates: None) -> TrainedAligner:
    """Fine-tune a model on bitext with fairseq-train; an interrupted run resumes, a finished run does not change.

    ``say`` gets a line for each step, ``hear`` the log of fairseq-train.

    Raises:
        XalignError: fairseq is missing; the input does not fit (before any training); the folder belongs to something
            else; the training failed.
        Requeued: the training saved a checkpoint after SIGUSR1 and ended.
    """
    require_fairseq()
    folder = RunFolder(run.out)
    folder.require_own()
    start = open_start(run)
    run, gold = start.run, start.gold
    reading = AlignerOptions(languages=run.languages, device=run.device).on_devices()
    backend.select(run.sinkhorn_backend)
    with locked_folder(folder.path) as lock:
        identity = run.identity(start.digest, start.layer)
        started = folder.started(identity)
        if folder.result.is_file():
            return read_json(folder.result, TrainedAligner)
        trimmed = replace(run, model=str(run.out / TRIMMED)) if run.trim_vocabulary else run
        options = train_options(trimmed, start.config, start.layer, cpu=reading.device == "cpu")
        if started is None:
            if run.extra:
                require_known(options)
            if run.trim_vocabulary:
                say(f"trimming {run.model} to the text: {trim_model(run)}")
            started = RunStart(identity=identity, before=_begin(trimmed, start.layer, gold, reading, say))
            write_json(folder.run, started)
        if (updates_of(folder.last) or 0) < run.updates:  # otherwise it is complete
            training = FairseqTraining(options, folder.path, folder.path, lock)
            run_training(training, lambda line: hear(line, run.updates), say)
        path = folder.tidy()
        updates = updates_of(path)
        if run.trim_vocabulary:
            path = put_back(run, path)
        linking = Linking(layers=(start.layer,), similarity=run.link_similarity)
        result: TrainedAligner = {
            "checkpoint": str(path),
            "updates": updates,
            "aer": aer_of(path, gold, replace(reading, linking=linking)),
            "before": started["before"],
            "language_embeddings": bool(start.config.languages),
            "command": shlex.join(["fairseq-train", *options]),
        }
        write_json(folder.result, result)
        return result


def _begin(run: TrainingRun, layer: int, gold: GoldText | None, reading: AlignerOptions, say: Say) -> float | None:
    """Prepare the text; returns the AER before training, or None without a development set."""
    say(f"preparing {run.src}, {run.tgt}")
    texts = prepare(run.sources(), read_tokenizer(run.model))["pairs"]
    pairs = (f"{x['split']}: {counted(x['pairs'], 'pair')}, {x['lines'] - x['pairs']} dropped" for x in texts)
    say("; ".join(pairs))
    if message := unknown_of_texts(texts).warning(
        "the aligner learns little about these words; one that is trained from scratch may be better"
    ):
        say(f"warning: {message}")
    linking = Linking(run.method_before or "", layers=(layer,), similarity="hidden")
    before = aer_of(run.model, gold, replace(reading, linking=linking))
    if before is not None:
        say(f"before training: AER {100 * before:.2f} on the development set, by hidden states of layer {layer}")
    return before
