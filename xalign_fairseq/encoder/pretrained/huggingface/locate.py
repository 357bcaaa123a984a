"""Find a model of the hub: in the local cache of Hugging Face's libraries, or on the network."""

import os
import re
from fnmatch import fnmatch
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, nearly
from xalign_fairseq.encoder.checkpoint import MODELS
from xalign_fairseq.encoder.pretrained.huggingface.pipelines import SENTENCEPIECE
from xalign_fairseq.encoder.pretrained.huggingface.side_files import HEADS, OPTIONS
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_json import ADDED, TOKENIZER
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import SPM, TOKENIZER_CONFIG, VOCAB
from xalign_fairseq.encoder.pretrained.huggingface.weights import WEIGHTS

TOKENIZERS = (SPM, VOCAB, TOKENIZER, SENTENCEPIECE)
# The model files to load; pickles only if there is no safetensors file.
FILES = ("config.json", *TOKENIZERS, TOKENIZER_CONFIG, ADDED, OPTIONS, HEADS)
SAFE = ("model.safetensors", "model.safetensors.index.json", "model-*.safetensors")
PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-*.bin")
# "name" or "organisation/name", but not a file name with an ending.
HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
FILE_ENDINGS = (".pt", ".pth", ".npz", ".bin", ".safetensors", ".onnx", ".json", ".model", ".txt", ".zip", ".gz")
SECONDS = 20  # timeout for the hub's answer


def is_hub_name(path: StrPath) -> bool:
    """Whether a text that names nothing on this machine may be the name of a model on the hub.

    If its first part is a local folder that has a similar name inside, it is a mistyped path.
    """
    text = os.fspath(path)
    if HUB_NAME.fullmatch(text) is None or text.endswith(FILE_ENDINGS):
        return False
    return not ("/" in text and Path(text).parent.is_dir() and nearly(text))


def snapshot(folder: Path) -> Path:
    """The revision ``main``, or the only one, in a folder of the hub's cache; other folders are returned unchanged."""
    snapshots, ref = folder / "snapshots", folder / "refs/main"
    if not snapshots.is_dir():
        return folder
    there = sorted(each.name for each in snapshots.iterdir())
    name = ref.read_text(encoding="utf-8").strip() if ref.is_file() else there[0] if len(there) == 1 else None
    if name not in there:
        problem, remedy = "the cache has no main revision of the model", f"give a folder in {snapshots}"
        raise XalignError(problem, where=folder, found=", ".join(there) or "no revision", remedy=remedy)
    return snapshots / str(name)


def find_on_hub(name: str) -> Path:
    """The folder of a model of the hub: from the local cache, otherwise from the network."""
    from huggingface_hub import constants  # here, because importing takes half a second

    cached = Path(constants.HF_HUB_CACHE) / f"models--{name.replace('/', '--')}"
    if cached.is_dir():
        folder = snapshot(cached)
        needed = (("config.json",), TOKENIZERS, WEIGHTS)
        if all(any((folder / file).is_file() for file in files) for files in needed):
            return folder
    return _download(name)


def _download(name: str) -> Path:
    import huggingface_hub

    try:
        # One request without retries: most failures are wrong names.
        about = huggingface_hub.model_info(name, timeout=SECONDS)
        there = [file.rfilename for file in about.siblings or ()]
        weights = SAFE if any(fnmatch(file, pattern) for file in there for pattern in SAFE) else PICKLED
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=[*FILES, *weights]))
    except Exception as error:  # network errors, and the hub's: no such model, no permission
        problem = "the model is neither on this machine nor in the hub's cache, and could not be downloaded"
        found = "; ".join(filter(None, (nearly(name), str(error).split("\n")[0])))
        raise XalignError(problem, where=name, found=found, remedy=MODELS) from None
