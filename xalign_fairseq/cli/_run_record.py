"""What determines the lines that ``xalign align`` writes: its options, and the state of the files that they name."""

import argparse
import hashlib
import os
from pathlib import Path

from xalign_fairseq.core.text.containers import text_sha256
from xalign_fairseq.core.version import __version__

TEXTS = ("src", "tgt", "pairs")
MODELS = ("model", "dict", "spm", "statistics")
# Options that change no line: where the work is done and shown, and what is made beside the lines.
WITHOUT_EFFECT = frozenset(
    (
        *("command", "run", "out", "resume", "quiet", "verbose", "plot", "plot_line", "gold"),
        *("device", "sinkhorn_backend", "processes", "batch_tokens"),
    )
)


def run_record(args: argparse.Namespace) -> dict[str, str]:
    """A value for each option that has an effect: a text's is its digest, a model's the sizes and times of its files.

    Example::

        run_record(args)  # {"xalign_fairseq": "0.7.0", "--layer": "8", "--src": "sha256 1f...", ...}
    """
    values = {"xalign_fairseq": __version__}
    for name, value in sorted(vars(args).items()):
        if name not in WITHOUT_EFFECT and value is not None:
            values[f"--{name.replace('_', '-')}"] = _described(name, value)
    return values


def _described(name: str, value: object) -> str:
    if name in TEXTS:
        return f"sha256 {text_sha256(str(value))}"
    return model_state(str(value)) if name in MODELS and value else str(value)  # statistics of no folder: the text's


def model_state(path: str) -> str:
    """The value of a model, by the sizes and times of its files.

    Models have gigabytes, of which a digest would take long; their files are not edited in place.

    Example::

        model_state("e5-small")  # "e5-small, state 1f..."
    """
    from xalign_fairseq.encoder.pretrained import packaged

    top = packaged.find() if path == packaged.NAME and not Path(path).exists() else Path(path)
    files = _model_files(top) if top.is_dir() else [top] if top.exists() else []
    states = [(os.path.relpath(each, top), each.stat().st_size, each.stat().st_mtime_ns) for each in files]
    return f"{path}, state {hashlib.sha256(repr(states).encode()).hexdigest()[:16]}"


def _model_files(folder: Path) -> list[Path]:
    """What a model is read from; not the logs beside it, nor the output, which may be in its folder, too."""
    from xalign_fairseq.aligner.statistical.folder import DONE
    from xalign_fairseq.data.databin import DICTIONARY
    from xalign_fairseq.data.tokenizers.tokenizer_model import PIPELINE, SENTENCEPIECE_NAMES, WORDPIECE
    from xalign_fairseq.encoder.pretrained.huggingface.locate import FILES, PICKLED, SAFE
    from xalign_fairseq.encoder.pretrained.reading import CHECKPOINTS

    patterns = (*CHECKPOINTS, DICTIONARY, *SENTENCEPIECE_NAMES, WORDPIECE, PIPELINE, *FILES, *SAFE, *PICKLED, DONE)
    return sorted({file for pattern in patterns for file in folder.rglob(pattern) if file.is_file()})
