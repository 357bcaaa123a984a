import bz2
import lzma

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.text import corpus
from xalign_fairseq.languages.derivation import Inversion
from xalign_fairseq.languages.files import derive_source, open_source

TREE = """\
# text = he sings .
1	he	he	PRON	_	_	2	nsubj	_	_
2	sings	sing	VERB	_	_	0	root	_	_
3	.	.	PUNCT	_	_	2	punct	_	_

"""
BARE = TREE.replace("2\tnsubj", "_\t_").replace("0\troot", "_\t_").replace("2\tpunct", "_\t_")


@pytest.fixture
def derive(tmp_path):
    """A function that writes a file, derives it by inversion, and returns the counts and the written files."""

    def run(kind, name, content, with_trees=False, transform=None):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        source = open_source(kind, "dev", str(tmp_path / name), "en", with_trees)
        counts = derive_source(source, out, "en", "xx", transform or Inversion())
        return counts, {path.name: path.read_text(encoding="utf-8") for path in sorted(out.iterdir())}

    return run


@pytest.mark.parametrize("chunk", [1, 2, 100])
def test_text_becomes_a_bitext_with_exact_links(derive, monkeypatch, chunk):
    monkeypatch.setattr(corpus, "CHUNK_LINES", chunk)
    counts, files = derive("text", "a.en", "he  sings .\n\nred\u00a0house !\n")
    assert files == {
        "dev.en-xx.en": "he sings .\n\nred house !\n",
        "dev.en-xx.xx": "sings he .\n\n! house red\n",
        "dev.en-xx.links": "0-1 1-0 2-2\n\n0-2 1-1 2-0\n",
    }
    assert counts == {"sentences": 3, "empty": 1, "words": 6, "words that moved": 4}


def test_treebanks_entities_and_pairs(derive):
    counts, files = derive("conllu", "a.conllu", TREE)
    assert counts["sentences"] == 1 and "1\tsings\t_\tVERB\t_\t_\t0\troot" in files["dev.xx.conllu"]
    counts, files = derive("ner", "a.tsv", "Ann\tB-PER\nLee\tI-PER\nsings\tO\n\n")
    assert counts == {"sentences": 1, "entities": 1, "torn": 0, "pieces": 0}
    assert files["dev.xx.tsv"] == "sings\tO\nLee\tB-PER\nAnn\tI-PER\n\n"
    counts, files = derive("nli", "b.tsv", "He sings.\tHe's here.\tneutral\n")
    assert counts["sentences"] == 1
    assert files["dev.xx.tsv"] == "sings He .\there He's .\tneutral\n"
    assert files["dev.en.tsv"] == "He sings .\tHe's here .\tneutral\n"  # both languages are split in the same way


@pytest.mark.parametrize("kind", ["text", "conllu"])
def test_sentences_without_a_tree_are_refused_if_trees_are_required(derive, kind):
    counts, _ = derive(kind, "a.CONLLU", TREE + BARE)
    assert counts["sentences"] == 2
    with pytest.raises(XalignError, match=r"no tree, which the syntax step needs\n  where: .*a.conllu.*line"):
        derive(kind, "a.conllu", TREE + BARE, with_trees=True)
    with pytest.raises(XalignError, match=r"plain text has no trees[\s\S]*a.en\n  expected: a file named .conllu"):
        derive("text", "a.en", "a\n", with_trees=True)


@pytest.mark.parametrize(
    ("kind", "content"), [("ner", "he\tO\nsings\tO\n.\tO\n\n"), ("nli", "he sings.\the sings.\tx\n")]
)
def test_other_data_take_their_trees_from_the_file_next_to_them(derive, tmp_path, kind, content):
    trees = []

    def note(sentence, key):
        trees.append(sentence.tree)
        return sentence

    with pytest.raises(XalignError, match=r"a.conllu"):
        derive(kind, "a.tsv", content, with_trees=True)
    treebank = TREE * (2 if kind == "nli" else 1)
    (tmp_path / "a.conllu").write_text(treebank)
    derive(kind, "a.tsv", content, with_trees=True, transform=note)
    assert [tree.heads for tree in trees] == [(1, -1, 1)] * len(trees) and trees
    (tmp_path / "b.conllu.xz").write_bytes(lzma.compress(treebank.encode()))
    derive(kind, "b.tsv.bz2", bz2.compress(content.encode()), with_trees=True, transform=note)
    assert [tree.heads for tree in trees] == [(1, -1, 1)] * len(trees)


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("text", "a\r", "carriage return"),
        ("ner", "Ann\tPER\n\n", "not BIO"),
        ("nli", "one text alone\n", "line 1"),
        ("conllu", "1\ta\n\n", "line 1"),
    ],
)
def test_malformed_files_are_found_before_anything_is_written(derive, tmp_path, kind, content, message):
    with pytest.raises(XalignError, match=message):
        derive(kind, "a.conllu" if kind == "conllu" else "a.tsv", content)
    assert not list((tmp_path / "out").iterdir())
