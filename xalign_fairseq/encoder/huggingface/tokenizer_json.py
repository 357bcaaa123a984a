"""``tokenizer.json``: its parts, and the tokens that a folder's tokenizer has beside its vocabulary."""

from pathlib import Path
from typing import Any

from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import read_json

TOKENIZER = "tokenizer.json"
ADDED = "added_tokens.json"  # of older releases


def parts(path: Path, *names: str) -> list[dict[str, Any]]:
    """Parts of a ``tokenizer.json``, empty where it has none.

    Raises:
        XalignError: one is no object.

    Example::

        model, normalizer = parts(folder / TOKENIZER, "model", "normalizer")
    """
    found = read_json(path)
    given = [found.get(name) or {} for name in names]
    wrong = [name for name, part in zip(names, given, strict=True) if not isinstance(part, dict)]
    if wrong:
        raise XalignError("the tokenizer's file is damaged", where=path, found=f"no object as {', '.join(wrong)}")
    return given


def added_tokens(folder: Path) -> dict[str, int]:
    """Tokens that a folder's tokenizer has beside its vocabulary, special symbols among them, and their ids.

    Raises:
        XalignError: the list is damaged.
    """
    whole, listed = folder / TOKENIZER, folder / ADDED
    try:
        if whole.is_file():
            return {token["content"]: int(token["id"]) for token in read_json(whole).get("added_tokens") or []}
        return {token: int(i) for token, i in read_json(listed).items()} if listed.is_file() else {}
    except (TypeError, KeyError, ValueError) as error:
        if isinstance(error, XalignError):
            raise
        raise XalignError(
            "the list of added tokens is damaged", where=whole if whole.is_file() else listed,
            expected="a text and an id for each",
        ) from None  # fmt: skip
