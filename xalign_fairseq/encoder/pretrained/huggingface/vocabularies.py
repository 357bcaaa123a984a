"""Tokenizers of Hugging Face folders in the form of checkpoints, and the ids of their symbols in both forms."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json, require_form
from xalign_fairseq.data.tokenizers.dictionary import BOS, EOS, MASK, SPECIALS, UNK, Dictionary
from xalign_fairseq.data.tokenizers.tokenizer import load_sentencepiece, pieces_of
from xalign_fairseq.data.tokenizers.wordpiece import LONGEST_WORD, bert_ids, from_vocabulary
from xalign_fairseq.encoder.pretrained.huggingface.families import XLM_R, Family
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_json import TOKENIZER, added_tokens, parts, read_unigram
from xalign_fairseq.encoder.vocabulary import tokenizer_state

logger = logging.getLogger(__name__)

SPM = "sentencepiece.bpe.model"
VOCAB = "vocab.txt"
TOKENIZER_CONFIG = "tokenizer_config.json"
PADDING = 512  # maximum number of embedding rows beyond the tokenizer's tokens, for example from rounding up


class TokenizerConfig(TypedDict, total=False):
    """The fields of ``tokenizer_config.json`` or ``config.json`` that are read."""

    tokenizer_class: str | None
    do_lower_case: bool | None
    strip_accents: bool | None
    tokenize_chinese_chars: bool | None


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer as ``task_state["tokenizer"]`` of a checkpoint, and Hugging Face's id of each of our ids."""

    state: dict[str, Any]
    order: Sequence[int]
    token_types: int  # in Hugging Face's tokenizer; WordPiece's second type marks a second text
    scores: Sequence[float] | None = None  # log-probabilities of a unigram model's pieces, in order


def read_vocabulary(folder: Path, family: Family, vocab_size: int) -> Vocabulary:
    """The tokenizer of a folder, without tokens that were added to it later.

    Rows of the model beyond its tokenizer (for added tokens, and at most :data:`PADDING` others) are left out of
    ``order`` and logged. A model of BERT's kind may have XLM-R's tokenizer (multilingual-e5-small).
    """
    sentencepiece = family is XLM_R or (folder / SPM).is_file()
    if not sentencepiece and (folder / TOKENIZER).is_file():
        sentencepiece = parts(folder / TOKENIZER, "model")[0].get("type") == "Unigram"
    return (_read_sentencepiece if sentencepiece else _read_wordpiece)(folder, vocab_size)


def dictionary_of_xlm_r(pieces: Sequence[str], where: object) -> Dictionary:
    """XLM-R's dictionary from a sentencepiece model's pieces, without the three special pieces at their start."""
    specials, rest = list(pieces[:3]), pieces[3:]
    twice = {*SPECIALS, MASK} & set(rest)
    if specials != [UNK, BOS, EOS] or twice:
        found = " ".join([*specials, *sorted(twice)])
        raise XalignError("the sentencepiece model's special symbols are not XLM-R's", where=where, found=found)
    return Dictionary(rest)


def _read_sentencepiece(folder: Path, vocab_size: int) -> Vocabulary:
    path = folder / SPM
    if path.is_file():
        model = path.read_bytes()
    elif (path := folder / TOKENIZER).is_file():
        model = read_unigram(path)
    else:
        expected = f"{SPM} or {TOKENIZER}"
        raise XalignError("the folder has no sentencepiece model", where=folder, expected=expected)
    try:
        processor = load_sentencepiece(model)
    except XalignError as error:
        raise XalignError(error.problem, where=path) from None
    dictionary = dictionary_of_xlm_r(pieces_of(processor, path), path)
    symbols = len(dictionary)
    place = added_tokens(folder).get(MASK, symbols)
    order = range(symbols + 1) if place == symbols else [*range(symbols), place]
    _require_fit(dictionary, order, vocab_size, folder, path)
    scores = [processor.get_score(i) for i in range(3, processor.get_piece_size())]
    is_unigram = any(score != round(score) for score in scores)  # BPE's scores are the order of merges
    return Vocabulary(tokenizer_state(dictionary, model), order, 1, scores if is_unigram else None)


def _read_wordpiece(folder: Path, vocab_size: int) -> Vocabulary:
    """BERT's symbols in fairseq's order: special ones first, the others in their order, and <mask> last."""
    where, symbols, given = _wordpiece_file(folder)
    twice = len(symbols) - len(set(symbols))
    if twice:
        raise XalignError("the vocabulary has symbols twice", where=where, found=f"{twice} lines that repeat another")
    dictionary, settings = from_vocabulary(symbols, where=where, **_normalisation(folder, given, symbols))
    order = bert_ids(dictionary, settings)
    _require_fit(dictionary, order, vocab_size, folder, where)
    return Vocabulary(tokenizer_state(dictionary, settings), order, 2)


