"""The encoders of a study, opened once and checked."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.encoder.pretrained.four_bit import is_four_bit
from xalign_fairseq.encoder.pretrained.reading import find_pretrained, open_model
from xalign_fairseq.encoder.pretrained.saving import convert


@dataclass(frozen=True)
class Checkpoint:
    """An encoder to compare: a path in fairseq's format, the given model's digest, and ``</s>`` between two texts."""

    name: str
    path: Path
    config: EncoderConfig
    digest: str
    pair_separators: int = 2


def open_checkpoint(name: str, path: str | os.PathLike, cache: Path) -> Checkpoint:
    """Read and check a checkpoint; a Hugging Face folder or the packaged encoder is converted into ``cache`` once."""
    given = find_pretrained(path).absolute()
    digest = _digest(given)
    file = _converted(name, given, digest, cache) if given.is_dir() or is_four_bit(given) else given
    model = open_model(file)
    return Checkpoint(name, file, model.encoder.config, digest, model.tokenizer.pair_separators)


def _converted(name: str, given: Path, digest: str, cache: Path) -> Path:
    """A fairseq file; the digest next to it identifies its model."""
    file, mark = cache / f"{name}.pt", cache / f"{name}.digest"
    if not (file.is_file() and mark.is_file() and mark.read_text().strip() == digest):
        cache.mkdir(parents=True, exist_ok=True)
        mark.unlink(missing_ok=True)  # a kill must not leave the digest next to another model's file
        convert(given, file, overwrite=True)
        mark.write_text(digest + "\n")
    return file


def _digest(path: Path) -> str:
    """First 12 hexadecimal digits of the SHA-256 of a file, or of the weights, options and tokenizer of a folder."""
    kinds = {".json", ".safetensors", ".bin", ".model", ".txt"}
    files = sorted(each for each in path.iterdir() if each.suffix in kinds) if path.is_dir() else [path]
    if not all(each.is_file() for each in files):
        expected = "a fairseq file, or a folder of Hugging Face's format"
        raise XalignError("the checkpoint does not exist", where=path, expected=expected)
    content = hashlib.sha256()
    for each in files:
        with open(each, "rb") as stream:
            content.update(hashlib.file_digest(stream, "sha256").digest())
    return content.hexdigest()[:12]
