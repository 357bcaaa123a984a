"""``tokenizer.json``: its parts, and the tokens that a folder's tokenizer has in addition to its vocabulary."""

from pathlib import Path
from typing import Any, TypedDict

from xalign_fairseq.core.json_files import read_json

TOKENIZER = "tokenizer.json"
ADDED = "added_tokens.json"  # in older releases


class AddedToken(TypedDict):
    content: str
    id: int


class TokenizerFile(TypedDict, total=False):
    """The fields of a ``tokenizer.json`` that are read; each type of tokenizer has its own checks."""

    model: dict[str, Any] | None
    normalizer: dict[str, Any] | None
    pre_tokenizer: dict[str, Any] | None
    added_tokens: list[AddedToken] | None


def parts(path: Path, *names: str) -> list[dict[str, Any]]:
    """Parts of a ``tokenizer.json``, empty where it has none."""
    found: Any = read_json(path, TokenizerFile)
    return [found.get(name) or {} for name in names]


def added_tokens(folder: Path) -> dict[str, int]:
    """Tokens that a folder's tokenizer has in addition to its vocabulary, special symbols among them, and their ids."""
    whole, listed = folder / TOKENIZER, folder / ADDED
    if whole.is_file():
        return {token["content"]: token["id"] for token in read_json(whole, TokenizerFile).get("added_tokens") or []}
    return read_json(listed, dict[str, int]) if listed.is_file() else {}
