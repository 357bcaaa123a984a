import argparse
import logging
import shutil
from pathlib import Path

import pytest
import torch

from xalign_fairseq.cli import _aligning, align, build_parser, layers, main
from xalign_fairseq.core.errors import Parameter, XalignError
from xalign_fairseq.encoder.pretrained.reading import read_tokenizer
from xalign_fairseq.transport import names
from xalign_fairseq.transport.linking import Linking


@pytest.fixture
def parser():
    """The parser of ``xalign align``."""
    made = argparse.ArgumentParser()
    align.add_arguments(made)
    return made


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("8", (8,)),
        ("-1", (-1,)),
        ("7,8,9", (7, 8, 9)),
        ("6-9", (6, 7, 8, 9)),
        ("0,2-3", (0, 2, 3)),
        ("-2,-1", (-2, -1)),
    ],
)
def test_layers(text, found):
    assert _aligning.layer_list(text) == found
    for wrong in (f"{text}-", "-1-2", "3-3"):
        with pytest.raises(argparse.ArgumentTypeError, match="first-last"):
            _aligning.layer_list(wrong)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        *((_aligning.layer_list, text, "must be a layer, several with commas") for text in ("9-6", "6-6", "x", "")),
        (_aligning.layer_list, "1-1001", "must be at most 1000 layers"),
        *((_aligning.language_pair, text, "must be two languages, such as de-en") for text in ("en", "a-b-c", "-b")),
        *((_aligning.probability, text, "must be a number from 0 to 1, .* found") for text in ("1.5", "nan", "x")),
    ],
)
def test_values_out_of_range_are_refused(read, text, message):
    with pytest.raises(argparse.ArgumentTypeError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ((None, None), None),
        ((("a", "b"), None), ("a", "b")),
        ((None, ("a", "b")), ("a", "b")),
        ((("a", "b"), ("a", "b")), ("a", "b")),
    ],
)
def test_the_languages_of_text_and_maps_agree(given, found):
    assert _aligning.side_languages(*given) == found
    with pytest.raises(XalignError, match=r"differ\n  where: languages, maps\n  found: a-b and b-a"):
        _aligning.side_languages(("a", "b"), ("b", "a"))


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("", "no file"),
        ("--src a", "--src"),
        ("--src a --pairs c", "--src --pairs"),
        ("--src a --tgt b --pairs c", "--src --tgt --pairs"),
        ("a b c", "a b c"),
        (f"a b {__file__}", f"a b {__file__}"),
        ("a b --src a", "a b --src"),
    ],
)
def test_text_is_two_files_or_one(parser, given, found, capsys):
    def files(line):
        args = parser.parse_args(line.split())
        return _aligning.text_files(args.text, args.src, args.tgt, args.pairs)

    assert files("--src a --tgt b") == files("a b") == ("a", "b")
    assert files("--pairs c") == files("c") == ("c",)
    hint = "next: name the output by out='c'" if given == "a b c" else ""
    hint = "next: give two texts, and name the output by out='text.links'" if __file__ in given else hint
    with pytest.raises(XalignError, match=rf"found: {found}\n[\s\S]*{hint}"):
        files(given)
    assert not capsys.readouterr().err
    assert files("a ./a") == ("a", "./a") and "same file" in capsys.readouterr().err


def test_a_table_of_pairs_is_its_columns(parser, tmp_path):
    (tmp_path / "crawl.tsv").touch()
    for given, columns in (("", (1, 2)), ("#4,2", (4, 2))):
        text = f"{tmp_path}/crawl.tsv{given}"
        assert _aligning.text_files([text], None, None, None) == tuple(
            f"{tmp_path}/crawl.tsv#{column}" for column in columns
        )
    assert _aligning.text_files(["none.tsv"], None, None, None) == ("none.tsv",)  # the error then names it


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "pharaoh"),
        ("-o x.HTML", "html"),
        ("-o x.jsonl", "json"),
        ("-o x.scores", "scores"),
        *((f"-o {name}", "pharaoh") for name in ("x", "x.links", "x.Align", "x.txt", "x.a.gz", "x.en-fr", "p/l.017")),
        ("-o x.json --format html", "html"),
        ("-o x.xlsx --format pharaoh", "pharaoh"),
    ],
)
def test_the_format_is_that_of_the_output_s_name(line, expected):
    args = build_parser().parse_args([*["align", "a", "b", "--model", "m"], *line.split()])
    assert align.parse(args).format == expected
    with pytest.raises(XalignError, match=r"next: name JSON lines .jsonl, or set format='json'"):
        align.format_of("x.json")


