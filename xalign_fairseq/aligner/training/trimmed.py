"""Training with a vocabulary that is trimmed to the run's text, and the whole one back in the result."""

import os
from pathlib import Path

from xalign_fairseq.aligner.training.run import TrainingRun
from xalign_fairseq.encoder.pretrained.reading import read_pretrained
from xalign_fairseq.encoder.pretrained.saving import new_model
from xalign_fairseq.encoder.pretrained.trimming import summary, trim, untrim

TRIMMED, WHOLE = "trimmed.pt", "model.pt"  # in the run's folder; every command takes the second as the folder's model


def trim_model(run: TrainingRun) -> str:
    """Write the model of a run, trimmed to its bitext and development set, into its folder; tell its size."""
    text = [run.src, run.tgt, *((run.dev.src, run.dev.tgt) if run.dev else ())]
    state, where = read_pretrained(run.model)
    with new_model(run.out / TRIMMED, overwrite=True) as save:
        small = trim(state, where, text, progress=True)
        save(small, where)
    return summary(small, state)


def put_back(run: TrainingRun, checkpoint: str | os.PathLike[str]) -> Path:
    """Write what a trimmed model has learned, in the whole vocabulary, into the run's folder.

    Text that the run has not seen is then cut by the model's own tokenizer; the vectors of pieces that only such text
    has are those of the model that the run began with.
    """
    with new_model(run.out / WHOLE, overwrite=True) as save:
        state, where = read_pretrained(checkpoint)
        save(untrim(state, where, *read_pretrained(run.model)), where)
    return run.out / WHOLE
