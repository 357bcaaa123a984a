from hypothesis import given
from hypothesis import strategies as st

from xalign_fairseq.data.labelled.examples import Tree
from xalign_fairseq.projection.labels.trees import project_tree, to_tree


@st.composite
def trees(draw, most=8):
    """Any tree: each word depends on one that was drawn before it."""
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
    order = data.draw(st.permutations(range(len(tree.heads))))  # the place of each source word
    projected = project_tree(tree, {j: i for i, j in enumerate(order)}, dict(enumerate(order)), len(order))
    for i, j in enumerate(order):
        assert projected.heads[j] == (order[tree.heads[i] - 1] + 1 if tree.heads[i] else 0)
        assert projected.relations[j] == tree.relations[i]


@given(trees(), st.integers(1, 8), st.data())
def test_any_links_give_a_tree_with_one_root(tree, words, data):
    source_words, target_words = st.integers(0, len(tree.heads) - 1), st.integers(0, words - 1)
    sources = data.draw(st.dictionaries(target_words, source_words))
    images = data.draw(st.dictionaries(source_words, target_words))
    projected = project_tree(tree, sources, images, words)
    assert is_tree(projected) and len(projected.heads) == words
    assert [word for word, each in enumerate(projected.relations) if each == "root"] == [projected.heads.index(0)]


@given(st.lists(st.integers(-1, 7), min_size=8, max_size=8), st.integers(0, 7))
def test_any_heads_become_a_tree_and_a_tree_stays(heads, root):
    tree = to_tree(heads, ["x"] * 8, root)
    assert is_tree(tree) and tree.heads[root] == 0
    assert to_tree(tree.heads, tree.relations, root) == tree


def test_a_circle_is_cut_at_its_first_word():
    assert to_tree((2, 3, 1, 0), ["a", "b", "c", "root"], 3).heads == (4, 3, 1, 0)


def test_words_without_links_hang_on_their_neighbours_and_ancestors_stand_in():
    # a <- b <- c, of which b has no image: c's image depends on a's; the second target word has no source
    tree = Tree((0, 1, 2), ("root", "x", "y"))
    projected = project_tree(tree, {0: 2, 2: 0}, {2: 0, 0: 2}, 4)
    assert projected == Tree((3, 3, 0, 3), ("y", "dep", "root", "dep"))
