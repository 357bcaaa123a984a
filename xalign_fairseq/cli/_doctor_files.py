"""What ``xalign doctor`` looks at in data-bin folders and checkpoints."""

import os
from collections.abc import Sequence

from xalign_fairseq.cli._doctor_findings import Finding
from xalign_fairseq.core.errors import XalignError, command_line_text
from xalign_fairseq.data import lexicon as lexicons
from xalign_fairseq.data.databin import DataBin
from xalign_fairseq.data.lexicon import Lexicon
from xalign_fairseq.data.mmap import MMapReader
from xalign_fairseq.data.tokenizers.dictionary import MASK, Dictionary
from xalign_fairseq.data.tokenizers.pipeline import PipelineTokenizer, TokenizerPipeline
from xalign_fairseq.data.tokenizers.tokenizer_model import TokenizerModel
from xalign_fairseq.data.tokenizers.wordpiece import CONTINUES, WordPieceSettings, WordPieceTokenizer, bert_ids
from xalign_fairseq.data.verification import changed_files

CHUNK = 1 << 22  # tokens looked at in one go
FOREIGN = 0.1  # a dictionary with a larger share of symbols unknown to the tokenizer is of another tokenizer


def look_at(paths: Sequence[str]) -> list[Finding]:
    """Check every path: folders as data-bins, files as checkpoints (against the data-bins among ``paths``)."""
    found: list[Finding] = []
    dictionaries: dict[str, Dictionary] = {}
    for path in filter(os.path.isdir, paths):
        try:
            data = DataBin(path)
            dictionaries[path] = data.dictionary
            found += databin(data)
        except XalignError as error:
            found.append(Finding("WRONG", path, command_line_text(error)))
    for path in paths:
        if not os.path.isdir(path):
            try:
                found += checkpoint(path, dictionaries)
            except XalignError as error:
                found.append(Finding("WRONG", path, command_line_text(error)))
    return found


def databin(data: DataBin) -> list[Finding]:
    """Every file of a data-bin against its index, its partner and the dictionary; the dictionary against the tokenizer.

    Raises:
        XalignError: a file is missing, truncated or of another length than its partner.
    """
    where, size = str(data.path), len(data.dictionary)
    found = [Finding("ok", where, f"dictionary of {size:,} symbols (with <mask>: {data.dictionary.embedding_size:,})")]
    if not data.pairs and not data.monos:
        found.append(Finding("WRONG", where, "no mmap data at all\nexpected: SPLIT.SRC-TGT.LANG.bin and .idx"))
    for split, src, tgt in data.pairs:
        sides = data.pair(split, src, tgt)
        links = data.links(split, src, tgt)
        tokens = " + ".join(f"{side.tokens:,}" for side in sides)
        what = f"{len(sides[0]):,} pairs, {tokens} tokens, {'with' if links else 'no'} links"
        found.append(_ids(f"{where} {split} {src}-{tgt}", sides, size, what))
    for split, lang in data.monos:
        text = data.mono(split, lang)
        found.append(
            _ids(f"{where} {split} {lang}".strip(), [text], size, f"{len(text):,} sentences, {text.tokens:,} tokens")
        )
    found += [lexicon(where, lexicons.read(data, src, tgt)) for src, tgt in lexicons.lexicons(data)]
    return [*found, tokenizer(f"{where} tokenizer", data.tokenizer_model, data.dictionary), files(data)]


def files(data: DataBin) -> Finding:
    """Every file against the hash that was written down when it was prepared."""
    topic = f"{data.path} files"
    if data.manifest is None:
        return Finding("note", topic, "no manifest.json, so that changes can't be told; xalign prepare writes one")
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


def lexicon(where: str, entries: Lexicon) -> Finding:
    """How many entries a lexicon has, and in which parts."""
    parts = ", ".join(f"{(entries.part == part).sum():,} {name}" for part, name in enumerate(lexicons.PARTS))
    return Finding("ok", f"{where} lexicon {entries.src}-{entries.tgt}", f"{len(entries):,} entries: {parts}")


def tokenizer(topic: str, model: TokenizerModel | None, dictionary: Dictionary) -> Finding:
    """A tokenizer's model against the dictionary that its pieces get their ids from."""
    if model is None:
        return Finding("note", topic, "no sentencepiece model; xalign align needs --spm")
    if isinstance(model, TokenizerPipeline):
        return _pipeline(topic, model, dictionary)
    return (
        _wordpiece(topic, model, dictionary)
        if isinstance(model, WordPieceSettings)
        else _pieces(topic, model, dictionary)
    )


def _pipeline(topic: str, model: TokenizerPipeline, dictionary: Dictionary) -> Finding:
    try:
        PipelineTokenizer(dictionary, model)
    except XalignError as error:
        return Finding("WRONG", topic, command_line_text(error))
    return Finding("ok", topic, f"a tokenizer.json: {len(dictionary):,} symbols")


