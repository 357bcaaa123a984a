"""What is a label in each kind of example."""

from xalign_fairseq.labelled.examples import Example, PairExample, QuestionExample, Tree, TreeExample, WordsExample


def label_of(example: Example) -> str | tuple[str, ...] | Tree | tuple[tuple[str, int], ...] | None:
    """An example's label, in whatever form it has; ``None`` if it has none."""
    match example:
        case PairExample():
            return example.label
        case WordsExample():
            return example.tags
        case TreeExample():
            return example.tree
        case QuestionExample():
            return example.answers


def classes_of(example: Example) -> tuple[str, ...]:
    """The classes that an example's label is made of; those of questions have none."""
    match example:
        case PairExample():
            return () if example.label is None else (example.label,)
        case WordsExample():
            return example.tags or ()
        case TreeExample():
            return () if example.tree is None else example.tree.relations
        case QuestionExample():
            return ()
