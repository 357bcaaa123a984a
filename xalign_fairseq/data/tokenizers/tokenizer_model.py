"""A tokenizer's model, stored with the dictionary in data-bins and checkpoints, and its tokenizer."""

import json
from pathlib import Path
from typing import TypeAlias

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath, atomic_write
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.data.tokenizers.dictionary import Dictionary
from xalign_fairseq.data.tokenizers.pipeline import PipelineTokenizer, TokenizerPipeline
from xalign_fairseq.data.tokenizers.tokenizer import SentencePieceTokenizer, Tokenizer
from xalign_fairseq.data.tokenizers.wordpiece import WordPieceSettings, WordPieceTokenizer

SENTENCEPIECE = "sentencepiece.model"
# The file's name in XLM-R's archive, for folders that a user has filled.
SENTENCEPIECE_NAMES = (SENTENCEPIECE, "sentencepiece.bpe.model")

# The content of a sentencepiece model's file, the settings of WordPiece, or a tokenizer.json.
TokenizerModel: TypeAlias = bytes | WordPieceSettings | TokenizerPipeline
# Those with plain values: in checkpoints under these names, in folders in a JSON file of this stem.
PLAIN: dict[str, type[WordPieceSettings] | type[TokenizerPipeline]] = {
    "wordpiece": WordPieceSettings,
    "pipeline": TokenizerPipeline,
}
_STATES = {f"{name}.json": kind for name, kind in PLAIN.items()}  # by file name
MODEL_FILES = (*SENTENCEPIECE_NAMES, *_STATES)


def make_tokenizer(model: TokenizerModel | Path, dictionary: Dictionary) -> Tokenizer:
    """The tokenizer of a model, or of a model's file, and a dictionary."""
    if isinstance(model, Path) and model.name in _STATES:
        model = read_model(model)
    if isinstance(model, WordPieceSettings):
        return WordPieceTokenizer(dictionary, model)
    if isinstance(model, TokenizerPipeline):
        return PipelineTokenizer(dictionary, model)
    return SentencePieceTokenizer(model, dictionary)


def find_model(folder: StrPath) -> Path | None:
    """The tokenizer model's file in a folder; None if it is missing."""
    found = [path for name in MODEL_FILES if (path := Path(folder) / name).is_file()]
    if len(found) > 1 and found[-1].name in _STATES:
        found_names = " and ".join(path.name for path in found)
        raise XalignError("the folder has two tokenizers", where=folder, found=found_names)
    return found[0] if found else None


def read_model(path: Path) -> TokenizerModel:
    """The content of a model's file, as stored in checkpoints."""
    kind = _STATES.get(path.name)
    return path.read_bytes() if kind is None else kind.from_state(read_json(path), path)


def model_name(model: TokenizerModel) -> str:
    """The name of a model's file in a data-bin."""
    return next((name for name, kind in _STATES.items() if isinstance(model, kind)), SENTENCEPIECE)


def write_model(folder: Path, model: TokenizerModel) -> None:
    content = model if isinstance(model, bytes) else f"{json.dumps(model.to_state())}\n".encode()
    with atomic_write(folder / model_name(model), "wb") as stream:
        stream.write(content)
