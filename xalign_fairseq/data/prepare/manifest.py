"""``manifest.json``: the inputs of a data-bin, dropped lines with reasons, and the hash of every file."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.core.files import file_sha256
from xalign_fairseq.core.json_files import read_json, write_json
from xalign_fairseq.core.text.containers import file_of
from xalign_fairseq.core.version import __version__
from xalign_fairseq.data.databin import MANIFEST
from xalign_fairseq.data.prepare.binarize import EMPTY, EMPTY_BOTH, EMPTY_SRC, EMPTY_TGT, UNKNOWN_IN, MonoText, PairText
from xalign_fairseq.data.prepare.filters import REASONS
from xalign_fairseq.data.prepare.progress import JOURNAL
from xalign_fairseq.data.prepare.sources import PrepareOptions
from xalign_fairseq.data.tokenizers.tokenizer import Tokenizer
from xalign_fairseq.data.tokenizers.tokenizer_model import model_name

FORMAT = 1
POLICY = (
    "A pair with a side that has no token is dropped, with its link line, and so is a monolingual line without a token."
    " Nothing else is dropped, cut or reordered: over-long pairs are left to the training datasets."
)
FILTERED = " Training text is that which passes the filters of the options, each counted by what those before it kept."

Text = PairText | MonoText


def write(
    folder: Path, texts: Sequence[tuple[Text, Mapping[str, int]]], tokenizer: Tokenizer, options: PrepareOptions
) -> dict[str, Any]:
    """Write ``manifest.json`` into a folder with all other files; returns its content.

    It does not contain time, machine or number of processes: the same text and options give the same bytes.
    """
    manifest = {
        "format": FORMAT,
        "xalign_fairseq": __version__,
        "options": _given(options),
        "policy": POLICY + (FILTERED if options.filters.given else ""),
        "splits": sorted({text.split for text, _ in texts}),
        "pairs": [_entry(text, counts) for text, counts in texts if isinstance(text, PairText)],
        "mono": [_entry(text, counts) for text, counts in texts if isinstance(text, MonoText)],
        "tokenizer": {
            "model": model_name(tokenizer.model),
            "trained": options.trains_model,
            "symbols": len(tokenizer.dictionary),
            "digest": tokenizer.dictionary.digest,
            "missing_pieces": tokenizer.missing_pieces,
        },
        "files": hashes(folder),
    }
    write_json(folder / MANIFEST, manifest)
    return manifest


def _given(options: PrepareOptions) -> dict[str, Any]:
    return {
        "spm": options.spm and os.fspath(options.spm),
        "dict": options.dictionary and os.fspath(options.dictionary),
        "tokenizer": options.tokenizer and os.fspath(options.tokenizer),
        **({"trim_vocabulary": True} if options.trim_vocabulary else {}),
        "vocab_size": options.vocab_size if options.trains_model else None,
        "seed": options.seed,
        **({"filters": options.filters.given} if options.filters.given else {}),
        **({"shard": "{}/{}".format(*options.shard)} if options.shard is not None else {}),
    }


def complete(options: PrepareOptions) -> dict[str, Any] | None:
    """The manifest of a finished run, None if there is none; :class:`XalignError` if its texts or options differ."""
    path = Path(options.destdir, MANIFEST)
    if not path.is_file():
        return None
    made = read_json(path)
    pairs = [(p["split"], p["src"], p["tgt"], *p["files"], p.get("links", {}).get("file")) for p in made["pairs"]]
    mono = [(text["split"], text["lang"], tuple(text["files"])) for text in made["mono"]]
    texts = [astuple(each) for each in options.texts]
    found = [each for each in options.inputs if os.path.getmtime(file_of(each)) > path.stat().st_mtime]
    if found or made["options"] != _given(options) or [*pairs, *mono] != texts:
        problem = "the data-bin is complete, but this command would make another one"
        cause = f"{found[0]} is newer than the data-bin" if found else "other texts or options"
        remedy = ("choose another folder, or set", Parameter("overwrite"))
        raise XalignError(problem, where=options.destdir, found=cause, remedy=remedy)
    return made


def _entry(text: Text, counts: Mapping[str, int]) -> dict[str, Any]:
    if isinstance(text, PairText):
        head = {"split": text.split, "src": text.src, "tgt": text.tgt}
        languages, reasons = [text.src, text.tgt], [EMPTY_SRC, EMPTY_TGT, EMPTY_BOTH]
    else:
        head = {"split": text.split, "lang": text.lang}
        languages, reasons = [text.lang], [EMPTY]
    reasons += [reason for reason in REASONS if reason in counts]
    tokens = {lang: counts[f"tokens {lang}"] for lang in languages}
    unknown = {lang: counts[f"unknown {lang}"] for lang in languages}
    made: dict[str, Any] = {
        **head,
        "files": [file.path for file in text.sources],
        "lines": counts["lines"],
        text.kept: counts[text.kept],
        "dropped": {reason: counts[reason] for reason in reasons},
        "tokens": tokens,
        "unknown": unknown,
        "unknown_scripts": {lang: _scripts(counts, f"{UNKNOWN_IN} {lang} ") for lang in languages},
        "unknown_rate": {lang: round(unknown[lang] / max(1, tokens[lang]), 6) for lang in languages},
    }
    if isinstance(text, PairText) and text.links_file is not None:
        links = {"sure": counts["sure links"], "possible": counts["possible links"]}
        made["links"] = {"file": text.links_file.path, **links}
    return made


def _scripts(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    """Counts of scripts in unknown tokens, the most frequent first."""
    found = {name.removeprefix(prefix): count for name, count in counts.items() if name.startswith(prefix)}
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def hashes(folder: Path) -> dict[str, dict[str, Any]]:
    """Bytes and sha256 of each file of a folder except the manifest, by name."""
    paths = sorted(path for path in folder.iterdir() if path.is_file() and path.name not in (MANIFEST, JOURNAL))
    with ThreadPoolExecutor(4) as pool:  # hashing releases the interpreter's lock
        digests = list(pool.map(file_sha256, paths))
    return {
        path.name: {"bytes": path.stat().st_size, "sha256": digest} for path, digest in zip(paths, digests, strict=True)
    }
