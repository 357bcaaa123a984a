"""Where the papers' texts and models are: addresses, home pages, and sizes where they are known."""

from dataclasses import dataclass
from pathlib import Path

from xalign_fairseq.core.errors import XalignError

# Release of each corpus of OPUS, https://opus.nlpl.eu; its files are named by both languages in alphabetical order.
OPUS = {
    "EUbookshop": "v2", "Europarl": "v8", "GlobalVoices": "v2018q4", "IITB": "v2.0", "MultiUN": "v1",
    "OpenSubtitles": "v2018", "Tanzil": "v1", "WikiMatrix": "v1",
}  # fmt: skip
SAMPLED = (
    "OPUS-100"  # 1M pairs at most with English, drawn from all of OPUS; the only corpus that is laid out otherwise
)
# Files by the names that `--file` has: where they are saved, address, home page, bytes.
FILES = {
    "xlmr.base": (
        "xlmr.base.tar.gz", "https://dl.fbaipublicfiles.com/fairseq/models/xlmr.base.tar.gz",
        "https://github.com/facebookresearch/fairseq/tree/main/examples/xlmr", None,
    ),
    "alignment-test-sets": (
        "alignment-test-sets.tar.gz", "https://raw.githubusercontent.com/CZWin32768/XLM-Align/"
        "905c56b7ec6d4ac4562644d19db12d67001b2684/word_aligner/alignment-test-sets.tar.gz",
        "https://github.com/CZWin32768/XLM-Align", None,
    ),
    "wikitext-103": (
        "wikitext-103-raw-v1.zip", "https://wikitext.smerity.com/wikitext-103-raw-v1.zip",
        "https://huggingface.co/datasets/Salesforce/wikitext", 191_984_949,
    ),
    "XNLI": (
        "XNLI-1.0.zip", "https://dl.fbaipublicfiles.com/XNLI/XNLI-1.0.zip",
        "https://github.com/facebookresearch/XNLI", None,
    ),
    "XNLI-MT": (  # MultiNLI's training set, English among its translations
        "XNLI-MT-1.0.zip", "https://dl.fbaipublicfiles.com/XNLI/XNLI-MT-1.0.zip",
        "https://github.com/facebookresearch/XNLI", None,
    ),
    "WikiANN": (
        "panx_dataset.zip", "https://s3.amazonaws.com/datasets.huggingface.co/wikiann/1.1.0/panx_dataset.zip",
        "https://github.com/afshinrahimi/mmner", None,
    ),
    **{
        f"{treebank}-ud-{split}": (
            f"{treebank}-ud-{split}.conllu",
            f"https://raw.githubusercontent.com/UniversalDependencies/{name}/master/{treebank}-ud-{split}.conllu",
            f"https://github.com/UniversalDependencies/{name}", None,
        )
        for treebank, name in (("en_ewt", "UD_English-EWT"), ("fr_gsd", "UD_French-GSD"))
        for split in ("train", "dev", "test")
    },
}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """A file to fetch: its place below the folder of downloads, its address, its home page and its size."""

    name: str
    url: str
    home: str
    size: int | None = None

    def __str__(self) -> str:
        size = "size not known" if self.size is None else f"{self.size / 1e6:,.0f} MB"
        return f"{self.url}  ({size}; {self.home})"

    def path(self, folder: Path) -> Path:
        """Where the file is, or will be."""
        return folder / self.name


def bitext(corpus: str, src: str, tgt: str) -> Source:
    """A corpus of OPUS for a pair of languages, in Moses' format: a zip with one file a language.

    That of OPUS-100 is a tar archive with files of the names ``*-train.LANG``, ``*-dev.LANG`` and ``*-test.LANG``.
    """
    if corpus not in (*OPUS, SAMPLED):
        raise XalignError("a corpus is not known", where=corpus, expected=", ".join((*OPUS, SAMPLED)),
                          remedy="put its text to OUT/PAIR/train.LANG by hand")  # fmt: skip
    pair = "-".join(sorted((src, tgt)))
    if corpus == SAMPLED:
        name = f"opus-100-corpus-{pair}-v1.0.tar.gz"
        return Source(name, f"https://object.pouta.csc.fi/OPUS-100/v1.0/{name}", "https://opus.nlpl.eu")
    url = f"https://object.pouta.csc.fi/OPUS-{corpus}/{OPUS[corpus]}/moses/{pair}.txt.zip"
    return Source(f"{corpus}.{pair}.txt.zip", url, "https://opus.nlpl.eu")


def cc100(language: str) -> Source:
    """The text of CC-100 in a language, an empty line between documents; zh is that in simplified characters."""
    name = f"{'zh-Hans' if language == 'zh' else language}.txt.xz"
    return Source(name, f"https://data.statmt.org/cc-100/{name}", "https://data.statmt.org/cc-100/")


def file(name: str) -> Source:
    """One of :data:`FILES`."""
    if name not in FILES:
        raise XalignError("a file is not known", where=name, expected=", ".join(FILES))
    return Source(*FILES[name])
