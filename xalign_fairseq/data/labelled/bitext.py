"""Two files of sentences that translate each other line by line, for retrieval: Tatoeba as LASER publishes it."""

from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.compressed import unpacked_name
from xalign_fairseq.data.labelled.examples import PairExample
from xalign_fairseq.data.labelled.lines import read_rows

# Languages of XTREME's Tatoeba task and of shared test sets: ISO 639-1 to the code in LASER's file names.
_TATOEBA = """
    af:afr ar:ara az:aze bg:bul bn:ben cs:ces da:dan de:deu el:ell es:spa et:est eu:eus fa:pes fi:fin fr:fra he:heb
    hi:hin hu:hun id:ind it:ita ja:jpn jv:jav ka:kat kk:kaz ko:kor lt:lit ml:mal mr:mar nl:nld pl:pol pt:por ro:ron
    ru:rus sl:slv sv:swe sw:swh ta:tam te:tel th:tha tl:tgl tr:tur uk:ukr ur:urd vi:vie zh:cmn
"""
TATOEBA_LANGUAGES = dict(pair.split(":") for pair in _TATOEBA.split())


def english_file(path: StrPath) -> Path | None:
    """The English side of the bitext whose other side is ``path``, by its name: ``en-de.en`` for ``en-de.de``.

    ``None`` if the name of ``path`` has another form.
    """
    path = Path(path)
    name = unpacked_name(path.name)
    packed = path.name.removeprefix(name)
    stem, _, side = name.rpartition(".")
    pair = stem.rpartition(".")[2].split("-")
    for english in ("en", "eng"):
        if sorted(pair) == sorted((english, side)):
            return path.with_name(f"{stem}.{english}{packed}")
    return None


def read_bitext(path: StrPath, language: str) -> list[PairExample]:
    """Read a bitext by its foreign side: ``first`` is the sentence in ``language``, ``second`` its English translation.

    The label is the number of the line that has the translation. There is none if the English side is sorted: XTREME's
    scripts sort it to hide which lines belong together.
    """
    other = english_file(path)
    if other is None:
        problem = "the file is not named as the foreign side of a bitext with English"
        raise XalignError(problem, where=path, expected="a name such as en-de.de or tatoeba.deu-eng.deu")
    foreign, english = ([line.strip() for line in read_rows(each)] for each in (path, other))
    if len(foreign) != len(english):
        problem, found = "the two sides of the bitext differ in length", f"{len(foreign)} and {len(english)} lines"
        raise XalignError(
            problem, where=f"{path}, {other}", found=found, expected="the same number of lines on both sides"
        )
    hidden = len(set(english)) > 20 and english == sorted(english)
    return [
        PairExample(str(number), language, mine, theirs, None if hidden else str(number), "en")
        for number, (mine, theirs) in enumerate(zip(foreign, english, strict=True), 1)
    ]
