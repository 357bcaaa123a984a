"""Tokenizers of Hugging Face folders as checkpoints carry them, and the ids of their symbols on both sides."""

import base64
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xalign_fairseq.data.dictionary import BOS, EOS, MASK, SPECIALS, UNK, Dictionary
from xalign_fairseq.data.model_proto import CONTROL, UNKNOWN, Piece, make_unigram
from xalign_fairseq.data.tokenizer import load_sentencepiece
from xalign_fairseq.data.wordpiece import bert_ids, from_vocabulary
from xalign_fairseq.encoder.huggingface.families import XLM_R, Family
from xalign_fairseq.encoder.vocabulary import tokenizer_state
from xalign_fairseq.errors import XalignError
from xalign_fairseq.files import read_json

logger = logging.getLogger(__name__)

SPM = "sentencepiece.bpe.model"
VOCAB = "vocab.txt"
TOKENIZER = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
ADDED = "added_tokens.json"
PADDING = 512  # most rows of a model that no token of its tokenizer has, such as those to a round number


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer as ``task_state["tokenizer"]`` of a checkpoint, and Hugging Face's id of each of our ids.

    ``token_types``: how many Hugging Face's tokenizer gives; a second one of WordPiece is that of a second text.
    """

    state: dict[str, Any]
    order: Sequence[int]
    token_types: int


def read_vocabulary(folder: Path, family: Family, vocab_size: int) -> Vocabulary:
    """The tokenizer of a folder, without tokens that were added to it later.

    What the model has beyond its tokenizer, rows for such tokens and at most :data:`PADDING` others, is left out of
    ``order``, which is logged. A model of BERT's kind may have XLM-R's tokenizer (multilingual-e5-small).

    Args:
        folder: with the tokenizer's files.
        family: of the model.
        vocab_size: the rows of its embeddings.

    Raises:
        XalignError: its files are missing or damaged, or its symbols are not those of the family or of the model.
    """
    if family is XLM_R or _has_sentencepiece(folder):
        return _read_sentencepiece(folder, vocab_size)
    return _read_wordpiece(folder, vocab_size)


def _has_sentencepiece(folder: Path) -> bool:
    if (folder / SPM).is_file():
        return True
    model = read_json(folder / TOKENIZER).get("model") if (folder / TOKENIZER).is_file() else None
    return isinstance(model, dict) and model.get("type") == "Unigram"


def dictionary_of_xlm_r(pieces: Sequence[str], where: object) -> Dictionary:
    """XLM-R's dictionary of the pieces of a sentencepiece model: those after the model's own three specials.

    Its ids are <s>, <pad>, </s>, <unk>, the pieces, and last <mask>, which tasks append.
    """
    specials, rest = list(pieces[:3]), pieces[3:]
    twice = {*SPECIALS, MASK} & set(rest)
    if specials != [UNK, BOS, EOS] or twice:
        raise XalignError(
            "the sentencepiece model's special symbols are not XLM-R's",
            where=where,
            found=f"{' '.join(specials)} first" + (f", and {' '.join(sorted(twice))} later" if twice else ""),
            expected=f"{UNK} {BOS} {EOS} first and no others later",
        )
    return Dictionary(rest)


def _read_sentencepiece(folder: Path, vocab_size: int) -> Vocabulary:
    path = folder / SPM
    if path.is_file():
        model = path.read_bytes()
    elif (path := folder / TOKENIZER).is_file():
        model = _unigram(path)
    else:
        raise XalignError(
            "the folder has no sentencepiece model", where=folder, expected=f"{SPM} or {TOKENIZER}",
            next=f"copy the {SPM} that the model was trained with into the folder",
        )  # fmt: skip
    try:
        processor = load_sentencepiece(model)
    except XalignError as error:
        raise XalignError(error.what, where=path) from None
    dictionary = dictionary_of_xlm_r([processor.id_to_piece(i) for i in range(processor.get_piece_size())], path)
    _require_fit(dictionary, vocab_size, folder, path)
    return Vocabulary(tokenizer_state(dictionary, model), range(dictionary.embedding_size), 1)


def _parts(path: Path, *names: str) -> list[dict[str, Any]]:
    """Parts of a ``tokenizer.json``, empty where it has none."""
    found = read_json(path)
    parts = [found.get(name) or {} for name in names]
    wrong = [name for name, part in zip(names, parts, strict=True) if not isinstance(part, dict)]
    if wrong:
        raise XalignError("the tokenizer's file is damaged", where=path, found=f"no object as {', '.join(wrong)}")
    return parts


def _unigram(path: Path) -> bytes:
    """The sentencepiece model of a ``tokenizer.json``, which is all that transformers writes since its version 5."""
    model, normalizer = _parts(path, "model", "normalizer")
    steps = {step.get("type"): step for step in normalizer.get("normalizers", [normalizer])}
    vocabulary = model.get("vocab")
    # Replace joins blanks, which sentencepiece does too.
    odd = sorted(str(kind) for kind in steps.keys() - {"Precompiled", "Replace", None})
    if not isinstance(vocabulary, list) or model.get("type", "Unigram") != "Unigram" or odd:
        raise XalignError(
            "the tokenizer is not XLM-R's", where=path, found=f"{model.get('type')} after {odd or list(steps)}",
            expected="Unigram after Precompiled",
        )  # fmt: skip
    symbols = [symbol for symbol, _ in vocabulary]
    if symbols[:4] != list(SPECIALS) or symbols[-1:] != [MASK]:
        raise XalignError(
            "the tokenizer's special symbols are not XLM-R's", where=path,
            found=" ".join([*symbols[:4], "...", *symbols[-1:]]), expected=" ".join([*SPECIALS, "...", MASK]),
        )  # fmt: skip
    _require_places(symbols, path)
    specials = [Piece(UNK, 0.0, UNKNOWN), Piece(BOS, 0.0, CONTROL), Piece(EOS, 0.0, CONTROL)]
    pieces = [Piece(symbol, score) for symbol, score in vocabulary[4:-1]]
    charsmap = base64.b64decode(steps.get("Precompiled", {}).get("precompiled_charsmap") or "")
    return make_unigram([*specials, *pieces], charsmap)


def _require_places(symbols: Sequence[str], path: Path) -> None:
    """Refuse a vocabulary in which the last of the special symbols is not where the file itself says it is."""
    said = _added_tokens(path.parent).get(MASK, len(symbols) - 1)
    if said != len(symbols) - 1:
        raise XalignError(
            "the tokenizer's file is damaged", where=path, found=f"{len(symbols)} symbols, and {said} as the last id"
        )


def _read_wordpiece(folder: Path, vocab_size: int) -> Vocabulary:
    """BERT's symbols in fairseq's order: special ones first, the others in their order, and <mask> last."""
    where, symbols, given = _wordpiece_file(folder)
    twice = len(symbols) - len(set(symbols))
    if twice:
        raise XalignError("the vocabulary has symbols twice", where=where, found=f"{twice} lines that repeat another")
    dictionary, settings = from_vocabulary(symbols, where=where, **_normalisation(folder, given, symbols))
    _require_fit(dictionary, vocab_size, folder, where)
    return Vocabulary(tokenizer_state(dictionary, settings), bert_ids(dictionary, settings), 2)


def _wordpiece_file(folder: Path) -> tuple[Path, list[str], dict[str, Any]]:
    """The file with the symbols, these in the order of their ids, and what it says of normalising text."""
    whole, listed = folder / TOKENIZER, folder / VOCAB
    if not whole.is_file():
        if not listed.is_file():
            raise XalignError("the folder has no WordPiece tokenizer", where=folder, expected=f"{TOKENIZER} or {VOCAB}")
        _require_bert_class(folder)
        try:
            lines = listed.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
        except UnicodeDecodeError as error:
            raise XalignError("the file is not UTF-8", where=listed, found=error) from None
        return listed, [line.removesuffix("\r") for line in lines], {}
    model, normalizer, splitter = _parts(whole, "model", "normalizer", "pre_tokenizer")
    vocabulary = model.get("vocab")
    kinds = f"{model.get('type', 'WordPiece')} after {normalizer.get('type')} and {splitter.get('type')}"
    expected = "WordPiece after BertNormalizer and BertPreTokenizer"
    if kinds != expected or not isinstance(vocabulary, dict):
        raise XalignError("the tokenizer is not BERT's", where=whole, found=kinds, expected=expected)
    symbols = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[symbol] for symbol in symbols] != list(range(len(symbols))):
        raise XalignError("the tokenizer's ids are not 0 to the number of its symbols", where=whole)
    names = {"do_lower_case": "lowercase", "strip_accents": "strip_accents",
             "tokenize_chinese_chars": "handle_chinese_chars"}  # fmt: skip
    return whole, symbols, {name: normalizer.get(theirs) for name, theirs in names.items()}


def _require_bert_class(folder: Path) -> None:
    """Refuse a tokenizer that cuts text by other rules than BERT's (MeCab, say), which ``vocab.txt`` does not show."""
    for path in (folder / TOKENIZER_CONFIG, folder / "config.json"):
        name = read_json(path).get("tokenizer_class") if path.is_file() else None
        if name not in (None, "BertTokenizer", "BertTokenizerFast"):
            raise XalignError("the tokenizer is not BERT's", where=path, found=name, expected="BertTokenizer")


