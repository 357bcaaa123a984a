"""The steps of a run: check, prepare, train, choose; broken off at any point, the same call goes on from there."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from xalign_fairseq.aligner.training.command import require_known, train_options
from xalign_fairseq.aligner.training.folder import RunFolder
from xalign_fairseq.aligner.training.log import Progress, read_line
from xalign_fairseq.aligner.training.model import aer_of, open_model
from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.aligner.training.trimmed import TRIMMED, put_back, trim_model
from xalign_fairseq.core.devices import choose_device
from xalign_fairseq.core.installed import require_fairseq
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.locks import alone
from xalign_fairseq.data.prepare.prepare import prepare
from xalign_fairseq.data.tokenizers.unknown import unknown_of_texts
from xalign_fairseq.encoder.checkpoint import updates_of
from xalign_fairseq.encoder.pretrained.reading import read_tokenizer
from xalign_fairseq.trainer.launch import FairseqTraining, run_training
from xalign_fairseq.transport.sinkhorn import backend

Say = Callable[[str], object]


def train_aligner(
    run: TrainingRun, say: Say = print, progress: Callable[[Progress], object] = lambda report: None
) -> dict[str, Any]:
    """Fine-tune a model on bitext by fairseq-train; a run that was broken off goes on, a finished one stays.

    Args:
        run: what the run is.
        say: is told each step.
        progress: is told what fairseq-train reports.

    Returns:
        what ``result.json`` holds: the ``checkpoint``, its ``updates``, its ``aer`` on the development set and the one
        ``before`` training (fractions; None without development set), whether the encoder has ``language_embeddings``,
        and fairseq-train's ``command``.

    Raises:
        XalignError: no fairseq, or input that does not fit, before any training; a folder of something else; a training
            that failed.

    Example::

        run = TrainingRun("xlmr.base", "train.de", "train.en", Path("aligner"), ("de", "en"))
        train_aligner(run)["checkpoint"]  # "aligner/checkpoint_last.pt"
    """
    require_fairseq()
    run.check()
    backend.select(run.sinkhorn_backend)
    device = choose_device(run.device).type
    folder = RunFolder(run.out)
    folder.require_own()
    start = open_model(run)
    run = start.run
    identity = run.identity(start.digest, start.layer)
    with alone(folder.path) as lock:
        begun = folder.begun(identity)
        if folder.result.is_file():
            return read_json(folder.result)
        # What is trained: the model itself, or what it is trimmed to.
        trained = replace(run, model=str(run.out / TRIMMED)) if run.trim_vocabulary else run
        options = train_options(trained, start.config, start.layer, cpu=device == "cpu")
        if begun is None:
            if run.extra:
                require_known(options)
            if run.trim_vocabulary:
                say(f"trimming {run.model} to the text: {trim_model(run)}")
            begun = {"identity": identity, "before": _begin(trained, start.layer, device, say)}
            write_json(folder.run, begun)
        if (updates_of(folder.last) or 0) < run.updates:  # else it was trained to its end

            def hear(line: str) -> None:
                if report := read_line(line):
                    progress(replace(report, of=run.updates))

            run_training(FairseqTraining(options, folder.path, folder.path, lock), hear, say)
        path = folder.tidy()
        updates = updates_of(path)
        if run.trim_vocabulary:
            path = put_back(run, path)
        result = {
            "checkpoint": str(path),
            "updates": updates,
            "aer": aer_of(path, run, start.layer, run.measure, device),
            "before": begun["before"],
            "language_embeddings": bool(start.config.languages),
            "command": shlex.join(["fairseq-train", *options]),
        }
        write_json(folder.result, result)
        return result


def _begin(run: TrainingRun, layer: int, device: str, say: Say) -> float | None:
    """Prepare the text; AER of the model as it is, None without development set."""
    say(f"preparing {run.src}, {run.tgt}")
    texts = prepare(run.sources(), read_tokenizer(run.model))["pairs"]
    say("; ".join(f"{text['split']}: {text['pairs']} pairs, {text['lines'] - text['pairs']} dropped" for text in texts))
    if message := unknown_of_texts(texts).warning(
        "the aligner learns little of these words, and one --from-scratch may be better"
    ):
        say(f"warning: {message}")
    before = aer_of(run.model, run, layer, "hidden", device, run.read_by)
    if before is not None:
        say(f"before training: AER {100 * before:.2f} on the development set, by hidden states of layer {layer}")
    return before
