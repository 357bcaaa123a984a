"""Alignments as a program and as a notebook sees them."""

import pickle

from xalign_fairseq.aligner.alignment import MOST_SHOWN, Alignment, Alignments
from xalign_fairseq.aligner.neural.aligner import Alignment as PublicAlignment
from xalign_fairseq.links.pharaoh import parse_line

PAIR = Alignment(["red", "house"], ["maison", "rouge"], {(0, 1): 0.9, (1, 0): 0.8})


def test_a_notebook_shows_its_words_and_links():
    shown = PAIR._repr_html_()
    assert all(f">{word}</span>" in shown for word in ("red", "house", "maison", "rouge"))
    assert "red – rouge, 90%" in shown and shown.count("class='link'") == 2


def test_beside_gold_links_are_told_apart():
    matrix = PAIR.beside(parse_line("0-1 1p1"))
    assert (matrix.src, matrix.tgt, matrix.links) == (PAIR.src, PAIR.tgt, PAIR.links)
    shown = matrix._repr_html_()
    assert "class='link sure' title='red – rouge, 90%, sure'" in shown
    assert "class='possible' title='house – rouge, possible'" in shown


def test_several_are_a_list_of_which_the_first_are_shown():
    pairs = Alignments([PAIR] * (MOST_SHOWN + 2))
    assert pairs == [PAIR] * (MOST_SHOWN + 2) and isinstance(pairs, list)
    shown = pairs._repr_html_()
    assert shown.count("<table") == MOST_SHOWN and "and 2 more" in shown
    assert "more" not in Alignments([PAIR])._repr_html_()
    assert pickle.loads(pickle.dumps(pairs)) == pairs


def test_it_is_found_where_it_was():
    assert PublicAlignment is Alignment