def _normalisation(folder: Path, given: dict[str, Any], symbols: Sequence[str]) -> dict[str, Any]:
    """How text is normalised: by the tokenizer's configuration, else by its file, else as its symbols show."""
    config = folder / TOKENIZER_CONFIG
    found = {**given, **(read_json(config) if config.is_file() else {})}
    lowercase, chinese = found.get("do_lower_case"), found.get("tokenize_chinese_chars")
    if lowercase is None:  # pieces of lower-cased text have no capitals
        lowercase = not any(symbol != symbol.lower() for symbol in symbols if not symbol.startswith(("[", "<")))
        logger.warning("%s: nothing says whether to lower-case text; by the symbols: %s", folder, lowercase)
    return {
        "lowercase": lowercase,
        "strip_accents": found.get("strip_accents"),
        "chinese_chars": True if chinese is None else chinese,
    }


def _require_fit(dictionary: Dictionary, vocab_size: int, folder: Path, where: Path) -> None:
    """Refuse a tokenizer of another model; log which rows the model has beyond it."""
    own = dictionary.embedding_size
    added = {token: i for token, i in _added_tokens(folder).items() if own <= i < vocab_size}
    padding = vocab_size - own - len(added)
    if not 0 <= padding <= PADDING:
        raise XalignError(
            "the tokenizer does not fit the model's vocabulary",
            where=where,
            found=f"{own} ids: {len(dictionary) - len(SPECIALS)} symbols, {' '.join(SPECIALS)} and {MASK}"
            + (f"; and {len(added)} tokens added later" if added else ""),
            expected=f"{vocab_size} ids, as config.json has, or at most {PADDING} fewer",
            next="take the tokenizer's files that the model was trained with",
        )
    if vocab_size > own:
        named = f"{len(added)} tokens added later ({' '.join(list(added)[:5])}{' ...' if len(added) > 5 else ''})"
        logger.warning(
            "%s: left out of the model's vocabulary: %s", folder,
            " and ".join([*([named] if added else []), *([f"{padding} rows of padding"] if padding else [])]),
        )  # fmt: skip


def _added_tokens(folder: Path) -> dict[str, int]:
    """Tokens that a folder's tokenizer has beside its vocabulary, special symbols among them, and their ids."""
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
