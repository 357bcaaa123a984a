"""Readers of text, markup and labels, with an example of each, for fuzz.py."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Reader:
    """A format: its name, the files of a valid example (the first ``altered`` are altered), and the folder's reader."""

    name: str
    files: dict[str, bytes]
    read: Callable[[Path], Any]
    altered: int = 1


def of_file(name: str, file: str, content: bytes, read: Callable[[Path], Any]) -> Reader:
    """A reader of a single file with this name."""
    return Reader(name, {file: content}, lambda folder: read(folder / file))


def text_readers() -> list[Reader]:
    """Formats of lines, XML and YAML."""
    from xalign_fairseq.aligner.filtering import scored_lines
    from xalign_fairseq.core.text.pairs import open_pairs
    from xalign_fairseq.data.labelled import conllu, sentence_pairs, squad
    from xalign_fairseq.data.tokenizers.dictionary import Dictionary
    from xalign_fairseq.languages import syntax
    from xalign_fairseq.languages.lexicons.adding import read_entries
    from xalign_fairseq.links.gold import read_gold
    from xalign_fairseq.links.linked_text import LinkedText
    from xalign_fairseq.links.pharaoh import read_links
    from xalign_fairseq.trainer.log_rows import read_cost
    from xalign_fairseq.transfer.study import load_study

    rows = [
        (1, "a", "DET", 2, "det"),
        ("2-3", "du", "_", "_", "_"),
        (2, "b", "NOUN", 0, "root"),
        (3, "c", "ADP", 2, "case"),
    ]
    trees = "".join(f"{number}\t{word}\t_\t{tag}\t_\t_\t{head}\t{rel}\t_\t_\n" for number, word, tag, head, rel in rows)
    trees = f"# text = a du\n{trees}\n"
    tei = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><entry><form>'
        '<orth>house</orth></form><sense><cit type="trans"><quote>Haus</quote></cit></sense></entry></body></text>'
        "</TEI>\n"
    )
    question = {"id": "1", "question": "who?", "answers": [{"text": "red", "answer_start": 4}]}
    study = "data: .\nseeds: [1, 2]\ndefaults: {lr: 3e-5, epochs: 2}\ntasks:\n  xnli:\n    languages: [de, fr]\n"
    log = '2026 | train_inner | {"loss": "3.1", "num_updates": "1"}\n| wpb 100.0 | ups 1 | num_updates 3 | lr 1\n'
    log += "done training in 3.1 seconds\n"
    tags = "en:the\tO\nen:Paris\tB-LOC\n\nen:a\tO\n"
    nli = "gold_label\tsentence1\tsentence2\nneutral\ta b\tc d\nentailment\te\tf\n"

    def lines(name: str, content: str, read: Callable[[Path], Any]) -> Reader:
        return of_file(name, "file", content.encode(), read)

    return [
        lines("links (Pharaoh)", "0-0 1p2 2-1\n\n3-3\n", read_links),
        Reader(
            "scores of pairs",
            {"scores": b"0.9\t1\t1\t0.9\t1\t1\t0-0 1-1\n0\t0\t0\t0\t0\t0\t\n", "a": b"x y\nz\n", "b": b"u v\nw\n"},
            lambda folder: list(scored_lines(LinkedText(folder / "a", folder / "b", folder / "scores", table=True))),
        ),
        lines("gold links", "0-0 1p2 2-1\n\n3-3\n", read_gold),
        Reader(
            "text to align",
            {"a": b"the red house\n\nb c\n", "b": b"das rote Haus\nx\ny\n"},
            lambda folder: list(open_pairs(folder / "a", folder / "b")),
            altered=2,
        ),
        lines("dict.txt", "the 10\n▁red 7\nhouse 1\n", Dictionary.load),
        lines("CoNLL-U, tags", trees, lambda path: conllu.read_upos(path, "en")),
        lines("CoNLL-U, trees", trees, lambda path: conllu.read_trees(path, "en")),
        lines("treebank for derived languages", trees, syntax.read_treebank),
        lines("tagged words", tags, lambda path: conllu.read_tagged_words(path, "en")),
        lines("sentence pairs", nli, lambda path: sentence_pairs.read_pairs(path, "en")),
        Reader(
            "bitext for retrieval",
            {"tatoeba.deu-eng.deu": b"das Haus\nrot\n", "tatoeba.deu-eng.eng": b"the house\nred\n"},
            lambda folder: sentence_pairs.read_bitext(folder / "tatoeba.deu-eng.deu", "de"),
            altered=2,
        ),
        lines(
            "SQuAD",
            json.dumps({"data": [{"paragraphs": [{"context": "the red house", "qas": [question]}]}]}),
            lambda path: squad.read_squad(path, "en"),
        ),
        of_file("lexicon, TSV", "a.tsv", b"house\tHaus\t1\nred\trot\n", lambda path: list(read_entries(path))),
        of_file("lexicon, MUSE", "a.txt", b"house Haus\nred rot\n", lambda path: list(read_entries(path))),
        of_file("lexicon, TEI", "a.tei", tei.encode(), lambda path: list(read_entries(path))),
        lines("study (YAML)", study, load_study),
        lines("training log", log, read_cost),
    ]


