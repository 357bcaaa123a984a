"""The tokenizer of a checkpoint as the files that Hugging Face's ``AutoTokenizer`` reads."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.tokenizers.dictionary import BOS, EOS, MASK, PAD, SPECIALS, UNK, Dictionary
from xalign_fairseq.data.tokenizers.model_proto import (
    CONTROL,
    NORMAL,
    UNKNOWN,
    Piece,
    model_type,
    read_normalisation,
    read_pieces,
)
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.data.tokenizers.wordpiece import (
    BERT_SPECIALS,
    WordPieceTokenizer,
    bert_ids,
    to_vocabulary,
    wordpiece,
)
from xalign_fairseq.encoder.pretrained.huggingface.families import BERT, XLM_R, Family
from xalign_fairseq.encoder.pretrained.huggingface.tokenizer_json import TOKENIZER
from xalign_fairseq.encoder.pretrained.huggingface.vocabularies import SPM, TOKENIZER_CONFIG, VOCAB, dictionary_of_xlm_r

# Names of the special symbols in Hugging Face's configurations -> fairseq's.
ROLES = {"bos": BOS, "pad": PAD, "eos": EOS, "unk": UNK, "cls": BOS, "sep": EOS, "mask": MASK}


@dataclass(frozen=True)
class TokenizerFiles:
    """The model family that belongs to a tokenizer, and the tokenizer's files."""

    family: Family
    order: Sequence[int]
    special_ids: dict[str, int]  # ids of special symbols in config.json
    contents: dict[str, bytes]


def tokenizer_files(tokenizer: Tokenizer, max_positions: int, where: object) -> TokenizerFiles:
    if isinstance(tokenizer, WordPieceTokenizer):
        return _bert_files(tokenizer, max_positions)
    return _xlm_r_files(tokenizer.model, tokenizer.dictionary, max_positions, where)


def _bert_files(tokenizer: WordPieceTokenizer, max_positions: int) -> TokenizerFiles:
    settings = tokenizer.settings
    symbols = to_vocabulary(tokenizer.dictionary, settings)
    ids = {symbol: i for i, symbol in enumerate(symbols)}
    cls, sep = BERT_SPECIALS[BOS], BERT_SPECIALS[EOS]
    made = wordpiece(ids, BERT_SPECIALS[UNK], settings)
    made.decoder = decoders.WordPiece()
    around = f"{cls}:0 $A:0 {sep}:0", f"{cls}:0 $A:0 {sep}:0 $B:1 {sep}:1"
    config = {
        "do_lower_case": settings.lowercase,
        "strip_accents": settings.strip_accents,
        "tokenize_chinese_chars": settings.chinese_chars,
        **{f"{role}_token": BERT_SPECIALS[ours] for role, ours in ROLES.items() if role not in ("bos", "eos")},
        "model_max_length": max_positions,
        "tokenizer_class": "BertTokenizer",
    }
    return TokenizerFiles(
        BERT,
        bert_ids(tokenizer.dictionary, settings),
        {"pad_token_id": ids[BERT_SPECIALS[PAD]]},
        {
            VOCAB: "".join(f"{symbol}\n" for symbol in symbols).encode("utf-8"),
            TOKENIZER: _whole(made, around, BERT_SPECIALS.values(), ids),
            TOKENIZER_CONFIG: _json(config),
        },
    )


def _xlm_r_files(model: bytes, dictionary: Dictionary, max_positions: int, where: object) -> TokenizerFiles:
    pieces = read_pieces(model)
    _require_expressible(model, pieces, dictionary, where)
    vocabulary = [(symbol, 0.0) for symbol in SPECIALS] + [(piece.text, piece.score) for piece in pieces[3:]]
    vocabulary.append((MASK, 0.0))
    ids = {symbol: i for i, (symbol, _) in enumerate(vocabulary)}
    made = tokenizers.Tokenizer(models.Unigram(vocabulary, ids[UNK], False))
    charsmap = read_normalisation(model).charsmap
    if charsmap:
        made.normalizer = normalizers.Precompiled(charsmap)
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    made.decoder = decoders.Metaspace()
    around = f"{BOS}:0 $A:0 {EOS}:0", f"{BOS}:0 $A:0 {EOS}:0 {EOS}:0 $B:0 {EOS}:0"
    config = {
        **{f"{role}_token": ours for role, ours in ROLES.items() if role != "mask"},
        "mask_token": {"__type": "AddedToken", "content": MASK, "lstrip": True, "normalized": False, "special": True},
        "model_max_length": max_positions,
        "tokenizer_class": "XLMRobertaTokenizer",
    }
    return TokenizerFiles(
        XLM_R,
        range(len(vocabulary)),
        dict(XLM_R.fixed),
        {SPM: model, TOKENIZER: _whole(made, around, [*SPECIALS, MASK], ids), TOKENIZER_CONFIG: _json(config)},
    )


def _require_expressible(model: bytes, pieces: Sequence[Piece], dictionary: Dictionary, where: object) -> None:
    """Raise :class:`XalignError` unless Hugging Face's XLM-R tokenizer gives the same ids as ours."""
    kind = model_type(model)
    own = [*dictionary_of_xlm_r([piece.text for piece in pieces], where).symbols, MASK]
    symbols = dictionary.symbols if MASK in dictionary else [*dictionary.symbols, MASK]
    odd = [piece.text for piece in pieces if piece.type not in (NORMAL, UNKNOWN, CONTROL)]
    reasons = {
        f"a {kind} model": kind != "unigram",
        f"user-defined, unused or byte pieces, such as {odd[:1]}": bool(odd),
        "a normalisation that does not put ▁ before every word": not read_normalisation(model).begins_words,
        "a dictionary of other symbols than the model's, or in another order": own != symbols,
    }
    found = [reason for reason, given in reasons.items() if given]
    if found:
        problem = "Hugging Face's tokenizer of XLM-R would give other ids than the checkpoint's"
        raise XalignError(problem, where=where, found="; ".join(found))


def _whole(
    made: tokenizers.Tokenizer, around: tuple[str, str], specials: Iterable[str], ids: Mapping[str, int]
) -> bytes:
    """``tokenizer.json``, with the symbols around a text or a pair, and special symbols to find inside a text.

    <mask> includes the space before it, because the masked piece would begin with that space.
    """
    single, pair = around
    own = sorted(specials, key=ids.__getitem__)
    used = [(symbol, ids[symbol]) for symbol in own if f"{symbol}:" in pair]
    made.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=used)
    made.add_special_tokens(
        [tokenizers.AddedToken(symbol, lstrip=symbol == MASK, normalized=False, special=True) for symbol in own]
    )
    return (made.to_str(pretty=True) + "\n").encode("utf-8")


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
