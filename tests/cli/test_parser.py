"""The parser of a command: what is unknown, missing or of old, and what help and errors say."""

import re

import pytest

from xalign_fairseq.cli._parser import CommandParser, also_named, also_placed


@pytest.fixture
def parser():
    """One with an option of each kind."""
    made = CommandParser(prog="xalign make")
    one = made.add_argument("--model", required=True, metavar="MODEL", help="what is read")
    out = made.add_argument("--out", required=True, metavar="DIR", help="what is written")
    also_named(made, one, "--checkpoint")
    also_placed(one, out)
    made.add_argument("--top", type=int, default=20, help="how many")
    made.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")
    made.add_argument("--overwrite", action="store_true", help="replace")
    made.usage = made.short_usage()
    return made


@pytest.mark.parametrize(
    "given",
    [
        ("--model", "a", "--out", "b", "--overwrite"),
        ("--checkpoint", "a", "--out", "b", "--overwrite"),
        ("--checkpoint=a", "--out", "b", "--overwrite"),
        ("a", "b", "--overwrite"),
        ("a", "--overwrite", "b"),
        ("--overwrite", "b", "--model", "a"),
        ("a", "--out", "b", "--overwrite"),
    ],
)
def test_names_and_places_of_old_still_work(parser, given):
    found = parser.parse_args(given)
    assert (found.model, found.out, found.overwrite, found.top) == ("a", "b", True, 20)


def test_all_words_go_to_an_option_that_takes_several():
    parser = CommandParser(prog="xalign make")
    also_placed(parser.add_argument("--model", required=True, nargs="+", action="extend"))
    assert parser.parse_args(["a", "b"]).model == ["a", "b"]
    assert parser.parse_args(["--model", "a", "--model", "b", "c"]).model == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--modle", "a"), "there is no option --modle; did you mean --model?"),
        (("--modle=a",), "there is no option --modle; did you mean --model?"),
        (("--nothing", "a", "b"), "there is no option --nothing"),
        (("a", "b", "c"), "it is not clear what this is for: c"),
        (("a",), "--out must be given"),
        ((), "--model and --out must be given"),
        (("a", "b", "--top", "x"), "argument --top: invalid int value: 'x'"),
    ],
)
def test_an_error_is_one_message_below_the_commands_own_usage(parser, capsys, given, message):
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args(given)
    assert capsys.readouterr().err == (
        "usage: xalign make --model MODEL --out DIR [options]\n"
        f"xalign make: error: {message}\n  next: xalign make --help\n"
    )
    assert parser.parse_args(["a", "b"]).out == "b"  # what an error leaves behind does no harm


def test_a_command_that_there_is_not_gets_the_nearest_ones_told(capsys):
    parser = CommandParser(prog="xalign")
    commands = parser.add_subparsers(dest="command", prog="xalign")
    for name in ("align", "untrim", "trim"):
        commands.add_parser(name)
    for given, told in (("aling", "; did you mean align?"), ("utrim", "; did you mean untrim or trim?"), ("zz", "")):
        with pytest.raises(SystemExit, match="2"):
            parser.parse_args([given])
        assert f"xalign: error: there is no command {given}{told}\n" in capsys.readouterr().err


def test_help_has_each_default_once_and_no_names_of_old(parser):
    text = parser.format_help()
    assert re.search(r"--top TOP +how many \(default: 20\)\n", text)
    assert re.search(r"--seed SEED +of the draw \(default: 1\)\n", text)
    assert re.search(r"--overwrite +replace\n", text) and "--checkpoint" not in text
    assert text.startswith("usage: xalign make --model MODEL --out DIR [options]\n")


def test_paragraphs_are_as_wide_as_the_terminal_and_commands_as_they_are(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    line = "xalign make --model a-rather-long-name.pt --out b"
    text = CommandParser(prog="x", description=f"{'word ' * 20}\n\nnext\n\nExample:\n  {line}").format_help()
    assert max(len(each) for each in text.split("\n") if "xalign make" not in each) <= 40
    assert f"Example:\n  {line}\n" in text and "\n\nnext\n\n" in text


def test_an_overview_stands_in_place_of_the_options(parser):
    parser.overview = "all there is"
    assert parser.format_help() == "usage: xalign make --model MODEL --out DIR [options]\n\nall there is\n"
