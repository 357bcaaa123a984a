"""The steps of a run: check, prepare, train, choose. Interrupted at any point, the same call resumes there."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import TypedDict

from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.training.command import require_known, train_options
from xalign_fairseq.aligner.training.folder import TRIMMED, Begun, RunFolder
from xalign_fairseq.aligner.training.model import aer_of, open_start, put_back, trim_model
from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.devices import choose_devices
from xalign_fairseq.core.installed import require_fairseq
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.locks import alone
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.tokenizers.unknown import unknown_of_texts
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.encoder.pretrained.reading import read_tokenizer
from xalign_fairseq.links.gold import GoldText
from xalign_fairseq.trainer.launch import FairseqTraining, run_training
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.sinkhorn import backend

Say = Callable[[str], object]
Hear = Callable[[str, int], object]  # a line of fairseq-train's log, and the updates of the whole training


class TrainedAligner(TypedDict):
    """The content of ``result.json``; AER on the development set is a fraction, None without a set, ``before``
    training."""

    checkpoint: str
    updates: int | None
    aer: float | None
    before: float | None
    language_embeddings: bool
    command: str


def train_aligner(run: TrainingRun, say: Say = print, hear: Hear = lambda line, updates: None) -> TrainedAligner:
    """Fine-tune a model on bitext by fairseq-train; an interrupted run resumes, a finished one does not change.

    ``say`` gets a line for each step, ``hear`` the log of fairseq-train.

    Raises:
        XalignError: no fairseq, or input that does not fit, before any training; a folder of something else; a training
            that failed.
        Requeued: the training has saved after SIGUSR1 and ended.
    """
    require_fairseq()
    folder = RunFolder(run.out)
    folder.require_own()
    gold = run.check()
    device, dtype = choose_devices(run.device, "auto")
    backend.select(run.sinkhorn_backend)
    start = open_start(run)
    run = start.run
    with alone(folder.path) as lock:
        identity = run.identity(start.digest, start.layer)
        found = folder.begun(identity)
        if folder.result.is_file():
            return read_json(folder.result, TrainedAligner)
        trained = replace(run, model=str(run.out / TRIMMED)) if run.trim_vocabulary else run
        options = train_options(trained, start.config, start.layer, cpu=device == "cpu")
        reading = AlignerOptions(languages=run.languages, device=device, dtype=dtype)
        if found is None:
            if run.extra:
                require_known(options)
            if run.trim_vocabulary:
                say(f"trimming {run.model} to the text: {trim_model(run)}")
            found = Begun(identity=identity, before=_begin(trained, start.layer, gold, reading, say))
            write_json(folder.run, found)
        if (updates_of(folder.last) or 0) < run.updates:  # otherwise it is complete
            training = FairseqTraining(options, folder.path, folder.path, lock)
            run_training(training, lambda line: hear(line, run.updates), say)
        path = folder.tidy()
        updates = updates_of(path)
        if run.trim_vocabulary:
            path = put_back(run, path)
        result: TrainedAligner = {
            "checkpoint": str(path),
            "updates": updates,
            "aer": aer_of(path, gold, replace(reading, linking=Linking(layers=(start.layer,), similarity=run.measure))),
            "before": found["before"],
            "language_embeddings": bool(start.config.languages),
            "command": shlex.join(["fairseq-train", *options]),
        }
        write_json(folder.result, result)
        return result


def _begin(run: TrainingRun, layer: int, gold: GoldText | None, reading: AlignerOptions, say: Say) -> float | None:
    """Prepare the text; returns the AER before training, None without a development set."""
    say(f"preparing {run.src}, {run.tgt}")
    texts = prepare(run.sources(), read_tokenizer(run.model))["pairs"]
    pairs = (f"{x['split']}: {counted(x['pairs'], 'pair')}, {x['lines'] - x['pairs']} dropped" for x in texts)
    say("; ".join(pairs))
    if message := unknown_of_texts(texts).warning(
        "the aligner learns little about these words; one that is trained from scratch may be better"
    ):
        say(f"warning: {message}")
    linking = Linking(run.read_by or "", layers=(layer,), similarity="hidden")
    before = aer_of(run.model, gold, replace(reading, linking=linking))
    if before is not None:
        say(f"before training: AER {100 * before:.2f} on the development set, by hidden states of layer {layer}")
    return before
