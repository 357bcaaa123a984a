import pytest
from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.data.labelled.conllu import read_trees
from xalign_fairseq.data.labelled.examples import Tree
from xalign_fairseq.projection.labels.conllu import project_tree, to_tree, treebank
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
        return list(treebank(Annotated(str(tmp_path / "a.conllu"), str(tmp_path / name))))

    return read


def test_tags_features_and_heads_follow_the_links_and_the_words_stay(units):
    [unit] = units(SOURCE, TARGET, "b.CONLLU")
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


def test_a_tree_that_is_not_valid_is_counted_and_leaves_its_translation_bare(units):
    broken = SOURCE.replace("\t0\troot", "\t2\troot")
    _, unit = units(SOURCE + broken, TARGET + TARGET)
    projected = unit.project({(0, 0): 1.0})
    assert "one root" in projected.dropped[0].reason and unit.where.endswith("a.conllu, line 7")
    assert projected.text == TARGET and not unit.needs_links
    with pytest.raises(XalignError, match="one root"):
        units(broken, TARGET)


def test_another_number_of_sentences_is_an_error(units):
    with pytest.raises(XalignError, match=r"numbers of sentences[\s\S]*b.conllu has only 1"):
        units(SOURCE * 2, TARGET)
    with pytest.raises(XalignError, match=r"numbers of sentences[\s\S]*a.conllu has only 1"):
        units(SOURCE, "a\nb\n", "b.txt")


@st.composite
def trees(draw, most=8):
    """A random tree: each word depends on a word drawn before it."""
    words = draw(st.integers(1, most))
    order = draw(st.permutations(range(words)))
    heads = [0] * words
    for place, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, place - 1))] + 1
    return Tree(tuple(heads), tuple("root" if not head else f"r{word}" for word, head in enumerate(heads)))


def is_tree(tree):
    reached = {0}
    for _ in tree.heads:
        reached |= {word for word, head in enumerate(tree.heads, 1) if head in reached}
    return len(reached) == len(tree.heads) + 1 and tree.heads.count(0) == 1


@given(trees(), st.data())
def test_one_to_one_links_move_the_whole_tree(tree, data):
    order = data.draw(st.permutations(range(len(tree.heads))))  # the position of each source word
    projected = project_tree(tree, {j: i for i, j in enumerate(order)}, dict(enumerate(order)), len(order))
    for i, j in enumerate(order):
        assert projected.heads[j] == (order[tree.heads[i] - 1] + 1 if tree.heads[i] else 0)
        assert projected.relations[j] == tree.relations[i]


@given(trees(), st.integers(1, 8), st.data())
def test_any_links_give_a_tree_with_one_root(tree, words, data):
    source_words, target_words = st.integers(0, len(tree.heads) - 1), st.integers(0, words - 1)
    sources = data.draw(st.dictionaries(target_words, source_words))
    projected = project_tree(tree, sources, data.draw(st.dictionaries(source_words, target_words)), words)
    assert is_tree(projected) and len(projected.heads) == words
    assert [word for word, each in enumerate(projected.relations) if each == "root"] == [projected.heads.index(0)]


@given(st.lists(st.integers(-1, 7), min_size=8, max_size=8), st.integers(0, 7))
def test_any_heads_become_a_tree_and_a_tree_is_kept(heads, root):
    tree = to_tree(heads, ["x"] * 8, root)
    assert is_tree(tree) and tree.heads[root] == 0
    assert to_tree(tree.heads, tree.relations, root) == tree


def test_words_without_links_attach_to_neighbours_and_ancestors_replace_missing_heads():
    # a <- b <- c, but b has no image: c's image depends on a's; the second target word has no source
    tree = Tree((0, 1, 2), ("root", "x", "y"))
    assert project_tree(tree, {0: 2, 2: 0}, {2: 0, 0: 2}, 4) == Tree((3, 3, 0, 3), ("y", "dep", "root", "dep"))
