"""Dependency trees of a sentence on its translation, by direct correspondence."""

from collections.abc import Mapping, Sequence

from xalign_fairseq.data.labelled.examples import Tree

UNLINKED = "dep"  # the relation of a word that has none by the links


def project_tree(tree: Tree, sources: Mapping[int, int], images: Mapping[int, int], words: int) -> Tree:
    """The tree of a translation.

    The head of a target word is the image of its source word's head (direct correspondence, Hwa et al. 2005), or of
    the nearest ancestor that has another image. Of several target words with one source word the others depend on its
    image. A word without a source depends on the next word to its right that has one, otherwise on the last to its
    left. What is then no tree with one root is repaired by :func:`to_tree`.

    Args:
        tree: of the source.
        sources: the source word of each target word that has one, from 0.
        images: the target word that stands for a source word, from 0.
        words: of the target; at least one.

    Example::

        >>> project_tree(Tree((2, 0), ("det", "root")), {0: 1, 1: 0}, {1: 0, 0: 1}, 2)
        Tree(heads=(0, 1), relations=('root', 'det'))
    """
    heads, relations, depths = [-1] * words, [UNLINKED] * words, [len(tree.heads) + 1] * words
    for j, i in sources.items():
        if (image := images.get(i, j)) != j:
            heads[j] = image + 1
            continue
        relations[j], depths[j], head = tree.relations[i], 0, tree.heads[i]
        while head and images.get(head - 1, j) == j:
            head = tree.heads[head - 1]
        heads[j] = images[head - 1] + 1 if head else 0
        while i >= 0:
            i, depths[j] = tree.heads[i] - 1, depths[j] + 1
    for j in range(words):
        if heads[j] < 0 and sources:
            right = next((k for k in range(j + 1, words) if k in sources), None)
            heads[j] = 1 + (max(k for k in sources if k < j) if right is None else right)
    root = min(range(words), key=lambda j: (heads[j] != 0, depths[j], j))
    return to_tree(heads, relations, root)


def to_tree(heads: Sequence[int], relations: Sequence[str], root: int) -> Tree:
    """A tree whose root is word ``root``, from 0.

    Other words without a head, and the first word of each circle, depend on the root.

    Args:
        heads: of each word, from 1; 0 or less: it has none.
        relations: of each word; ``root`` is that of the root alone.
        root: its number, from 0.

    Example::

        >>> to_tree((2, 1, 0), ("a", "b", "root"), 2).heads
        (3, 1, 0)
    """
    repaired = [0 if word == root else head if head > 0 else root + 1 for word, head in enumerate(heads)]
    reached = {root}
    for start in range(len(repaired)):
        path: list[int] = []
        word = start
        while word not in reached:
            if word in path:  # all that leads into this circle leads to the root now
                repaired[min(path[path.index(word) :])] = root + 1
                break
            path.append(word)
            word = repaired[word] - 1
        reached.update(path)
    names = ["root" if word == root else UNLINKED if each == "root" else each for word, each in enumerate(relations)]
    return Tree(tuple(repaired), tuple(names))
