"""A text becomes a treebank of its words, or no file."""

import pytest

from tests.examples.align_mlm.parsers import parse_text, run_command
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.conllu import read_trees
from xalign_fairseq.languages.derivation import DeriveOptions, derive


@pytest.mark.slow  # trains a parser
def test_text_becomes_a_treebank_of_its_words(trained, monkeypatch):
    monkeypatch.setattr(parse_text, "BLOCK", 7)
    gold = read_trees(trained / "test.conllu", "en")
    text = trained / "text.txt"
    text.write_text("".join(" ".join(each.words) + "\n" for each in gold))
    run_command("parse", trained / "model.pt", text, trained / "out.conllu")

    parsed = read_trees(trained / "out.conllu", "en")  # raises if it is not a tree

    assert [each.id for each in parsed] == [str(number) for number in range(1, 61)]
    assert [each.words for each in parsed] == [each.words for each in gold]
    words = [
        pair
        for one, two in zip(parsed, gold, strict=True)
        for pair in zip(one.upos, one.tree.heads, two.upos, two.tree.heads, strict=True)
    ]
    assert sum(pair[:2] == pair[2:] for pair in words) / len(words) > 0.95


@pytest.mark.slow  # trains a parser
def test_pairs_of_texts_are_parsed_as_they_are_derived(trained, tmp_path):
    """Deriving a language with another syntax from XNLI needs the trees."""
    pairs = tmp_path / "nli-test.en.tsv"
    pairs.write_text("The king sleeps.\tThe dog, sleeps\tneutral\nthe dog\tthe king\tentailment\n")
    run_command("parse", trained / "model.pt", pairs, tmp_path / "nli-test.en.conllu", "--pairs")
    parsed = read_trees(tmp_path / "nli-test.en.conllu", "en")
    assert [" ".join(each.words) for each in parsed] == ["The king sleeps .", "The dog , sleeps", "the dog", "the king"]
    inputs = (("nli", "nli-test", str(pairs)),)
    towards = (str(trained / "train.conllu"),)
    derive(DeriveOptions(str(tmp_path / "derived"), ("syntax",), inputs, towards=towards))
    labels = [line.split("\t")[2] for line in (tmp_path / "derived/nli-test.xx.tsv").read_text().splitlines()]
    assert labels == ["neutral", "entailment"]
    pairs.write_text("the king\t\tneutral\n")
    with pytest.raises(XalignError, match="pair 1"):
        run_command("parse", trained / "model.pt", pairs, tmp_path / "gap.conllu", "--pairs")