def annotation_readers() -> list[Reader]:
    """Formats of markup and labels, projected onto a translation."""
    from xalign_fairseq.projection.formats import ANNOTATIONS
    from xalign_fairseq.projection.units import Annotated, Unit

    row = "{}\t{}\t_\tDET\t_\t_\t{}\t{}\t_\t_\n"
    tree = row.format(1, "a", 2, "det") + "2-3\tbc" + "\t_" * 8 + "\n" + row.format(2, "b", 0, "root")
    examples = {
        "conll": "-DOCSTART- O\n\na B-X\nb I-X\n\nc O\n",
        "conllu": f"# text = a b\n{tree}\n{tree}\n",
        "json": json.dumps({"text": "a b", "translation": "b a", "spans": [[0, 1, "X"]]}) + "\n",
        "html": "the <b>red</b> house&amp;<br>a\n\n",
        "xml": "<a x='y'>b</a> <c/>\n&#65;\n",
        "placeholders": "a {0} of %d files\n${a}\n",
        "usfm": "\\id A\n\\c 1\n\\p\n\\v 1 a \\add b\\add*\\f + \\ft c\\f*\n\\q1 d\n\\s e\n",
        "srt": "1\n00:00:01,000 --> 00:00:02,000\n<i>a\nb</i> c\n\n2\n00:00:03,000 --> 00:00:04,000\nd\n",
        "vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n<v A>a <c.x>b</c>\n\n00:03.000 --> 00:04.000\nd\n",
        "xliff": '<xliff><trans-unit><source>a <g id="1">b</g><x id="2"/></source><target>a b</target></trans-unit>'
        "</xliff>",
        "tmx": '<tmx><header srclang="en"/><tu><tuv xml:lang="en"><seg>a <hi>b</hi></seg></tuv><tuv xml:lang="de">'
        "<seg>a b</seg></tuv></tu></tmx>",
    }

    def reading(name: str) -> Callable[[Path], Any]:
        form = ANNOTATIONS[name]

        def read(folder: Path) -> None:
            tgt = None if form.bilingual else str(folder / "tgt")
            for piece in form.read(Annotated(str(folder / "src"), tgt)).pieces():
                if isinstance(piece, Unit):
                    piece.project({(i, i): 1.0 for i in range(min(len(piece.src), len(piece.tgt)))})

        return read

    found = []
    for name, example in examples.items():
        files = {"src": example.encode(), **({} if ANNOTATIONS[name].bilingual else {"tgt": b"a b c\nd\n"})}
        found.append(Reader(f"annotation, {name}", files, reading(name)))
    return found
