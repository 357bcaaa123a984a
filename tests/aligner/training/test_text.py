from dataclasses import replace

import pytest

from xalign_fairseq.aligner.training.text import development_set, languages_of
from xalign_fairseq.core.errors import XalignError


def test_a_development_set_is_complete_or_absent():
    assert development_set(None, None, None) is None
    assert development_set("a", "b", "c") == ("a", "b", "c")
    with pytest.raises(XalignError, match=r"not complete[\s\S]*valid_src, valid_tgt, valid_gold[\s\S]*found: a, c\n"):
        development_set("a", None, "c")


def test_languages_by_the_names_of_files():
    assert languages_of("text/train.tok.de", "train.en") == ("de", "en")
    assert languages_of("train.de.gz", "train.en.xz") == languages_of("m.tmx#de", "m.tmx#en") == ("de", "en")
    for src, tgt in (("train", "train.en"), ("a.txt", "b.txt"), ("t.tsv#1", "t.tsv#2")):
        with pytest.raises(XalignError, match=rf"do not show their languages[\s\S]*{src}, {tgt}"):
            languages_of(src, tgt)


def test_the_columns_of_one_table_are_different_texts(run, tmp_path):
    table = tmp_path / "both.tsv"
    table.write_text("ein Haus\ta house\nja\tyes\n")
    both = replace(run, src=f"{table}#1", tgt=f"{table}#2")
    turned = replace(both, src=both.tgt, tgt=both.src)
    assert both.identity("digest", 2) == both.identity("digest", 2) != turned.identity("digest", 2)
