#!/usr/bin/env python3
"""Train a tagger and parser on treebanks, and parse text with it into CoNLL-U.

usage: parse_text.py train MODEL TREEBANK [TREEBANK ...] [--test TREEBANK] [--epochs 20] [--seed 1]
       parse_text.py parse MODEL TEXT OUT.conllu [--pairs]

Treebanks are CoNLL-U, gzipped or not. TEXT has one sentence per line, words separated by spaces. With --pairs it has
pairs of texts with labels, like XNLI; both texts are parsed in turn, split as in xalign derive. OUT has each
sentence with UPOS, HEAD and DEPREL (universal relations). OUT is written completely or not at all.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import islice

import torch
from lstm_parser import Parse, Parser, train

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.files import atomic_write
from xalign_fairseq.core.progress import progress
from xalign_fairseq.core.text.lines import read_lines, split_words
from xalign_fairseq.data.labelled.conllu import read_trees
from xalign_fairseq.data.labelled.examples import TreeExample
from xalign_fairseq.evaluation.parsing import LAS, LAS_ALL, UAS, UAS_ALL, GoldTree
from xalign_fairseq.evaluation.tagging import TOKEN_ACCURACY
from xalign_fairseq.languages import nli_files

BLOCK = 8192


def read_treebank(path: str) -> list[TreeExample]:
    """The sentences of a treebank; each must have a tree."""
    examples = read_trees(path, "")
    without = [example.id for example in examples if example.tree is None]
    if without:
        raise XalignError(
            "sentences have no tree", where=path, found=", ".join(without[:3]), expected="HEAD and DEPREL"
        )
    return examples


def read_pairs(path: str) -> Iterator[list[str]]:
    """The words of each text of each pair, in the order in which ``xalign derive`` expects their trees."""
    for number, words in enumerate(nli_files.sentences(nli_files.read(path, "en"))):
        if not words:
            raise XalignError("a text of a pair has no word", where=f"{path}, pair {number // 2 + 1}")
        yield words


def read_words(path: str) -> Iterator[list[str]]:
    """The words of each line."""
    for number, line in enumerate(read_lines(path), 1):
        words = split_words(line)
        if not words:
            raise XalignError("a line has no word", where=f"{path}, line {number}", expected="one sentence per line")
        yield words


def score(parser: Parser, examples: Sequence[TreeExample]) -> dict[str, float]:
    """UPOS accuracy and attachment scores in %."""
    parses = parser.parse([each.words for each in examples])
    golds = [GoldTree(each.tree.heads, each.tree.relations, each.upos) for each in examples if each.tree]
    trees = [(heads, relations) for _, heads, relations in parses]
    scores = {metric.name: metric.score(metric.counts(golds, trees, "")) for metric in (UAS, LAS, UAS_ALL, LAS_ALL)}
    tags = TOKEN_ACCURACY.counts([list(each.upos) for each in examples], [upos for upos, _, _ in parses], "")
    return {"upos": 100 * TOKEN_ACCURACY.score(tags)} | {name: 100 * value for name, value in scores.items()}


def conllu(number: int, words: Sequence[str], parse: Parse) -> str:
    """The lines of a sentence, and an empty line."""
    rows = [f"# sent_id = {number}"]
    for k, (word, upos, head, relation) in enumerate(zip(words, *parse, strict=True), 1):
        rows.append(f"{k}\t{word}\t_\t{upos}\t_\t_\t{head}\t{relation}\t_\t_")
    return "\n".join(rows) + "\n\n"


def run_train(args: argparse.Namespace) -> None:
    examples = [example for path in args.treebank for example in read_treebank(path)]
    test = read_treebank(args.test) if args.test else []
    with progress(total=args.epochs, unit=" epochs") as bar:
        parser = train(examples, args.epochs, args.seed, bar.update)
    print(f"{len(examples)} sentences to train on", end="")
    print("".join(f", {name} {value:.2f}" for name, value in score(parser, test).items()) if test else "")
    with atomic_write(args.model, "wb") as out:
        torch.save({"names": parser.names, "parameters": parser.state_dict()}, out)


def run_parse(args: argparse.Namespace) -> None:
    state = torch.load(args.model, weights_only=True)
    parser = Parser(state["names"])
    parser.load_state_dict(state["parameters"])
    sentences, number = (read_pairs if args.pairs else read_words)(args.text), 0
    with atomic_write(args.out) as out, progress(unit=" sentences") as bar:
        while block := list(islice(sentences, BLOCK)):
            for words, parse in zip(block, parser.parse(block), strict=True):
                number += 1
                out.write(conllu(number, words, parse))
            bar.update(len(block))
    print(f"{number} sentences parsed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    training = commands.add_parser("train")
    training.add_argument("model")
    training.add_argument("treebank", nargs="+")
    training.add_argument("--test")
    training.add_argument("--epochs", type=int, default=20)
    training.add_argument("--seed", type=int, default=1)
    training.set_defaults(run=run_train)
    parsing = commands.add_parser("parse")
    parsing.add_argument("model")
    parsing.add_argument("text")
    parsing.add_argument("out")
    parsing.add_argument("--pairs", action="store_true")
    parsing.set_defaults(run=run_parse)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