def _wordpiece(topic: str, settings: WordPieceSettings, dictionary: Dictionary) -> Finding:
    try:
        tokenizer = WordPieceTokenizer(dictionary, settings)
        bert_ids(dictionary, settings)
    except XalignError as error:
        return Finding("WRONG", topic, command_line_text(error))
    continuing = sum(symbol.startswith(CONTINUES) for symbol in tokenizer.dictionary.symbols)
    case = "uncased" if settings.lowercase else "cased"
    return Finding(
        "ok", topic, f"WordPiece, {case}: {len(dictionary):,} symbols, {continuing:,} of them after {CONTINUES}"
    )


def _pieces(topic: str, model: bytes, dictionary: Dictionary) -> Finding:
    import sentencepiece

    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    except RuntimeError as error:
        return Finding("WRONG", topic, f"not a sentencepiece model\nfound: {error}")
    special = (processor.is_control, processor.is_unknown, processor.is_unused)
    ids = [i for i in range(processor.get_piece_size()) if not any(test(i) for test in special)]
    pieces = {processor.id_to_piece(i) for i in ids}
    # Padding symbols of fairseq-preprocess and the mask are in no text.
    symbols = {symbol for symbol in dictionary.symbols[4:] if not symbol.startswith("madeupword")} - {MASK}
    foreign, missing = symbols - pieces, pieces - symbols
    if len(foreign) > FOREIGN * len(symbols):
        text = f"{len(foreign):,} of the dictionary's {len(symbols):,} symbols are no pieces of the sentencepiece model"
        example = ", ".join(sorted(foreign)[:3])
        return Finding(
            "WRONG", topic, f"{text} (such as {example})\nnext: take the model that the data were encoded with"
        )
    if missing:
        return Finding(
            "note", topic, f"{len(pieces):,} pieces; {len(missing):,} are not in the dictionary and become <unk>"
        )
    return Finding("ok", topic, f"{len(pieces):,} pieces, all in the dictionary")


def checkpoint(path: str, dictionaries: dict[str, Dictionary]) -> list[Finding]:
    """A checkpoint's encoder, and its embedding against the tokenizer that it carries and the dictionaries given.

    Where there is neither, it is compared with the data-bin that its options name, if that still exists.

    Raises:
        XalignError: no checkpoint, a damaged one, one with foreign pickled code, or one of another model.
    """
    import torch

    from xalign_fairseq.encoder.checkpoint import load_encoder, options, read
    from xalign_fairseq.encoder.pretrained.trimming import trimmed_to
    from xalign_fairseq.encoder.vocabulary import stored_model

    state = read(path)
    encoder, heads = load_encoder(state, path)
    sizes = encoder.config
    layers = f"{sizes.encoder_layers} layers of {sizes.encoder_embed_dim}, {sizes.encoder_attention_heads} heads"
    text = f"{layers}, {sizes.vocab_size:,} embeddings, {sizes.max_positions} positions"
    if sizes.languages:
        text += f", language embeddings {', '.join(sizes.languages)}"
    if trimmed := trimmed_to(state):
        text += f", vocabulary trimmed to {', '.join(trimmed)}"
    own = sorted({".".join(key.split(".")[:2]) for key in heads})
    found = [Finding("ok", path, f"{text}" + (f"; beside the encoder: {', '.join(own)}" if own else ""))]
    broken = [name for name, weight in encoder.named_parameters() if not torch.isfinite(weight).all()]
    if broken:
        found.append(Finding("WRONG", path, f"weights that are not finite: {', '.join(broken[:3])}"))
    candidates = dict(dictionaries)
    stored = (state.get("task_state") or {}).get("tokenizer") or {}
    mine = Dictionary(stored["symbols"][4:]) if "symbols" in stored else None
    if mine is not None:
        candidates["the checkpoint itself"] = mine
        found.append(tokenizer(f"{path} tokenizer", stored_model(stored, path), mine))
    stored_lexicons = (state.get("task_state") or {}).get("lexicons") or []
    found += [lexicon(path, Lexicon.from_state(each)) for each in stored_lexicons]
    if not candidates:
        candidates = _trained_on(str(options(state, "task").get("data") or ""))
    if not candidates:
        text = "no dictionary to compare it with\nnext: name its data-bin too: xalign doctor DATA-BIN CHECKPOINT"
        found.append(Finding("note", path, text))
    return [*found, *(_fits(path, sizes.vocab_size, mine, *candidate) for candidate in candidates.items())]


def _fits(path: str, embeddings: int, mine: Dictionary | None, where: str, dictionary: Dictionary) -> Finding:
    rows = dictionary.embedding_size
    if rows != embeddings:
        text = f"does not fit the dictionary of {where}\nfound: {embeddings} embeddings\nexpected: {rows}"
    elif mine is not None and mine.digest != dictionary.digest:
        text = f"the dictionary of {where} has as many symbols as the checkpoint's own, but other ones"
    else:
        return Finding("ok", path, f"fits the dictionary of {where}")
    return Finding("WRONG", path, f"{text}\nnext: use the dictionary that it was trained with")


def _trained_on(named: str) -> dict[str, Dictionary]:
    for folder in filter(os.path.isdir, named.split(os.pathsep)):
        return {folder: DataBin(folder).dictionary}
    return {}
