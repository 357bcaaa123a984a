"""Find a model of the hub: in the local cache of Hugging Face's libraries, or on the network."""

import os
import re
from fnmatch import fnmatch
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, nearly
from xalign_fairseq.encoder.pretrained.huggingface.pipelines import SENTENCEPIECES
from xalign_fairseq.encoder.pretrained.huggingface.side_files import HEADS, OPTIONS
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_json import ADDED, TOKENIZER
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import SPM, TOKENIZER_CONFIG, VOCAB
from xalign_fairseq.encoder.pretrained.huggingface.weights import WEIGHTS

TOKENIZERS = tuple(dict.fromkeys((SPM, VOCAB, TOKENIZER, *SENTENCEPIECES)))
# The files of a model that are read; pickles only without a safetensors file.
FILES = ("config.json", *TOKENIZERS, TOKENIZER_CONFIG, ADDED, OPTIONS, HEADS)
SAFE = ("model.safetensors", "model.safetensors.index.json", "model-*.safetensors")
PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-*.bin")
SUBFOLDER = "0_Transformer"  # of old releases of sentence-transformers
# "name" or "organisation/name", but not a file name with an ending.
HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
FILE_ENDINGS = (".pt", ".pth", ".bin", ".safetensors", ".onnx", ".json", ".model", ".txt", ".zip", ".gz")
SECONDS = 20  # to wait for the hub's answer


def is_hub_name(path: StrPath) -> bool:
    """Whether a text that names nothing on this machine may be the name of a model on the hub.

    It is not one if its first part is a folder here with a similar name inside: that is a mistyped path.
    """
    text = os.fspath(path)
    if HUB_NAME.fullmatch(text) is None or text.endswith(FILE_ENDINGS):
        return False
    return not ("/" in text and Path(text).parent.is_dir() and nearly(text))


def snapshot(folder: Path, revision: str | None = None) -> Path:
    """The model's own folder for a folder of the hub's cache (``models--ORGANISATION--NAME``), which has revisions.

    Args:
        folder: on this machine; one that is not a folder of the cache is returned unchanged.
        revision: a branch, tag or commit of the cache; ``main`` by default, or the only one that there is.
    """
    snapshots = folder / "snapshots"
    if not snapshots.is_dir():
        if revision is not None and folder.exists():
            raise without_revisions(folder, revision)
        return folder
    ref = folder / "refs" / (revision or "main")
    name = ref.read_text(encoding="utf-8").strip() if ref.is_file() else revision
    there = sorted(each.name for each in snapshots.iterdir())
    if name is None and len(there) == 1:
        name = there[0]
    if name not in there:
        problem = "the cache has no such revision of the model"
        raise XalignError(problem, where=folder, found=", ".join(there) or "no revision", expected=name or "main")
    return snapshots / str(name)


def without_revisions(where: object, revision: str) -> XalignError:
    """The error for a revision of a model that is not the hub's."""
    found = f"revision {revision}"
    remedy = "leave it out, or give the model's name on the hub, or its folder in the hub's cache"
    return XalignError("only a model of the hub has revisions", where=where, found=found, remedy=remedy)


def in_subfolder(where: object, following: str) -> XalignError:
    """The error for a model whose own folder is :data:`SUBFOLDER`; ``following`` is what to do."""
    problem = "the model is in a subfolder, where old releases of sentence-transformers put it"
    return XalignError(problem, where=where, found=f"its configuration and weights in {SUBFOLDER}", remedy=following)


def find_on_hub(name: str, revision: str | None = None) -> Path:
    """The folder of a model of the hub: from the local cache, otherwise from the network."""
    cached = _cache() / f"models--{name.replace('/', '--')}"
    if cached.is_dir():
        try:
            folder = snapshot(cached, revision)
        except XalignError:  # another revision: the hub may have this one
            return _download(name, revision)
        needed = (("config.json",), TOKENIZERS, WEIGHTS)
        if all(any((folder / file).is_file() for file in files) for files in needed):
            return folder
    return _download(name, revision)


def _cache() -> Path:
    """The folder in which Hugging Face's libraries keep what they download."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    return Path(named or Path(home) / "hub").expanduser()


def _download(name: str, revision: str | None) -> Path:
    try:
        import huggingface_hub
    except ImportError:
        problem = "the model is not a local file or folder, and a download needs huggingface_hub"
        raise XalignError(problem, where=name, remedy="pip install huggingface_hub, or give a folder") from None
    try:
        # One request without retries: the most frequent fault is a wrong name.
        about = huggingface_hub.model_info(name, revision=revision, timeout=SECONDS)
        there = [file.rfilename for file in about.siblings or ()]
        if SUBFOLDER + "/config.json" in there and not {*there} & {*WEIGHTS}:
            raise in_subfolder(name, f"download it, and give its folder {SUBFOLDER}")
        weights = SAFE if any(fnmatch(file, pattern) for file in there for pattern in SAFE) else PICKLED
        wanted = [*FILES, *weights]
        return Path(huggingface_hub.snapshot_download(name, revision=revision, allow_patterns=wanted))
    except XalignError:
        raise
    except Exception as error:  # the network's, or the hub's: no such model, no permission
        problem = "the model is neither on this machine nor in the hub's cache, and could not be downloaded"
        found = "; ".join(filter(None, (nearly(name), str(error).split("\n")[0])))
        remedy = "check the name and the network, or give a folder that was downloaded elsewhere"
        raise XalignError(problem, where=name, found=found, remedy=remedy) from None
