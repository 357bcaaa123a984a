"""Checks of a data-bin: its files, ids, dictionary, tokenizer and lexicons."""

from collections.abc import Sequence

import numpy as np

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Finding, XalignError
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin, LinksReader
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.data.mmap import MMapReader
from xalign_fairseq.data.shards import changed_files
from xalign_fairseq.data.tokenizers.dictionary import MASK, Dictionary
from xalign_fairseq.data.tokenizers.pipeline import TokenizerPipeline
from xalign_fairseq.data.tokenizers.tokenizer import load_sentencepiece, pieces_of
from xalign_fairseq.data.tokenizers.tokenizer_model import TokenizerModel, make_tokenizer
from xalign_fairseq.data.tokenizers.wordpiece import CONTINUES, bert_ids

CHUNK = 1 << 22  # tokens checked at once
ROWS = 1 << 16  # pairs whose links are checked at once
BEYOND = 0.01  # share of links that may belong to words without tokens at the ends of sentences
MOVED = 20  # this number of breaks means misplaced lines; more breaks mean another order
FOREIGN = 0.1  # with a larger share of symbols unknown to the tokenizer, the dictionary belongs to another tokenizer


def databin(data: DataBin) -> list[Finding]:
    """Check each file of a data-bin against its index, partner and dictionary; the dictionary against the tokenizer."""
    where, size = str(data.path), len(data.dictionary)
    found = [Finding("ok", where, f"dictionary of {size:,} symbols (with <mask>: {data.dictionary.embedding_size:,})")]
    if not data.pairs and not data.monos:
        found.append(Finding("WRONG", where, "no mmap data at all\nexpected: SPLIT.SRC-TGT.LANG.bin and .idx"))
    for split, src, tgt in data.pairs:
        sides = data.pair(split, src, tgt)
        links = data.links(split, src, tgt)
        tokens = " + ".join(f"{side.tokens:,}" for side in sides)
        what = f"{counted(len(sides[0]), 'pair')}, {tokens} tokens, {'with' if links else 'no'} links"
        topic = f"{where} {split} {src}-{tgt}"
        found.append(_ids(topic, sides, size, what))
        if links is not None:
            found.append(_links(f"{topic} links", links, sides))
    for split, lang in data.monos:
        text = data.mono(split, lang)
        what = f"{counted(len(text), 'sentence')}, {counted(text.tokens, 'token')}"
        found.append(_ids(f"{where} {split} {lang}".strip(), [text], size, what))
    found += [lexicon(where, lexicons.read(data, src, tgt)) for src, tgt in lexicons.lexicons(data)]
    return [*found, tokenizer(f"{where} tokenizer", data.tokenizer_model, data.dictionary), files(data)]


def files(data: DataBin) -> Finding:
    """Check every file against its recorded hash."""
    topic = f"{data.path} files"
    if data.manifest is None:
        return Finding("note", topic, "no manifest.json, so changes cannot be detected; xalign prepare writes one")
    changed = changed_files(data)
    if changed:
        return Finding("WRONG", topic, "\n".join([*changed, "next: copy them again, or prepare the data again"]))
    return Finding("ok", topic, f"all {len(data.manifest.get('files', {})):,} files as they were prepared")


def _ids(topic: str, readers: Sequence[MMapReader], size: int, what: str) -> Finding:
    for reader in readers:
        for start in range(0, reader.tokens, CHUNK):
            largest = int(reader.span(start, start + CHUNK).max())
            if largest >= size:
                text = f"id {largest} in {reader.prefix}.bin, but the dictionary has {size} symbols"
                return Finding("WRONG", topic, f"{text}\nnext: prepare the data again with this dictionary")
    return Finding("ok", topic, what)


