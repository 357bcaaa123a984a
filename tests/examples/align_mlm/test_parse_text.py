"""The small parser of examples/align_mlm: what it learns, what it writes, and the script that runs it."""

import importlib
import random
import sys

import pytest
import torch
import transfer_data as made_up

from tests.examples.stand_ins import EXAMPLES, run_script
from xalign_fairseq.errors import XalignError
from xalign_fairseq.labelled.conllu import read_trees


@pytest.fixture(scope="module")
def modules():
    """``parse_text`` and ``lstm_parser``, imported as the script does it."""
    sys.path.insert(0, str(EXAMPLES / "align_mlm"))
    try:
        yield importlib.import_module("parse_text"), importlib.import_module("lstm_parser")
    finally:
        sys.path.pop(0)
        for name in ("parse_text", "lstm_parser"):
            sys.modules.pop(name, None)


def write_treebank(path, seed, count):
    rng = random.Random(seed)
    path.write_text(made_up.conllu([made_up.sentence(rng) for _ in range(count)]))
    return path


@pytest.fixture(scope="module")
def trained(modules, tmp_path_factory):
    """The folder of a parser of made-up English, trained by the command; and what the command said."""
    folder = tmp_path_factory.mktemp("parser")
    write_treebank(folder / "train.conllu", 1, 160)
    write_treebank(folder / "test.conllu", 2, 60)
    run_command(modules[0], "train", folder / "model.pt", folder / "train.conllu", "--epochs", 8)
    return folder


def run_command(module, *arguments):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["parse_text.py", *map(str, arguments)])
        module.main()


def load(modules, folder):
    state = torch.load(folder / "model.pt", weights_only=True)
    parser = modules[1].Parser(state["names"])
    parser.load_state_dict(state["parameters"])
    return parser


def test_it_learns_a_grammar(modules, trained):
    scores = modules[0].score(load(modules, trained), modules[0].read_gold(trained / "test.conllu"))
    assert scores["upos"] > 99
    assert scores["uas"] >= scores["las"] > 95


def test_the_same_seed_trains_the_same_parser(modules, trained):
    examples = modules[0].read_gold(trained / "train.conllu")[:40]
    first, second, other = (modules[1].train(examples, 1, seed, lambda _: None).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], each) for name, each in second.items())
    assert not torch.equal(first["tags.weight"], other["tags.weight"])


def test_a_sentence_is_parsed_alone_as_in_a_batch(modules, trained):
    parser = load(modules, trained)
    sentences = [each.words for each in read_trees(trained / "test.conllu", "en")] + [("zyx", "Qq", "!")]
    together, single = parser.parse(sentences), [parser.parse([words])[0] for words in sentences]
    assert together == single == parser.parse(sentences, max_words=12)


def test_text_becomes_a_treebank_of_its_words(modules, trained, monkeypatch):
    monkeypatch.setattr(modules[0], "BLOCK", 7)
    gold = read_trees(trained / "test.conllu", "en")
    text = trained / "text.txt"
    text.write_text("".join(" ".join(each.words) + "\n" for each in gold))
    run_command(modules[0], "parse", trained / "model.pt", text, trained / "out.conllu")

    parsed = read_trees(trained / "out.conllu", "en")  # it refuses what is no tree

    assert [each.id for each in parsed] == [str(number) for number in range(1, 61)]
    assert [each.words for each in parsed] == [each.words for each in gold]
    words = [pair for one, two in zip(parsed, gold, strict=True)
             for pair in zip(one.upos, one.tree.heads, two.upos, two.tree.heads, strict=True)]  # fmt: skip
    assert sum(pair[:2] == pair[2:] for pair in words) / len(words) > 0.95


def test_an_empty_line_is_named_and_nothing_is_left(modules, trained):
    (trained / "gap.txt").write_text("the king sleeps\n \nthe dog\n")
    with pytest.raises(XalignError, match=r"gap\.txt, line 2"):
        run_command(modules[0], "parse", trained / "model.pt", trained / "gap.txt", trained / "gap.conllu")
    assert not list(trained.glob("*gap.conllu*"))


def test_a_treebank_without_trees_is_refused(modules, tmp_path):
    (tmp_path / "flat.conllu").write_text("1\ta\t_\tDET\t_\t_\t_\t_\t_\t_\n\n")
    with pytest.raises(XalignError, match=r"(?s)no tree.*flat\.conllu"):
        run_command(modules[0], "train", tmp_path / "model.pt", tmp_path / "flat.conllu")


@pytest.mark.parametrize(
    ("word", "shape"), [("Miss.", "Xxx."), ("1990s", "ddx"), ("USA", "XX"), ("...", ".."), ("e-Mail", "x-Xxx")]
)
def test_shapes(modules, word, shape):
    assert modules[1].shape(word) == shape


def test_the_script_makes_what_is_missing(tmp_path):
    text, treebank = tmp_path / "english.txt", tmp_path / "en.conllu"
    text.write_text("a\n")
    treebank.write_text("")
    python = '#!/bin/sh\nshift\necho "$*"\ncase "$1" in train) touch "$2" ;; parse) touch "$4" ;; esac\n'
    arguments = ("align_mlm/0_parse.sh", text, tmp_path / "out.conllu", treebank)
    first = run_script(tmp_path, *arguments, instead={"python": python}, TEST=str(treebank), EPOCHS="3")
    model = tmp_path / "parser.pt"
    assert first.stdout.splitlines() == [
        f"train {model} {treebank} --test {treebank} --epochs 3 --seed 1",
        f"parse {model} {text} {tmp_path / 'out.conllu'}",
    ]
    (tmp_path / "out.conllu").unlink()
    assert run_script(tmp_path, *arguments, instead={"python": python}).stdout.startswith("parse ")
    assert run_script(tmp_path, *arguments, instead={"python": python}).stdout == ""


def test_the_script_needs_its_files(tmp_path):
    done = run_script(tmp_path, "align_mlm/0_parse.sh", tmp_path / "none.txt", tmp_path / "out.conllu", tmp_path / "t")
    assert done.returncode == 2 and "TEXT" in done.stderr and "none.txt" in done.stderr
