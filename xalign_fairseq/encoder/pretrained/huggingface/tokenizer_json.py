"""``tokenizer.json``: its parts, its added tokens, and its Unigram tokenizer as a sentencepiece model."""

import base64
import binascii
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import sentencepiece

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json, require_form
from xalign_fairseq.data.tokenizers.dictionary import BOS, EOS, MASK, SPECIALS, UNK
from xalign_fairseq.data.tokenizers.model_proto import CONTROL, UNKNOWN, Piece, make_unigram, rule_charsmap
from xalign_fairseq.data.tokenizers.tokenizer import load_sentencepiece

logger = logging.getLogger(__name__)

TOKENIZER = "tokenizer.json"
ADDED = "added_tokens.json"  # in older releases

# sentencepiece's own treatment of spaces: merge several, strip the ends.
JOINED_BLANKS = [{"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": content} for content in (" ", "▁")]
# sentencepiece's named normalisations, for files that spell them out.
RULES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf")
# Texts in many scripts, with characters that normalisations treat differently: capitals, ligatures, wide and composed
# characters, other spaces. Without spaces at the ends and repeated spaces: sentencepiece, which trained these models,
# removes them, but transformers' own files treat them in different ways.
_SAMPLE = """\
The red house isn't so BIG.|Der große Hund schläft über Nacht in der STRASSE.|L’été dernier, à Besançon…
El niño pequeño comió una manzana, ¿verdad?|Căsuța roșie și mașina țăranului|Gdańsk, Łódź i Kraków
Příliš žluťoučký kůň úpěl ďábelské ódy.|Ağaçların İSTANBUL'daki gölgesi ılık.|Một ngôi nhà đỏ rất lớn.
Кошка спит на крыше дома.|Київ — столиця України|Το κόκκινο ΣΠΊΤΙ είναι μεγάλος.|ბევრი წითელი სახლი
Կարմիր տունը մեծ է։|הבית האדום גדול מאוד|البيت الأحمر كبير جدًا|خانهٔ قرمز می‌باشد|سرخ گھر بہت بڑا ہے
कुत्ता लाल घर में सो रहा है।|লাল বাড়িটি খুব বড়।|ਲਾਲ ਘਰ ਵੱਡਾ ਹੈ|લાલ ઘર મોટું છે|சிவப்பு வீடு பெரியது
ఎర్ర ఇల్లు పెద్దది|ಕೆಂಪು ಮನೆ ದೊಡ್ಡದು|ചുവന്ന വീട് വലുതാണ്|රතු නිවස විශාලයි|บ้านสีแดงหลังใหญ่|ເຮືອນສີແດງໃຫຍ່
အိမ်နီသည် ကြီးသည်။|ផ្ទះក្រហមធំណាស់|ཁང་པ་དམར་པོ་ཆེན་པོ།|ቀዩ ቤት ትልቅ ነው።|红色的房子很大，猫在睡觉。
紅色的房子|赤い家は大きいです。ｶﾀｶﾅ|빨간 집이 크다.|ﬁrst ﬂoor, ½ of ２３ ＷＩＤＥ letters ™ № Ⅷ x² ㎏
e\u0301le\u0300ve A\u030angstro\u0308m|no-break\u00a0and wide\u3000blanks|soft\u00adhyphen zero\u200bwidth
«quotes» “and” ‘more’ – — ‐|😀 👍🏽 ☃ → ∑ €|https://example.org/a_b?c=1,000.50%"""
SAMPLE = tuple(text for line in _SAMPLE.split("\n") for text in line.split("|"))


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


def read_unigram(path: Path) -> bytes:
    """The sentencepiece model of a ``tokenizer.json``, the only tokenizer file that transformers 5 writes.

    If the file has the form that transformers writes for XLM-R, it is accepted. Otherwise its ids are compared with the
    model's on :data:`SAMPLE`: if all agree, it is read with a warning.
    """
    model, normalizer, splitter = parts(path, "model", "normalizer", "pre_tokenizer")
    steps = normalizer.get("normalizers", [normalizer]) if normalizer else []
    require_form(steps, list[dict[str, Any]], f"{path}, normalizer")
    found = f"{model.get('type')} after {[step.get('type') for step in steps]} and {splitter.get('type')}"
    if model.get("type", "Unigram") != "Unigram":
        raise XalignError("the tokenizer is not XLM-R's", where=path, found=found, expected="Unigram after Precompiled")
    vocabulary = require_form(model.get("vocab"), list[tuple[str, float]], f"{path}, model.vocab")
    _require_specials([symbol for symbol, _ in vocabulary], path)
    specials = [Piece(UNK, 0.0, UNKNOWN), Piece(BOS, 0.0, CONTROL), Piece(EOS, 0.0, CONTROL)]
    pieces = [*specials, *(Piece(symbol, score) for symbol, score in vocabulary[4:] if symbol != MASK)]
    charsmaps = [_charsmap(step, path) for step in steps if step.get("type") == "Precompiled"]
    # The usual case: a charsmap or none, followed by sentencepiece's own treatment of spaces.
    first = 1 if steps and steps[0].get("type") == "Precompiled" else 0
    usual = all(step.get("type") == "Strip" or step in JOINED_BLANKS for step in steps[first:])
    if usual and _begins_words(splitter, path) and not model.get("byte_fallback"):
        return make_unigram(pieces, charsmaps[0] if charsmaps else b"")
    return _agreeing(pieces, charsmaps or [*map(rule_charsmap, RULES), b""], found, path)


