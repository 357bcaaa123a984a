"""CoNLL-U: tags, features and trees, projected onto translations."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest

from xalign_fairseq.aligner.protocol import Links
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text.lines import read_lines
from xalign_fairseq.core.text.segmented import SegmentedText, from_words
from xalign_fairseq.data.labelled.conllu import (
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    UPOS,
    XPOS,
    ConlluSentence,
    is_named_conllu,
    parse_sentence,
)
from xalign_fairseq.data.labelled.examples import Tree, read_blocks
from xalign_fairseq.projection.units import Annotated, Dropped, Projected, Unit

EMPTY = "_"


def treebank(files: Annotated) -> Iterator[Unit]:
    """Read a treebank and its translation: CoNLL-U (words and multi-word tokens stay), or one sentence per line.

    A target word takes UPOS, FEATS, HEAD and DEPREL by its most probable link (:func:`project_tree`). A word without a
    link is ``PUNCT`` if it has only punctuation, otherwise ``X``. XPOS and DEPS are left out, because they
    belong to one language. Invalid annotation is not projected.
    """
    for number, (source, target) in enumerate(zip_longest(read_blocks(files.src), _targets(files)), 1):
        if source is None or target is None:
            which = files.tgt if target is None else files.src
            problem = "the treebank and its translation have different numbers of sentences"
            raise XalignError(problem, where=f"{files.src}, {files.tgt}", found=f"{which} has only {number - 1}")
        yield _unit(files.src, number, *source, *target)


def _targets(files: Annotated) -> Iterator[tuple[ConlluSentence, SegmentedText]]:
    tgt = str(files.tgt)
    if is_named_conllu(tgt):
        for number, (first, lines) in enumerate(read_blocks(tgt), 1):
            sentence = parse_sentence(lines, tgt, first, str(number))
            yield sentence, from_words(sentence.column(FORM))
    else:
        for number, line in enumerate(read_lines(tgt), 1):
            text = files.segment(line)
            yield _of_text(text, f"{number}"), text


def _unit(path: str, number: int, first: int, lines: list[str], target: ConlluSentence, tgt: SegmentedText) -> Unit:
    where = f"{path}, line {first}"
    try:
        source = parse_sentence(lines, path, first, str(number))
        tree = source.tree()
    except XalignError as error:
        if number == 1:
            raise
        dropped = Dropped(lines[0], f"{error.problem}: {error.found}")
        return Unit.fixed(from_words(()), tgt, where, _text(target), dropped)
    return Unit(from_words(source.column(FORM)), tgt, where, partial(_project, source, tree, target))


def _project(source: ConlluSentence, tree: Tree | None, target: ConlluSentence, links: Links) -> Projected:
    sources = _best(links, 1)
    images = _best(links, 0)
    projected = project_tree(tree, sources, images, len(target.rows)) if tree and target.rows else None
    dropped = []
    for j, row in enumerate(target.rows):
        row[XPOS] = row[DEPS] = row[HEAD] = row[DEPREL] = row[FEATS] = EMPTY
        if j in sources:
            row[UPOS], row[FEATS] = source.rows[sources[j]][UPOS], source.rows[sources[j]][FEATS]
        else:
            row[UPOS] = "PUNCT" if all(unicodedata.category(letter)[0] == "P" for letter in row[FORM]) else "X"
            dropped.append(Dropped(f"word {j + 1} {row[FORM]}", "no source word is linked to it"))
        if projected:
            relation = "punct" if row[UPOS] == "PUNCT" and j not in sources else projected.relations[j]
            row[HEAD], row[DEPREL] = str(projected.heads[j]), "root" if projected.heads[j] == 0 else relation
    labels = tuple((range(j, j + 1), row[UPOS]) for j, row in enumerate(target.rows))
    theirs = tuple((range(i, i + 1), row[UPOS]) for i, row in enumerate(source.rows))
    return Projected(_text(target), len(sources), tuple(dropped), (theirs, labels))


def _best(links: Links, side: int) -> dict[int, int]:
    """The partner of each word of a side by its most probable link; the first of equally probable ones."""
    best: dict[int, tuple[float, int]] = {}
    for link, probability in links.items():
        word, partner = link[side], link[1 - side]
        best[word] = max(best.get(word, (-1.0, 0)), (probability, -partner))
    return {word: -partner for word, (_, partner) in best.items()}


def _of_text(text: SegmentedText, id: str) -> ConlluSentence:
    """A sentence without annotation."""
    starts = {start for start, _ in text.spans}
    rows = []
    for number, (word, (_, stop)) in enumerate(zip(text.words, text.spans, strict=True), 1):
        rows.append([str(number), word, *[EMPTY] * 7, "SpaceAfter=No" if stop in starts else EMPTY])
    return ConlluSentence(id, "", 0, rows, [f"# sent_id = {id}", f"# text = {text.text}"])


def _text(sentence: ConlluSentence) -> str:
    """The lines of a sentence, with multi-word tokens before their words."""
    ranges = dict(sentence.ranges)
    lines = list(sentence.comments)
    for number, row in enumerate(sentence.rows):
        lines += ["\t".join(each) for each in ([ranges[number]] if number in ranges else []) + [row]]
    return "".join(f"{line}\n" for line in [*lines, ""])


UNLINKED = "dep"  # the relation of a word that gets none from its links


def project_tree(tree: Tree, sources: Mapping[int, int], images: Mapping[int, int], words: int) -> Tree:
    """The tree of a translation.

    The head of a target word is the image of its source word's head (direct correspondence, Hwa et al. 2005), or of
    the nearest ancestor that has another image. If several target words have one source word, one is its image, and
    the others depend on the image. A word without a source word depends on the nearest word with one to its right,
    otherwise to its left. :func:`to_tree` then repairs anything that is not a tree with one root.

    ``sources`` maps target words to their source words, ``images`` source words to their images, counted from 0; both
    may lack words. ``words`` is the number of target words, at least 1.
    """
    heads, relations, depths = [-1] * words, [UNLINKED] * words, [len(tree.heads) + 1] * words
    for j, i in sources.items():
        if (image := images.get(i, j)) != j:
            heads[j] = image + 1
            continue
        relations[j], depths[j], head = tree.relations[i], 0, tree.heads[i]
        while head and images.get(head - 1, j) == j:
            head = tree.heads[head - 1]
        heads[j] = images[head - 1] + 1 if head else 0
        while i >= 0:
            i, depths[j] = tree.heads[i] - 1, depths[j] + 1
    for j in range(words):
        if heads[j] < 0 and sources:
            right = next((k for k in range(j + 1, words) if k in sources), None)
            heads[j] = 1 + (max(k for k in sources if k < j) if right is None else right)
    root = min(range(words), key=lambda j: (heads[j] != 0, depths[j], j))
    return to_tree(heads, relations, root)


def to_tree(heads: Sequence[int], relations: Sequence[str], root: int) -> Tree:
    """A tree whose root is word ``root``, from 0: other words without a head (0 or less), and the first word of each
    cycle, depend on the root.
    """
    repaired = [0 if word == root else head if head > 0 else root + 1 for word, head in enumerate(heads)]
    reached = {root}
    for start in range(len(repaired)):
        path: list[int] = []
        word = start
        while word not in reached:
            if word in path:  # all heads that lead into this cycle now lead to the root
                repaired[min(path[path.index(word) :])] = root + 1
                break
            path.append(word)
            word = repaired[word] - 1
        reached.update(path)
    names = ["root" if word == root else UNLINKED if each == "root" else each for word, each in enumerate(relations)]
    return Tree(tuple(repaired), tuple(names))
