"""Treebanks of derived languages: CoNLL-U whose words are moved and rewritten, with their tags and trees."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.core.text.compressed import existing, unpacked_name
from xalign_fairseq.data.labelled.conllu import DEPREL, DEPS, FORM, UPOS, ConlluSentence, read_sentences
from xalign_fairseq.languages.sentence import Sentence, SyntaxTree, Transformation

# Comments that stay valid after deriving; others (text, translations, transliterations) describe the words.
_KEPT = ("sent_id", "newdoc", "newpar")


def read(path: StrPath) -> list[ConlluSentence]:
    """Read a treebank, compressed or not, and check its trees; sentences may have no heads."""
    sentences = list(read_sentences(path))
    for sentence in sentences:
        sentence.tree()
    return sentences


def natural(sentence: ConlluSentence) -> Sentence:
    """The syntactic words of a sentence, with its tree if it has one."""
    tree = sentence.tree()
    heads = None if tree is None else tuple(head - 1 for head in tree.heads)
    labels = sentence.column(DEPREL), sentence.column(UPOS)
    return Sentence.natural(sentence.column(FORM), None if heads is None else SyntaxTree(heads, *labels))


def derive(
    sentences: Iterable[ConlluSentence], transform: Transformation
) -> tuple[list[ConlluSentence], dict[str, int]]:
    """The derived treebank, and counts of skipped sentences; a sentence's key is its number, from 0.

    A word keeps UPOS, XPOS, FEATS and DEPREL; HEAD is renumbered. Fields about natural words (LEMMA, MISC, multi-word
    tokens, empty nodes, DEPS) are left out. ``sent_id``, ``newdoc`` and ``newpar`` stay; ``text`` is the new text.
    """
    derived, counts = [], Counter({"multi-word tokens": 0, "empty nodes": 0, "enhanced dependencies": 0})
    for key, sentence in enumerate(sentences):
        derived.append(_moved(sentence, transform(natural(sentence), key)))
        counts["multi-word tokens"] += len(sentence.ranges)
        counts["empty nodes"] += sentence.empty
        counts["enhanced dependencies"] += sum(each != "_" for each in sentence.column(DEPS))
    return derived, dict(counts)


def lines(sentences: Iterable[ConlluSentence]) -> Iterator[str]:
    """The lines of a CoNLL-U file, without line ends."""
    for sentence in sentences:
        yield from sentence.comments
        yield from map("\t".join, sentence.rows)
        yield ""


def trees_next_to(path: StrPath, sentences: Sequence[Sequence[str]]) -> list[SyntaxTree]:
    """Trees of a file that has none, from the CoNLL-U file next to it: ``dev.conllu`` for ``dev.tsv``."""
    treebank = f"{unpacked_name(path).removesuffix('.tsv')}.conllu"
    beside = existing(treebank)
    if not Path(beside).is_file():
        problem = "a file has no trees, which the syntax step needs"
        raise XalignError(problem, where=path, expected=f"the file {treebank}")
    parsed = read(beside)
    if len(parsed) != len(sentences):
        problem, found = "a file and its trees differ in number of sentences", f"{len(sentences)} and {len(parsed)}"
        raise XalignError(problem, where=f"{path}, {beside}", found=found)
    return [_tree(each, tuple(words)) for each, words in zip(parsed, sentences, strict=True)]


def _moved(sentence: ConlluSentence, derived: Sentence) -> ConlluSentence:
    """The sentence with its rows in the order of ``derived``."""
    place = {str(i + 1): str(k + 1) for i, k in derived.links}
    rows = []
    for k, (row, form) in enumerate(zip(derived.move(sentence.rows), derived.forms, strict=True), 1):
        _, _, _, upos, xpos, feats, head, relation, _, _ = row
        rows.append([str(k), form, "_", upos, xpos, feats, place.get(head, head), relation, "_", "_"])
    named = [(comment[1:].replace("=", " ").split()[:1], comment) for comment in sentence.comments]
    comments = [comment for name, comment in named if name and name[0] in _KEPT]
    comments.append(f"# text = {' '.join(derived.forms)}")
    return replace(sentence, rows=rows, comments=comments, ranges=[], empty=0)


def _tree(parsed: ConlluSentence, words: tuple[str, ...]) -> SyntaxTree:
    found = natural(parsed)
    if found.source != words or found.tree is None:
        source = " ".join(found.source) if found.tree else "no heads"
        problem, where = "a tree does not match its sentence", parsed.where
        raise XalignError(problem, where=where, found=source, expected=" ".join(words))
    return found.tree
