"""Write files from linked text: dictionaries, tables of lexical probabilities, and inputs for Marian."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import sentencepiece

from xalign_fairseq.core.counts import counted
from xalign_fairseq.core.errors import Parameter, XalignError, check_values
from xalign_fairseq.core.files import atomic_write, require_apart, require_place
from xalign_fairseq.core.output import require_replaceable
from xalign_fairseq.core.text.containers import file_of
from xalign_fairseq.core.text.segmented import SegmentedText, Span
from xalign_fairseq.data.tokenizers.offsets import pieces_with_offsets
from xalign_fairseq.data.tokenizers.tokenizer import load_sentencepiece
from xalign_fairseq.links.counting import count_pairs, write_counted
from xalign_fairseq.links.linked_text import LinkedText
from xalign_fairseq.links.pharaoh import Link, format_links


def unit_links(links: Iterable[Link], src: Sequence[Sequence[int]], tgt: Sequence[Sequence[int]]) -> set[Link]:
    """Links between all units of each pair of linked words; ``src`` and ``tgt`` have the units of each word.

    Example::

        >>> sorted(unit_links({(0, 1)}, [[0, 1]], [[0], [1, 2]]))
        [(0, 1), (0, 2), (1, 1), (1, 2)]
    """
    return {(unit, other) for i, j in links for unit in src[i] for other in tgt[j]}


def units_of_words(text: SegmentedText, units: Sequence[Span]) -> list[list[int]]:
    """For each word of a text, the numbers of the units (spans, end exclusive) that share a character with it.

    A unit without characters (a byte of a character, except the last byte) belongs to the word at its position.

    Example::

        >>> text = SegmentedText("a house", ((0, 1), (2, 7)))
        >>> units_of_words(text, [(0, 1), (1, 4), (4, 7)])
        [[0], [1, 2]]
    """
    found: list[list[int]] = [[] for _ in text.spans]
    for number, (start, stop) in enumerate(units):
        for word in text.words_in(start, max(stop, start + 1)):
            found[word].append(number)
    return found


NULL = "NULL"  # the partner of words without a link, in lex files
SHORTLISTED = 100  # targets of a source; Marian's own default
LinkedWords = tuple[list[str], list[str], Iterable[Link]]


@dataclass(frozen=True)
class DictionaryRun:
    """A linked text, and the files to make from it; at least one.

    Attributes:
        segment: the segmenter that the text was aligned with.
        out: dictionary, TSV: source, target, count, p(t|s), p(s|t), significance
            (:class:`~xalign_fairseq.links.counting.CountedPair`), for each pair of linked words.
        lex: prefix of ``.s2t`` and ``.t2s``, in the format of Moses and Marian's extract_lex: ``target source p(t|s)``
            and ``source target p(s|t)``; a word without a link counts as linked to ``NULL``.
        shortlist: the lines of ``lex.s2t`` without ``NULL``, the 100 most probable of each source: for Marian's
            ``--shortlist FILE 100 100``.
        guided: links between sentencepiece units, for Marian's ``--guided-alignment``.
        spm: one sentencepiece model for both sides, or one for each: all files then have units instead of words.
        min_count: minimum number of links of a dictionary row.

    Example::

        >>> DictionaryRun("a.en", "a.de", "a.links", lex="lex").outputs
        {'s2t': 'lex.s2t', 't2s': 'lex.t2s'}
    """

    src: str
    tgt: str
    links: str
    segment: str = "auto"
    out: str = ""
    lex: str = ""
    shortlist: str = ""
    guided: str = ""
    spm: tuple[str, ...] = ()
    min_count: int = 1

    @property
    def outputs(self) -> dict[str, str]:
        """The files to write, by their kind."""
        lex = {end: f"{self.lex}.{end}" for end in ("s2t", "t2s") if self.lex}
        named = {"out": self.out, "shortlist": self.shortlist, "guided": self.guided, **lex}
        return {name: path for name, path in named.items() if path}


def write_dictionary(run: DictionaryRun) -> str:
    r"""Write the files, reading the text once for each kind; returns the numbers of pairs, links and rows.

    Memory: :func:`~xalign_fairseq.links.counting.count_pairs`. Files appear when they are complete.

    Raises:
        XalignError: there is nothing to write, an output would replace an input, or the files do not match.

    Example::

        >>> from pathlib import Path
        >>> for name, line in (("a.en", "the house"), ("a.de", "das Haus"), ("a.links", "0-0 1-1")):
        ...     _ = Path(name).write_text(f"{line}\n")
        >>> write_dictionary(DictionaryRun("a.en", "a.de", "a.links", out="en-de.tsv"))
        '2 rows in en-de.tsv'
    """
    _check(run)
    models = [load_sentencepiece(path) for path in run.spm]
    text = LinkedText(run.src, run.tgt, run.links, run.segment)
    done = []
    if run.guided:
        with atomic_write(run.guided) as stream:
            stream.writelines(f"{format_links(links)}\n" for _, _, links in _linked(text, models))
        done.append(f"links of units in {run.guided}")
    if run.out:
        linked = ((src[i], tgt[j]) for src, tgt, links in _linked(text, models) for i, j in links)
        with atomic_write(run.out) as stream:
            rows = write_counted(stream, count_pairs(linked, run.out), run.min_count)
        done.append(f"{counted(rows, 'row')} in {run.out}")
    if run.lex or run.shortlist:
        done.append(_write_lexical(run, _linked(text, models)))
    return "; ".join(done)


def _write_lexical(run: DictionaryRun, linked: Iterable[LinkedWords]) -> str:
    paths = {name: path for name, path in run.outputs.items() if name in ("s2t", "t2s", "shortlist")}
    with ExitStack() as stack:
        streams = {name: stack.enter_context(atomic_write(path)) for name, path in paths.items()}
        rows, listed, source = 0, 0, ""
        for row in count_pairs(_with_null(linked), next(iter(paths.values()))):
            rows += 1
            # Round like extract_lex, which divides in 32 bits.
            s2t, t2s = (
                f"{np.float32(row.links) / np.float32(total):.7f}\n" for total in (row.src_links, row.tgt_links)
            )
            if run.lex:
                streams["s2t"].write(f"{row.tgt} {row.src} {s2t}")
                streams["t2s"].write(f"{row.src} {row.tgt} {t2s}")
            if run.shortlist and NULL not in (row.src, row.tgt):
                source, listed = row.src, (listed + 1 if row.src == source else 1)
                if listed <= SHORTLISTED:
                    streams["shortlist"].write(f"{row.tgt} {row.src} {s2t}")
    return f"{counted(rows, 'lexical probability')} in {', '.join(paths.values())}"


def _with_null(linked: Iterable[LinkedWords]) -> Iterator[tuple[str, str]]:
    """One pair of words for each link, and one pair with :data:`NULL` for each word without a link."""
    for src, tgt, links in linked:
        yield from ((src[i], tgt[j]) for i, j in links)
        linked_src, linked_tgt = {i for i, _ in links}, {j for _, j in links}
        yield from ((word, NULL) for i, word in enumerate(src) if i not in linked_src and word.split() == [word])
        yield from ((NULL, word) for j, word in enumerate(tgt) if j not in linked_tgt and word.split() == [word])


def _linked(text: LinkedText, models: list[sentencepiece.SentencePieceProcessor]) -> Iterator[LinkedWords]:
    """The words of each pair and their links, or sentencepiece units and their links."""
    for *sides, links in text:
        if not models:
            yield sides[0].words, sides[1].words, links
            continue
        (src, src_places), (tgt, tgt_places) = map(_units, sides, (models[0], models[-1]))
        yield src, tgt, unit_links(links, src_places, tgt_places)


def _units(text: SegmentedText, model: sentencepiece.SentencePieceProcessor) -> tuple[list[str], list[list[int]]]:
    """The sentencepiece units of a text, and for each word the numbers of its units."""
    units = model.encode(text.text, out_type=str)
    _, begin, end = pieces_with_offsets(model, text.text)
    # Units are split at white space; a unit of white space only has no part.
    numbers = [number for number, unit in enumerate(units) for _ in unit.split()]
    parts = units_of_words(text, list(zip(begin.tolist(), end.tolist(), strict=True)))
    # Units with white space cannot be written in a table.
    plain = {number for number, unit in enumerate(units) if unit.split() == [unit]}
    return units, [[numbers[part] for part in word if numbers[part] in plain] for word in parts]


def _check(run: DictionaryRun) -> None:
    """Check that there is something to write, and that it can be written."""
    if not run.outputs:
        raise XalignError("no output is given", parameter=("out", "lex", "shortlist", "guided"), remedy="add one")
    if run.guided and not run.spm:
        raise XalignError(
            "links of units need a sentencepiece model", parameter="guided", remedy=("give", Parameter("spm", "MODEL"))
        )
    one_or_two = ("spm", " ".join(run.spm), len(run.spm) <= 2, "one or two files")
    check_values("a dictionary has one model, or one of each side", one_or_two)
    check_values("the minimum count is below 1", ("min_count", run.min_count, run.min_count >= 1, "1 or more"))
    if run.min_count > 1 and not run.out:
        remedy = ("add", Parameter("out", "FILE"))
        raise XalignError("only the dictionary has a minimum count", parameter="min_count", remedy=remedy)
    inputs = [*map(file_of, (run.src, run.tgt, run.links)), *run.spm]
    for name, path in run.outputs.items():
        require_place(path, inputs)
        require_replaceable(path, {"out": "phrases", "guided": "pharaoh"}.get(name, "lexical"))
    require_apart(run.outputs.values(), ("out", "lex", "shortlist", "guided"))
