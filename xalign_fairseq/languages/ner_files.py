"""Named entities in derived languages: tags move with their words, and each entity begins with B- (ALIGN-MLM, G.1)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import StrPath
from xalign_fairseq.data.labelled.conllu import read_tagged_words
from xalign_fairseq.data.labelled.examples import WordsExample
from xalign_fairseq.evaluation.tagging import entities
from xalign_fairseq.languages.sentence import Sentence, SyntaxTree, Transformation

OUTSIDE = "O"


def read(path: StrPath, language: str) -> list[WordsExample]:
    """Read ``word TAB tag`` lines as in PAN-X (or only words), and check that the tags are BIO."""
    sentences = read_tagged_words(path, language)
    for sentence in sentences:
        for word, tag in zip(sentence.words, sentence.tags or (), strict=False):
            if tag != OUTSIDE and not (tag[:2] in ("B-", "I-") and len(tag) > 2):
                problem, where = "a tag is not BIO", f"{path}, sentence {sentence.id}, word {word}"
                raise XalignError(problem, where=where, found=tag, expected="O, or B- or I- and the kind of the entity")
    return sentences


def derive(
    sentences: Iterable[WordsExample], transform: Transformation, trees: Sequence[SyntaxTree] | None = None
) -> tuple[list[WordsExample], dict[str, int]]:
    """The derived sentences, and counts of ``entities``, split entities (``torn``) and the ``pieces`` of these.

    Each run of words of an entity becomes an entity. Neighbouring entities stay separate.
    """
    derived, counts = [], {"entities": 0, "torn": 0, "pieces": 0}
    for key, example in enumerate(sentences):
        sentence = transform(Sentence.natural(example.words, trees[key] if trees else None), key)
        tags = None
        if example.tags is not None:
            numbers = sentence.move(_numbers(example.tags))
            tags = tuple(
                OUTSIDE if not number else f"{'I' if number == before else 'B'}-{tag[2:]}"
                for (before, number), tag in zip(pairwise([0, *numbers]), sentence.move(example.tags), strict=True)
            )
            _count(numbers, tags, counts)
        derived.append(replace(example, words=sentence.forms, tags=tags))
    return derived, counts


def lines(sentences: Iterable[WordsExample]) -> Iterator[str]:
    """The lines of a file that :func:`read` reads, without line ends."""
    for sentence in sentences:
        if sentence.tags is None:
            yield from sentence.words
        else:
            yield from map("\t".join, zip(sentence.words, sentence.tags, strict=True))
        yield ""


def _numbers(tags: Sequence[str]) -> list[int]:
    """For each word the number of its entity, from 1; 0 outside."""
    numbers = [0] * len(tags)
    for number, (_, start, end) in enumerate(entities(tags), 1):
        numbers[start:end] = [number] * (end - start)
    return numbers


def _count(numbers: Sequence[int], tags: Sequence[str], counts: dict[str, int]) -> None:
    runs = Counter(number for number, tag in zip(numbers, tags, strict=True) if tag[0] == "B")
    torn = [count for count in runs.values() if count > 1]
    counts["entities"] += len(runs)
    counts["torn"] += len(torn)
    counts["pieces"] += sum(torn)
