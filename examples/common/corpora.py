"""The papers' texts, labelled data and models: addresses, home pages, sizes, and published checksums.

``sources.tsv`` lists the files; files of one name belong together, such as the languages of XQuAD. Sizes and SHA-256
come from TensorFlow Datasets and Hugging Face's datasets, for treebanks from LINDAT's archives.
"""

import csv
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from xalign_fairseq.core.errors import XalignError

# SOURCES: another table of this form, for example for a mirror
SOURCES = Path(os.environ.get("SOURCES") or Path(__file__).with_name("sources.tsv"))
# Release of each corpus of OPUS, https://opus.nlpl.eu; its files have both languages in their name, alphabetically.
OPUS = {
    "EUbookshop": "v2",
    "Europarl": "v8",
    "GlobalVoices": "v2018q4",
    "IITB": "v2.0",
    "MultiUN": "v1",
    "OpenSubtitles": "v2018",
    "Tanzil": "v1",
    "WikiMatrix": "v1",
}
# At most 1M pairs with English, sampled from all of OPUS; its layout differs from the others
SAMPLED = "OPUS-100"
# From XLM-Align's Tables 8 and 9: gigabytes of CCNet's and Wikipedia's text per language, and its archives of CC-100,
# the release of CCNet's text. The 87 codes cover the paper's 94 languages: some have two (two scripts of zh and my,
# romanised text). CC-100 lacks six of them.
MONOLINGUAL = Path(__file__).with_name("monolingual.tsv")


@dataclass(frozen=True)
class Source:
    """A file to fetch: its path in the folder of downloads, its address, home page, size and checksum.

    Attributes:
        text: gigabytes after unpacking, if known.
    """

    name: str
    url: str
    home: str
    size: int | None = None
    sha256: str | None = None
    text: float | None = None

    def __str__(self) -> str:
        if self.size is not None:
            size = f"{self.size / 1e6:,.0f} MB" if self.size >= 5e5 else f"{self.size / 1e3:,.0f} kB"
        else:
            size = "size not known" if self.text is None else f"{self.text:g} GB of text"
        return f"{self.url}  ({size}; {self.home})"

    def path(self, folder: Path) -> Path:
        """The path of the file, whether it exists or not."""
        return folder / self.name


@cache
def named() -> dict[str, tuple[Source, ...]]:
    """The files of ``sources.tsv`` by name."""
    found: dict[str, list[Source]] = {}
    with open(SOURCES, encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            size = int(row["bytes"]) if row["bytes"] else None
            source = Source(row["path"], row["url"], row["home"], size, row["sha256"] or None)
            found.setdefault(row["name"], []).append(source)
    return {name: tuple(sources) for name, sources in found.items()}


def files(name: str) -> tuple[Source, ...]:
    """All files of a name."""
    if name not in named():
        raise XalignError("unknown file", where=name, expected=", ".join(named()))
    return named()[name]


def bitext(corpus: str, src: str, tgt: str) -> Source:
    """A corpus of OPUS for a pair of languages, in Moses' format: a zip with one file per language.

    OPUS-100 is a tar archive with files ``*-train.LANG``, ``*-dev.LANG`` and ``*-test.LANG``;
    translation2019zh is a zip of JSON lines.
    """
    if corpus == "translation2019zh":
        return files(corpus)[0]
    if corpus not in (*OPUS, SAMPLED):
        raise XalignError(
            "unknown corpus",
            where=corpus,
            expected=", ".join((*OPUS, SAMPLED, "translation2019zh")),
            remedy="put its text into OUT/PAIR/train.LANG by hand",
        )
    pair = "-".join(sorted((src, tgt)))
    if corpus == SAMPLED:
        name = f"opus-100-corpus-{pair}-v1.0.tar.gz"
        return Source(name, f"https://object.pouta.csc.fi/OPUS-100/v1.0/{name}", "https://opus.nlpl.eu")
    url = f"https://object.pouta.csc.fi/OPUS-{corpus}/{OPUS[corpus]}/moses/{pair}.txt.zip"
    return Source(f"{corpus}.{pair}.txt.zip", url, "https://opus.nlpl.eu")


@dataclass(frozen=True)
class Monolingual:
    """A language's monolingual text: gigabytes of CCNet and Wikipedia, and the names of its archives of CC-100."""

    ccnet: float
    wikipedia: float
    archives: tuple[str, ...]


@cache
def monolingual() -> dict[str, Monolingual]:
    """The languages of ``monolingual.tsv`` by their codes."""
    with open(MONOLINGUAL, encoding="utf-8", newline="") as stream:
        return {
            row["language"]: Monolingual(float(row["ccnet"]), float(row["wikipedia"]), tuple(row["cc100"].split()))
            for row in csv.DictReader(stream, delimiter="\t")
        }


def cc100(language: str) -> list[Source]:
    """The archives of CC-100 for a language, with an empty line between documents; none if CC-100 lacks it."""
    about = monolingual().get(language, Monolingual(0, 0, (language,)))
    home = "https://data.statmt.org/cc-100/"
    return [
        Source(f"{name}.txt.xz", f"{home}{name}.txt.xz", home, text=about.ccnet if at == 0 and about.ccnet else None)
        for at, name in enumerate(about.archives)
    ]


def wikipedia(language: str) -> Source:
    """The newest dump of a language's Wikipedia, XML of all articles."""
    wiki = f"{language}wiki"
    name = f"{wiki}-latest-pages-articles.xml.bz2"
    text = monolingual()[language].wikipedia if language in monolingual() else None
    return Source(name, f"https://dumps.wikimedia.org/{wiki}/latest/{name}", "https://dumps.wikimedia.org", text=text)


def total(sources: Iterable[Source]) -> str:
    """The total known size."""
    everything: Sequence[Source] = list(sources)
    size = sum(source.size or 0 for source in everything) / 1e9
    text = sum(source.text or 0 for source in everything)
    unknown = sum(source.size is None and source.text is None for source in everything)
    parts = [f"{len(everything)} files", *([f"{size:,.1f} GB of known size"] if size else [])]
    parts += [f"{text:,.1f} GB of text (its archives have about a quarter of that)"] * bool(text)
    return "; ".join([*parts, *([f"{unknown} of unknown size"] if unknown else [])])
