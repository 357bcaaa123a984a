"""The data of a run, from the manifests of its data-bins."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from xalign_fairseq.trainer.report.html import table
from xalign_fairseq.trainer.report.trained_run import DataFolder


def data_section(folders: Sequence[DataFolder]) -> str:
    """Pairs, languages, tokens and digests of each data-bin."""
    return "".join(map(_folder, folders))


def _folder(data: DataFolder) -> str:
    place = f'<p class="note"><code>{escape(str(data.path))}</code></p>'
    if data.manifest is None:
        return place + '<p class="note">It has no manifest, or is not there any more.</p>'
    manifest = data.manifest
    rows = [
        (each["split"], f"{each['src']}-{each['tgt']}", f"{each['pairs']:,} pairs", *_counts(each))
        for each in manifest.get("pairs", [])
    ]
    rows += [
        (each["split"], each["lang"], f"{each['sentences']:,} sentences", *_counts(each))
        for each in manifest.get("mono", [])
    ]
    tokenizer = manifest.get("tokenizer", {})
    facts = [
        (
            "tokenizer",
            f"{tokenizer.get('model')}, {tokenizer.get('symbols')} symbols, digest {tokenizer.get('digest')}",
        ),
        ("manifest", f"sha256 {data.digest}"),
        ("prepared by", f"xalign_fairseq {manifest.get('xalign_fairseq')}"),
    ]
    hashes = [(name, f"{each['bytes']:,}", each["sha256"]) for name, each in manifest.get("files", {}).items()]
    files = table(("file", "bytes", "sha256"), hashes)
    return (
        place
        + table(("split", "languages", "kept", "dropped", "tokens", "links"), rows)
        + table((), facts)
        + (f"<details><summary>{len(hashes)} files with their hashes</summary>{files}</details>" if hashes else "")
    )


def _counts(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    dropped = ", ".join(f"{number:,} {why}" for why, number in entry.get("dropped", {}).items() if number)
    tokens = ", ".join(f"{number:,} {language}" for language, number in entry.get("tokens", {}).items())
    links = entry.get("links") or {}
    return dropped or "none", tokens, f"{links['sure']:,} sure, {links['possible']:,} possible" if links else ""
