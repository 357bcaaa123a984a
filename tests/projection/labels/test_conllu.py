import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.conllu import read_trees
from xalign_fairseq.projection.labels.conllu import Treebank
from xalign_fairseq.projection.units import Annotated

SOURCE = """# sent_id = a
1	the	the	DET	DT	Definite=Def	2	det	_	_
2	house	house	NOUN	NN	Number=Sing	3	nsubj	_	_
3	sleeps	sleep	VERB	VB	_	0	root	_	SpaceAfter=No
4	.	.	PUNCT	.	_	3	punct	_	_

"""
TARGET = """# sent_id = b
# text = Im Haus!
1-2	Im	_	_	_	_	_	_	_	_
1	in	in	ADP	A	_	3	case	_	_
2	dem	der	_	_	_	_	_	_	_
3	Haus	Haus	_	_	_	_	_	_	SpaceAfter=No
4	!	!	_	_	_	_	_	_	_

"""


@pytest.fixture
def units(tmp_path):
    def read(source, target, name="b.conllu"):
        (tmp_path / "a.conllu").write_text(source)
        (tmp_path / name).write_text(target)
        return list(Treebank(Annotated(str(tmp_path / "a.conllu"), str(tmp_path / name))).pieces())

    return read


def test_tags_features_and_heads_follow_the_links_and_the_words_stay(units):
    [unit] = units(SOURCE, TARGET)
    projected = unit.project({(0, 1): 0.9, (1, 2): 0.8, (2, 2): 0.7})
    assert projected.text.splitlines() == [
        "# sent_id = b",
        "# text = Im Haus!",
        "1-2\tIm\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tin\tin\tX\t_\t_\t2\tdep\t_\t_",
        "2\tdem\tder\tDET\t_\tDefinite=Def\t3\tdet\t_\t_",
        "3\tHaus\tHaus\tNOUN\t_\tNumber=Sing\t0\troot\t_\tSpaceAfter=No",
        "4\t!\t!\tPUNCT\t_\t_\t3\tpunct\t_\t_",
        "",
    ]
    assert projected.placed == 2 and [each.item for each in projected.dropped] == ["word 1 in", "word 4 !"]


def test_a_translation_in_plain_text_becomes_a_treebank(units, tmp_path):
    [unit] = units(SOURCE, "das Haus schläft .\n", "b.txt")
    text = unit.project({(i, i): 1.0 for i in range(4)}).text
    (tmp_path / "c.conllu").write_text(text)
    [example] = read_trees(tmp_path / "c.conllu", "de")
    assert example.words == ("das", "Haus", "schläft", ".") and example.upos == ("DET", "NOUN", "VERB", "PUNCT")
    assert example.tree.heads == (2, 3, 0, 3) and text.startswith("# sent_id = 1\n# text = das Haus schläft .\n")


def test_an_empty_translation_has_no_words(units):
    [unit] = units(SOURCE, "\n", "b.txt")
    assert unit.project({}).text == "# sent_id = 1\n# text = \n\n"


def test_a_tree_that_is_not_valid_is_counted_and_leaves_its_translation_bare(units):
    broken = SOURCE.replace("\t0\troot", "\t2\troot")
    _, unit = units(SOURCE + broken, TARGET + TARGET)
    projected = unit.project({(0, 0): 1.0})
    assert "one root" in projected.dropped[0].reason and unit.where.endswith("a.conllu, line 7")
    assert projected.text == TARGET and not unit.needs_links
    with pytest.raises(XalignError, match="one root"):
        units(broken, TARGET)


def test_another_number_of_sentences_is_an_error(units):
    with pytest.raises(XalignError, match=r"number of sentences[\s\S]*b.conllu has only 1"):
        units(SOURCE * 2, TARGET)
    with pytest.raises(XalignError, match=r"number of sentences[\s\S]*a.conllu has only 1"):
        units(SOURCE, "a\nb\n", "b.txt")