@pytest.mark.parametrize("name", names.METHODS)
def test_the_arguments_of_a_linking_give_it_again(name, parser):
    odd = {"filter": "itermax-paper", "iterations": 7, "mu": 0.3, "order": "rows-first", "rounds": 4, "alpha": 0.6}
    odd |= {"threshold": 1 / 3, "temperature": 0.07, "growth": 0.9, "scorer": "my scorer.npz"}
    for options in ({}, {option: odd[option] for option in names.METHODS[name]}):
        linking = Linking(name, options, (3, 4), encoding="joint")
        found = _aligning.parse_linking(parser.parse_args(layers.align_words(linking)))
        assert found.finder == linking.finder and (found.layers, found.encoding) == ((3, 4), "joint")


def test_a_warning_of_the_library_names_the_option_of_the_command_line(capsys):
    with _aligning.log_from(logging.NOTSET):
        logging.getLogger("xalign_fairseq.core.text").warning("another segmenter (%s)", Parameter("segment"))
    assert "another segmenter (--segment)" in capsys.readouterr().err


WORDS = "encoder.sentence_encoder.embed_tokens.weight"


@pytest.fixture
def damaged(tiny_state, tmp_path):
    """Write the checkpoint with one non-finite value."""

    def write(name, value, row=0):
        state = {**tiny_state, "model": {**tiny_state["model"]}}
        state["model"][name] = state["model"][name].clone()
        state["model"][name][row] = value
        torch.save(state, tmp_path / "model.pt")
        return str(tmp_path / "model.pt")

    return write


def commands(folder, model):
    sides, on_cpu = ["--src", f"{folder}/text.en", "--tgt", f"{folder}/text.xx"], ["--device", "cpu"]
    return {
        "align": ["align", *sides, "--model", model],
        "processes": ["align", *sides, "--model", model, "--processes", "2", *on_cpu],
        "layers": ["layers", *sides, "--gold", f"{folder}/text.gold", "--model", model],
        "retrieve": ["retrieve", *("--src", f"{folder}/dog", "--tgt", f"{folder}/dog"), "--model", model, *on_cpu],
        "bench": ["bench", "--data", f"{folder}/gold", "--model", model, *on_cpu],
        "statistics": ["align", *sides, "--model", model, "--statistics", "--out", f"{model}.links"],
    }


@pytest.mark.parametrize("command", ["align", "processes", "layers", "retrieve", "bench", "statistics"])
def test_a_damaged_model(damaged, tiny_text, capsys, command):
    layer = 1 if command == "bench" else 2
    model = damaged(
        f"encoder.sentence_encoder.layers.{layer - 1}.fc1.weight", torch.inf if command == "layers" else torch.nan
    )
    # align and bench read the model's labelling layer, the first
    (tiny_text / "dog").write_text("the dog\nthe house\n")
    (tiny_text / "gold").mkdir(exist_ok=True)
    for end in ("en", "xx", "gold"):
        shutil.copy(tiny_text / f"text.{end}", tiny_text / f"gold/en-xx.{end}")
    extra = {"align": ["--layer", "2"], "processes": ["--layer", "2"], "statistics": ["--layer", "2"]}.get(command, [])
    assert main([*commands(tiny_text, model)[command], *extra]) == 2
    told = capsys.readouterr()
    assert "hidden states are not finite" in told.err and model in told.err and f"layer {layer}" in told.err
    assert told.out == "" and not Path(f"{model}.links").exists()


def test_one_word_that_overflows(damaged, tiny_text, tiny_checkpoint, capsys):
    tokenizer = read_tokenizer(tiny_checkpoint)
    sides = [(tiny_text / name).read_text().splitlines() for name in ("text.en", "text.xx")]
    tokens = [{token for line in pair for token in tokenizer.encode(line)} for pair in zip(*sides, strict=True)]
    token = tokenizer.encode(sides[0][0])[0]
    bad = [row for row, found in enumerate(tokens) if token in found and all(side[row] for side in sides)]
    assert main([*commands(tiny_text, damaged(WORDS, torch.inf, row=token))["align"], "--dtype", "float32"]) == 0
    told = capsys.readouterr()
    assert f"{len(bad)} with hidden states that are not finite" in told.err
    assert told.err.count("a pair has non-finite hidden states") == len(bad) and sides[0][bad[0]][:20] in told.err
    written = told.out.splitlines()
    assert len(written) == len(tokens) > len(bad) and not any(written[row] for row in bad)