def _wordpiece_file(folder: Path) -> tuple[Path, list[str], dict[str, Any]]:
    """The file with the symbols, the symbols in the order of their ids, and the settings for normalising text."""
    whole, listed = folder / TOKENIZER, folder / VOCAB
    if not whole.is_file():
        if not listed.is_file():
            raise XalignError("the folder has no WordPiece tokenizer", where=folder, expected=f"{TOKENIZER} or {VOCAB}")
        # vocab.txt shows only BERT's rules, not, for example, MeCab's.
        for path in (folder / TOKENIZER_CONFIG, folder / "config.json"):
            name = read_json(path, TokenizerConfig).get("tokenizer_class") if path.is_file() else None
            if name is not None and name.removesuffix("Fast") != "BertTokenizer":
                raise XalignError("the tokenizer is not BERT's", where=path, found=name, expected="BertTokenizer")
        try:
            lines = listed.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
        except UnicodeDecodeError as error:
            raise XalignError("the file is not UTF-8", where=listed, found=error) from None
        return listed, [line.removesuffix("\r") for line in lines], {}
    model, normalizer, splitter = parts(whole, "model", "normalizer", "pre_tokenizer")
    kinds = f"{model.get('type', 'WordPiece')} after {normalizer.get('type')} and {splitter.get('type')}"
    expected = "WordPiece after BertNormalizer and BertPreTokenizer"
    if kinds != expected:
        raise XalignError("the tokenizer is not BERT's", where=whole, found=kinds, expected=expected)
    for part, name, usual in ((model, "max_input_chars_per_word", LONGEST_WORD), (normalizer, "clean_text", True)):
        if (found := part.get(name, usual)) != usual:
            raise XalignError("the tokenizer is not BERT's", where=whole, found=f"{name} {found}", expected=str(usual))
    vocabulary = require_form(model.get("vocab"), dict[str, int], f"{whole}, model.vocab")
    symbols = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[symbol] for symbol in symbols] != list(range(len(symbols))):
        raise XalignError("the tokenizer's ids are not consecutive from 0", where=whole)
    names = {
        "do_lower_case": "lowercase",
        "strip_accents": "strip_accents",
        "tokenize_chinese_chars": "handle_chinese_chars",
    }
    return whole, symbols, {name: normalizer.get(theirs) for name, theirs in names.items()}


def _normalisation(folder: Path, given: dict[str, Any], symbols: Sequence[str]) -> dict[str, Any]:
    """How text is normalised: by the tokenizer's configuration, otherwise its file, otherwise its symbols."""
    config = folder / TOKENIZER_CONFIG
    require_form(given, TokenizerConfig, folder / TOKENIZER)
    found = {**given, **(read_json(config, TokenizerConfig) if config.is_file() else {})}
    lowercase, chinese = found.get("do_lower_case"), found.get("tokenize_chinese_chars")
    if lowercase is None:  # pieces of lower-cased text have no capitals
        lowercase = not any(symbol != symbol.lower() for symbol in symbols if not symbol.startswith(("[", "<")))
        logger.warning("%s does not say whether to lower-case text; by the symbols: %s", folder, lowercase)
    return {
        "lowercase": lowercase,
        "strip_accents": found.get("strip_accents"),
        "chinese_chars": True if chinese is None else chinese,
    }


def _require_fit(dictionary: Dictionary, order: Sequence[int], vocab_size: int, folder: Path, where: Path) -> None:
    own, taken = dictionary.embedding_size, set(order)
    added = [token for token, i in added_tokens(folder).items() if i not in taken and i < vocab_size]
    found = f"{own} ids: {len(dictionary) - len(SPECIALS)} symbols, {' '.join(SPECIALS)} and {MASK}"
    require_rows(own if max(taken) < vocab_size else max(taken) + 1, vocab_size, where, found, added)


def require_rows(
    ids: int, vocab_size: int, where: Path, found: str, added: Sequence[str] = (), padding: int = PADDING
) -> None:
    """Refuse a tokenizer of another model; log the model's rows beyond the tokenizer.

    Args:
        found: a description of the tokenizer's ids.
        added: tokens added later, which are left out.
        padding: maximum number of rows without a token.
    """
    rows = vocab_size - ids - len(added)
    if not 0 <= rows <= padding:
        raise XalignError(
            "the tokenizer does not fit the model's vocabulary",
            where=where,
            found=found + (f"; and {counted(len(added), 'token')} added later" if added else ""),
            expected=f"{vocab_size} ids, as config.json has, or at most {padding} fewer",
        )
    named = f"{counted(len(added), 'token')} added later ({' '.join(added[:5])}{' ...' if len(added) > 5 else ''})"
    left = [*([named] if added else []), *([f"{rows} rows of padding"] if rows else [])]
    if left:
        logger.warning("%s: left out of the model's vocabulary: %s", where.parent, " and ".join(left))
