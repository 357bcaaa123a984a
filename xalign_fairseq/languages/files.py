"""Files of a natural language and their derived files: text as bitext with exact links, and labelled data."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.progress import progress
from xalign_fairseq.core.text.corpus import scan
from xalign_fairseq.core.text.lines import split_words
from xalign_fairseq.data.labelled.conllu import ConlluSentence, is_named_conllu, read_sentences
from xalign_fairseq.languages import conllu_files, ner_files, nli_files
from xalign_fairseq.languages.sentence import Sentence, SyntaxTree, Transformation, unbroken
from xalign_fairseq.links.pharaoh import format_links

KINDS = ("text", "conllu", "ner", "nli")
# Kind of labelled data -> how to derive it and to write its lines.
_LABELLED: dict[str, tuple[Callable[..., Any], Callable[..., Iterator[str]], str]] = {
    "conllu": (conllu_files.derive, conllu_files.lines, "conllu"),
    "ner": (ner_files.derive, ner_files.lines, "tsv"),
    "nli": (nli_files.derive, nli_files.lines, "tsv"),
}


@dataclass(frozen=True)
class Source:
    """A checked input file: the sentences of a text, read on demand, with their number if known; or labelled data."""

    kind: str
    name: str
    path: str
    content: Any
    trees: Sequence[SyntaxTree] | None = None
    length: int | None = None


def open_source(kind: str, name: str, path: str, language: str, with_trees: bool) -> Source:
    """Check a file, and its trees if the transformation needs them."""
    trees = None
    if kind == "text" and not is_named_conllu(path):
        if with_trees:
            problem = "plain text has no trees, which the syntax step needs"
            raise XalignError(problem, where=path, expected="a file named .conllu")
        text = scan(path)
        lines = (line for part in text.parts() for line in part.read())
        return Source(kind, name, path, (Sentence.natural(split_words(line)) for line in lines), length=text.lines)
    if kind == "text":
        return Source(kind, name, path, _sentences(path, with_trees))
    content: Any
    if kind == "conllu":
        content = list(_with_trees(conllu_files.read(path), with_trees))
    elif kind == "ner":
        content = ner_files.read(path, language)
        trees = conllu_files.trees_next_to(path, [each.words for each in content]) if with_trees else None
    else:
        content = nli_files.read(path, language)
        trees = conllu_files.trees_next_to(path, nli_files.sentences(content)) if with_trees else None
    return Source(kind, name, path, content, trees)


def derive_source(
    source: Source, folder: Path, src: str, tgt: str, transform: Transformation, quiet: bool = False
) -> dict[str, int]:
    """Write the derived files of one source: text as bitext with exact links, labelled data; return their counts."""
    if source.kind == "text":
        unit = " lines"
        with progress(source.content, desc=source.name, total=source.length, unit=unit, quiet=quiet) as bar:
            return _write_bitext(bar, folder / f"{source.name}.{src}-{tgt}", src, tgt, transform)
    derive, lines, suffix = _LABELLED[source.kind]
    with progress(source.content, desc=source.name, unit=" sentences", quiet=quiet) as bar:
        trees = {} if source.kind == "conllu" else {"trees": source.trees}
        derived, counts = derive(bar, transform, **trees)
    _write_lines(folder / f"{source.name}.{tgt}.{suffix}", lines(derived))
    if source.kind == "nli":
        _write_lines(folder / f"{source.name}.{src}.{suffix}", lines(source.content))
    return {"sentences": len(derived), **counts}


def _write_bitext(
    sentences: Iterable[Sentence], prefix: Path, src: str, tgt: str, transform: Transformation
) -> dict[str, int]:
    counts = {"sentences": 0, "empty": 0, "words": 0, "words that moved": 0}
    names = [f"{prefix}.{suffix}" for suffix in (src, tgt, "links")]
    with ExitStack() as stack:
        streams = [stack.enter_context(open(name, "w", encoding="utf-8", newline="\n")) for name in names]
        for key, natural in enumerate(sentences):
            derived = transform(natural, key)
            lines = " ".join(derived.source), " ".join(derived.forms), format_links(derived.links)
            for stream, line in zip(streams, lines, strict=True):
                stream.write(line + "\n")
            counts["sentences"] += 1
            counts["empty"] += not derived.source
            counts["words"] += len(derived.source)
            counts["words that moved"] += sum(i != k for i, k in derived.links)
    return counts


def _sentences(path: str, with_trees: bool) -> Iterator[Sentence]:
    """The sentences of CoNLL-U as text; a space within a word becomes U+200B, because spaces separate words."""
    for each in _with_trees(read_sentences(path), with_trees):
        natural = conllu_files.natural(each)
        yield Sentence.natural([unbroken(word) for word in natural.source], natural.tree)


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{line}\n" for line in lines)


def _with_trees(sentences: Iterable[ConlluSentence], required: bool) -> Iterator[ConlluSentence]:
    """The sentences; an error at the first one without a tree if trees are required."""
    for sentence in sentences:
        if required and sentence.tree() is None:
            problem = "a sentence has no tree, which the syntax step needs"
            raise XalignError(problem, where=sentence.where, expected="heads and relations in columns 7 and 8")
        yield sentence
