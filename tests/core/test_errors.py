import errno
import gzip

import pytest

from xalign_fairseq.core.errors import (
    Command,
    Finding,
    Parameter,
    XalignError,
    check_values,
    command_line_text,
    exit_code,
    is_disk_error,
)


def test_messages_start_on_new_lines():
    error = XalignError("the sides differ", remedy="look again", found=[1, 2], where="a.en", expected=0)
    assert str(error) == "the sides differ\n  where: a.en\n  found: [1, 2]\n  expected: 0\n  next: look again"
    assert error.problem == "the sides differ"
    assert isinstance(error, ValueError)


def test_parameters_and_commands_are_flags_only_on_a_command_line():
    error = XalignError(
        "a pointer needs jointly encoded pairs",
        where="model.pt",
        parameter=("encoding", "use_maps"),
        expected=Parameter("encoding", "joint"),
        remedy=("run", Command("prepare", "DATA", Parameter("overwrite")), "first"),
    )
    assert str(error).split("\n")[1:] == [
        "  where: model.pt, encoding, use_maps",
        "  expected: encoding='joint'",
        "  next: run the command prepare with DATA overwrite first",
    ]
    assert command_line_text(error).split("\n")[1:] == [
        "  where: model.pt, --encoding, --use-maps",
        "  expected: --encoding joint",
        "  next: run xalign prepare DATA --overwrite first",
    ]
    assert error.parameters == ("encoding", "use_maps") and error.remedy[1].name == "prepare"


def test_a_long_field_is_shortened_only_in_the_text():
    found = "a" * 500_000 + "the end"
    error = XalignError(found, where=found, found=(found, Parameter("encoding")), expected=[found], remedy=found)
    text = str(error)
    assert len(text) < 11_000 and text.count("characters) ...") == 5 and text.count("the end") == 5
    assert len(command_line_text(error)) < 11_000 and error.problem == found
    assert str(XalignError("it is so", found="a" * 2000)).endswith("a" * 2000)


def test_the_first_value_without_a_meaning_is_named():
    check_values("no such value", ("a", 1, True, "above 0"))
    with pytest.raises(XalignError) as error:
        check_values("no such value", ("a", 1, True, "above 0"), ("b", -1, False, "0 or more"), ("c", 2, False, "no"))
    assert str(error.value) == "no such value\n  where: b\n  found: -1\n  expected: 0 or more"


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (1, 1)])
def test_a_script_exits_with_the_code_of_its_main(returned, code):
    assert exit_code(lambda: returned) == code


def test_an_error_has_no_traceback(capsys):
    def main():
        raise XalignError("the sides differ", found=3)

    assert exit_code(main) == 2
    assert capsys.readouterr().err == "error: the sides differ\n  found: 3\n"
    with pytest.raises(ZeroDivisionError):
        exit_code(lambda: 1 // 0)


def test_disk_errors_are_distinguished_from_damaged_files():
    for error in (OSError(errno.EIO, "broken"), OSError(errno.ENOSPC, "full")):
        assert is_disk_error(error)
    for error in (gzip.BadGzipFile("bytes"), OSError(errno.EINVAL, "outside"), ValueError("bytes"), None):
        assert not is_disk_error(error)


def test_further_lines_are_indented():
    assert Finding("ok", "Python", "3.11").line() == "  ok    Python: 3.11"
    found = Finding("WRONG", "torch", "2.5; >=2.6 is needed\nnext: pip install torch\nor leave it")
    assert found.line().splitlines() == [
        "  WRONG torch: 2.5; >=2.6 is needed",
        "        next: pip install torch",
        "        or leave it",
    ]
    assert {Finding(level, "x", "").line().index("x") for level in ("ok", "note", "WRONG")} == {8}


def test_an_error_names_options():
    error = XalignError("no such layer", parameter="layer", found=9)
    assert Finding("WRONG", "a.pt", error).line().splitlines() == [
        "  WRONG a.pt: no such layer",
        "          where: --layer",
        "          found: 9",
    ]
