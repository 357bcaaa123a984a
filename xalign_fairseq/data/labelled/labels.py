"""The labels of each kind of example, and labels that a model does not know."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.labelled.conllu import UD_RELATIONS, UPOS_TAGS
from xalign_fairseq.data.labelled.examples import (
    Example,
    PairExample,
    QuestionExample,
    Tree,
    TreeExample,
    WordsExample,
    open_bytes,
)
from xalign_fairseq.data.labelled.sentence_pairs import english_file, labels_file


def label_of(example: Example) -> str | tuple[str, ...] | Tree | tuple[tuple[str, int], ...] | None:
    """An example's label, in the form of its task; ``None`` without a label."""
    match example:
        case PairExample():
            return example.label
        case WordsExample():
            return example.tags
        case TreeExample():
            return example.tree
        case QuestionExample():
            return example.answers


def classes(examples: Iterable[Example]) -> list[str]:
    """The classes in the examples' labels, sorted: universal relations of trees, no labels of questions."""
    found: set[str] = set()
    for example in examples:
        match example:
            case PairExample(label=str(label)):
                found.add(label)
            case WordsExample(tags=tuple(tags)):
                found.update(tags)
            case TreeExample(tree=Tree(relations=relations)):
                found.update(each.partition(":")[0] for each in relations)
    return sorted(found)


def check_labels(train_labels: Iterable[str], examples: Sequence[Example], path: object) -> list[str]:
    """Check that a model knows the labels of a file.

    Tags and relations of Universal Dependencies that did not occur in training are not an error, since languages use
    different ones; they are returned, sorted.
    """
    known = set(train_labels)
    unknown = set(classes(examples)) - known
    foreign = unknown - UPOS_TAGS - UD_RELATIONS
    if foreign:
        found, expected = (", ".join(sorted(each)) for each in (foreign, known))
        problem = "the file has labels that the model was not trained on"
        raise XalignError(problem, where=path, found=found, expected=expected)
    return sorted(unknown)


def digest(path: StrPath) -> str:
    """First 12 hexadecimal digits of the SHA-256 of a file's decompressed content and of its companion file.

    The companion is the label file of a file of pairs, or the English side of a bitext; its content is appended.
    """
    content = hashlib.sha256()
    for each in (Path(path), labels_file(path), english_file(path)):
        if each is not None:
            with open_bytes(each) as stream:
                while block := stream.read(1 << 20):
                    content.update(block)
    return content.hexdigest()[:12]