def _links(topic: str, links: LinksReader, sides: Sequence[MMapReader]) -> Finding:
    """Check words and links against tokens; words without tokens at the ends of sentences may have a few links."""
    readers, at = (links.src_words, links.tgt_words, links.triples), [0, 0, 0]
    count, beyond = 0, 0
    for start in range(0, len(links), ROWS):
        sizes = [np.asarray(reader.sizes[start : start + ROWS], dtype=np.int64) for reader in readers]
        flat = [reader.span(i, i + int(size.sum())) for reader, i, size in zip(readers, at, sizes, strict=True)]
        at = [i + len(part) for i, part in zip(at, flat, strict=True)]
        *owners, linked = (np.repeat(np.arange(len(sizes[0])), size) for size in (*sizes[:2], sizes[2] // 3))
        wrong = sizes[2] % 3 != 0
        for side, size, words, owner in zip(sides, sizes[:2], flat[:2], owners, strict=True):
            wrong |= size != side.sizes[start : start + ROWS] - 1
            wrong[owner[1:][(np.diff(words) < 0) & (np.diff(owner) == 0)]] = True
        if not wrong.any():
            triples = flat[2].reshape(-1, 3)
            for words, owner, numbers in zip(flat[:2], owners, triples[:, :2].T, strict=True):
                highest = np.full(len(wrong), -1)
                np.maximum.at(highest, owner, words)
                beyond += int((numbers > highest[linked]).sum())
            wrong[linked[triples[:, 2] > 1]] = True
            count += len(triples)
        if wrong.any():
            text = f"words or links of pair {start + int(wrong.argmax())} are not those of its tokens"
            return Finding("WRONG", topic, f"{text}\nnext: prepare the data again")
    if beyond > max(BEYOND * count, 1):
        text = f"{beyond:,} of {count:,} links are of words that their sentences do not have"
        return Finding("WRONG", topic, f"{text}\nnext: prepare the data again")
    return Finding("ok", topic, f"{counted(count, 'link')} between words of their sentences")


def lexicon(where: str, entries: Lexicon) -> Finding:
    """The number of entries of a lexicon, by part."""
    parts = ", ".join(f"{(entries.part == part).sum():,} {name}" for part, name in enumerate(lexicons.PARTS))
    return Finding("ok", f"{where} lexicon {entries.src}-{entries.tgt}", f"{counted(len(entries), 'entry')}: {parts}")


def tokenizer(topic: str, model: TokenizerModel | None, dictionary: Dictionary) -> Finding:
    """Check a tokenizer's model against the dictionary with the ids of its pieces."""
    if model is None:
        return Finding("note", topic, "no sentencepiece model; xalign align needs --spm")
    if isinstance(model, bytes):
        return _pieces(topic, model, dictionary)
    symbols = f"{len(dictionary):,} symbols"
    try:
        make_tokenizer(model, dictionary)
        if isinstance(model, TokenizerPipeline):
            return Finding("ok", topic, f"a tokenizer.json: {symbols}")
        bert_ids(dictionary, model)
    except XalignError as error:
        return Finding("WRONG", topic, error)
    continuing = sum(symbol.startswith(CONTINUES) for symbol in dictionary.symbols)
    case = "uncased" if model.lowercase else "cased"
    return Finding("ok", topic, f"WordPiece, {case}: {symbols}, {continuing:,} of them after {CONTINUES}")


def _pieces(topic: str, model: bytes, dictionary: Dictionary) -> Finding:
    try:
        processor = load_sentencepiece(model)
        ordered = pieces_of(processor, topic)
    except XalignError as error:
        return Finding("WRONG", topic, error)
    special = (processor.is_control, processor.is_unknown, processor.is_unused)
    pieces = {piece for i, piece in enumerate(ordered) if not any(test(i) for test in special)}
    # No text contains fairseq-preprocess's padding symbols or the mask.
    symbols = {symbol for symbol in dictionary.symbols[4:] if not symbol.startswith("madeupword")} - {MASK}
    foreign, missing = symbols - pieces, pieces - symbols
    if len(foreign) > FOREIGN * len(symbols):
        text = f"{len(foreign):,} of the dictionary's {len(symbols):,} symbols are not in the sentencepiece model"
        example = ", ".join(sorted(foreign)[:3])
        return Finding(
            "WRONG", topic, f"{text} (such as {example})\nnext: take the model that the data were encoded with"
        )
    if broken := _moved(dictionary, ordered):
        text = f"{broken} of the dictionary's lines are not where their order puts them"
        return Finding("WRONG", topic, f"{text}\nnext: take the dict.txt that the data were encoded with")
    if missing:
        return Finding(
            "note", topic, f"{len(pieces):,} pieces; {len(missing):,} are not in the dictionary and become <unk>"
        )
    return Finding("ok", topic, f"{len(pieces):,} pieces, all in the dictionary")


def _moved(dictionary: Dictionary, pieces: Sequence[str]) -> int:
    """Breaks in a dictionary's order: falling counts, or with equal counts the order of the model's pieces."""
    counts = dictionary.counts[4:]
    places = {piece: i for i, piece in enumerate(pieces)}
    known = [places[symbol] for symbol in dictionary.symbols[4:] if symbol in places]
    keys = np.array(known if len(set(counts)) == 1 else [-count for count in counts])
    broken = int((np.diff(keys) < 0).sum())
    return broken if broken <= min(MOVED, len(keys) // 4) else 0
