"""The record that determines an output's lines: options, and the state of the named files."""

import hashlib
import os
from pathlib import Path

from xalign_fairseq.aligner.options import BEST_DONE, AlignerOptions
from xalign_fairseq.aligner.statistical.folder import DONE
from xalign_fairseq.core.text.containers import text_sha256
from xalign_fairseq.core.version import __version__

WITHOUT_EFFECT = ("device", "sinkhorn_backend", "processes", "batch_tokens")  # options that change no link


def run_record(text: tuple[str, ...], model: str | None, options: AlignerOptions, **more: object) -> dict[str, str]:
    """A value for each option that affects the lines: a text's digest, or the sizes and times of a model's files."""
    names = ("src", "tgt") if len(text) == 2 else ("pairs",)
    digests = {name: f"sha256 {text_sha256(path)}" for name, path in zip(names, text, strict=True)}
    given = {name: value for name, value in options.given().items() if name not in WITHOUT_EFFECT}
    described = {name: model_state(str(value)) if name == "statistics" else str(value) for name, value in given.items()}
    rest = {name: str(value) for name, value in more.items()}
    by = {"model": model_state(model)} if model else {}  # None: learned from the text alone
    return {"xalign_fairseq": __version__, **digests, **by, **described, **rest}


def model_state(path: str | os.PathLike[str]) -> str:
    """A model's name, and the sizes and times of its files, because a digest of gigabytes takes long."""
    from xalign_fairseq.encoder.pretrained.reading import find_packaged

    top = find_packaged(path) or Path(path)
    files = _model_files(top) if top.is_dir() else [top] if top.exists() else []
    states = [(os.path.relpath(each, top), each.stat().st_size, each.stat().st_mtime_ns) for each in files]
    return f"{os.path.basename(os.path.abspath(path))}, state {hashlib.sha256(repr(states).encode()).hexdigest()[:16]}"


def _model_files(folder: Path) -> list[Path]:
    """The files that a model is read from, without logs or outputs in its folder."""
    from xalign_fairseq.data.databin import DICTIONARY
    from xalign_fairseq.data.tokenizers.tokenizer_model import MODEL_FILES
    from xalign_fairseq.encoder.pretrained.huggingface.locate import FILES, PICKLED, SAFE
    from xalign_fairseq.encoder.pretrained.reading import CHECKPOINTS

    patterns = (*CHECKPOINTS, DICTIONARY, *MODEL_FILES, *FILES, *SAFE, *PICKLED, DONE, BEST_DONE)
    return sorted({file for pattern in patterns for file in folder.rglob(pattern) if file.is_file()})