def _require_specials(symbols: Sequence[str], path: Path) -> None:
    """Refuse a vocabulary without XLM-R's special symbols, or one whose <mask> is not where the file itself says."""
    added = added_tokens(path.parent)
    if symbols[:4] != list(SPECIALS) or (MASK not in symbols and MASK not in added):
        found = " ".join([*symbols[:4], "...", *symbols[-1:]])
        raise XalignError("the tokenizer's special symbols are not XLM-R's", where=path, found=found)
    place = symbols.index(MASK) if MASK in symbols else added[MASK]
    stated = added.get(MASK, place)
    if stated != place or place < len(symbols) - (MASK in symbols):
        found = f"{len(symbols)} symbols with {MASK} at {place}, and {stated} as the last id"
        raise XalignError("the tokenizer's file is damaged", where=path, found=found)


def _charsmap(step: Mapping[str, Any], path: Path) -> bytes:
    try:
        found = base64.b64decode(step.get("precompiled_charsmap") or "", validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise XalignError("the tokenizer's file is damaged", where=f"{path}, normalizer", found=error) from None
    # The size of a trie, its 32-bit numbers, then texts. Check it, because the library would end the process on errors.
    size = int.from_bytes(found[:4], "little")
    if found and (size % 4 or not 0 < size <= len(found) - 4):
        raise XalignError("the tokenizer's precompiled_charsmap is damaged", where=path)
    return found


def _begins_words(splitter: Mapping[str, Any], path: Path) -> bool:
    """Whether text is split at spaces, and every word begins with ▁."""
    steps = require_form(splitter.get("pretokenizers", [splitter]), list[dict[str, Any]], f"{path}, pre_tokenizer")
    last = steps[-1] if steps else {}
    return (
        [step.get("type") for step in steps] in (["WhitespaceSplit", "Metaspace"], ["Metaspace"])
        and last.get("replacement") == "▁"
        and last.get("prepend_scheme", "always" if last.get("add_prefix_space", True) else "never") == "always"
        and last.get("split", True)
    )


def _agreeing(pieces: Sequence[Piece], charsmaps: Sequence[bytes], kinds: str, path: Path) -> bytes:
    """The first model that gives the file's ids on the sample."""
    import tokenizers

    try:
        theirs = tokenizers.Tokenizer.from_file(str(path))
    except BaseException as error:  # the library raises Exception itself; Rust's panics are BaseExceptions
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise XalignError("the tokenizer's file can't be read", where=path, found=error) from None
    theirs.no_truncation()  # sentence-transformers' files truncate and pad
    theirs.no_padding()
    expected = [theirs.encode(text, add_special_tokens=False).ids for text in SAMPLE]
    for charsmap in charsmaps:
        model = make_unigram(pieces, charsmap)
        if _agrees(load_sentencepiece(model), expected):
            logger.warning(
                "%s normalises and splits text differently from XLM-R's (%s); its ids are those of sentencepiece on "
                "%d texts in many scripts",
                path,
                kinds,
                len(SAMPLE),
            )
            return model
    problem = "the tokenizer's file cuts text in a way that no sentencepiece model of XLM-R's kind does"
    remedy = "put the sentencepiece.bpe.model that the model was trained with into the folder"
    raise XalignError(problem, where=path, found=kinds, remedy=remedy)


def _agrees(processor: sentencepiece.SentencePieceProcessor, expected: Sequence[Sequence[int]]) -> bool:
    """Whether the ids of the sample are as expected. Our ids are sentencepiece's plus one, except <unk>."""
    unknown = SPECIALS.index(UNK)
    return all(
        [unknown if i == processor.unk_id() else i + 1 for i in processor.encode(text)] == list(ids)
        for text, ids in zip(SAMPLE, expected, strict=True)
    )
