import re

import pytest

from xalign_fairseq.cli import build_parser, command_modules, main
from xalign_fairseq.cli._parser import EXAMPLES, CommandParser, overview


@pytest.fixture
def parser():
    """A parser with an option of each kind."""
    made = CommandParser(prog="xalign make")
    made.add_argument("--model", required=True, metavar="MODEL", help="what is read")
    made.add_argument("--out", required=True, metavar="DIR", help="what is written")
    made.add_argument("--top", type=int, default=20, help="how many")
    made.add_argument("--seed", type=int, default=1, help="of the draw (default: 1)")
    made.add_argument("--overwrite", action="store_true", help="replace")
    made.usage = made.short_usage()
    return made


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--modle", "a"), "there is no option --modle; did you mean --model?"),
        (("--modle=a",), "there is no option --modle; did you mean --model?"),
        (("--mod", "a"), "there is no option --mod; did you mean --model?"),
        (("--nothing", "a", "b"), "there is no option --nothing"),
        (("-model", "a"), "there is no option -model; did you mean --model?"),
        (("--model", "a", "--out", "b", "c"), "unexpected argument: c"),
        (("--out", "b", "c"), "unexpected argument: c; did you mean --model c?"),
        (("--model", "a"), "--out must be given"),
        ((), "--model and --out must be given"),
        (("--model", "a", "--out", "b", "--top", "x"), "argument --top: invalid int value: 'x'"),
    ],
)
def test_an_error_is_one_message_below_the_commands_own_usage(parser, capsys, given, message):
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args(given)
    assert capsys.readouterr().err == (
        "usage: xalign make --model MODEL --out DIR [options]\n"
        f"xalign make: error: {message}\n  next: xalign make --help\n"
    )
    assert parser.parse_args(["--model", "a", "--out", "b"]).out == "b"  # an error leaves no traces


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("project a.html b.txt", "; did you mean --src a.html --tgt b.txt?"),
        ("score a.links b.gold", "; did you mean --hyp a.links --gold b.gold?"),
        ("train --lr 1 data", "; options of fairseq-train come after DATA"),
        ("align a b --min-score 1", "; it is an option of xalign filter\n"),
    ],
)
def test_bare_words_and_options_before_the_data_get_a_hint(capsys, given, meant):
    with pytest.raises(SystemExit, match="2"):
        build_parser().parse_args(given.split())
    assert meant in capsys.readouterr().err


def test_an_unknown_command_gets_suggestions(capsys):
    parser = CommandParser(prog="xalign")
    commands = parser.add_subparsers(dest="command", prog="xalign")
    for name in ("align", "untrim", "trim"):
        commands.add_parser(name)
    for given, told in (("aling", "; did you mean align?"), ("utrim", "; did you mean untrim or trim?"), ("zz", "")):
        with pytest.raises(SystemExit, match="2"):
            parser.parse_args([given])
        assert f"xalign: error: there is no command {given}{told}\n" in capsys.readouterr().err


def test_help_is_also_a_command(capsys):
    told = []
    for line in ("help", "--help", "help align", "align --help"):
        with pytest.raises(SystemExit, match="0"):
            main(line.split())
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] != told[2] == told[3]


def test_help_has_each_default_once(parser):
    text = parser.format_help()
    assert re.search(r"--top TOP +how many \(default: 20\)\n", text)
    assert re.search(r"--seed SEED +of the draw \(default: 1\)\n", text)
    assert re.search(r"--overwrite +replace\n", text)
    assert text.startswith("usage: xalign make --model MODEL --out DIR [options]\n")


@pytest.mark.parametrize("name", command_modules())
def test_defaults_of_every_command_can_be_typed(name):
    made = CommandParser(prog=name)
    command_modules()[name].add_arguments(made)
    assert not re.search(r"default: *[()\[{<]|default: None", made.format_help())


def test_paragraphs_are_as_wide_as_the_terminal_and_commands_as_they_are(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    line = "xalign make --model a-rather-long-name.pt --out b"
    text = CommandParser(prog="x", description=f"{'word ' * 20}\n\nnext\n\nExample:\n  {line}").format_help()
    assert max(len(each) for each in text.split("\n") if "xalign make" not in each) <= 40
    assert f"Example:\n  {line}\n" in text and "\n\nnext\n\n" in text


def test_every_command_has_a_group_and_fits_a_line():
    summaries = {name: (module.__doc__ or "").split("\n")[0] for name, module in command_modules().items()}
    text = overview(summaries)
    for name, summary in summaries.items():
        assert text.count(f"\n    {name} ") == 1 and summary.endswith(".")
    assert max(map(len, text.split("\n")[2:])) <= 100
    assert all(f"\n  {line}\n" in text for line in EXAMPLES)
