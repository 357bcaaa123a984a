import io
import json
from contextlib import nullcontext, redirect_stdout
from itertools import zip_longest

import pytest

from xalign_fairseq.aligner.render.page import Page
from xalign_fairseq.core.errors import XalignError, command_line_text
from xalign_fairseq.core.output import BEGINNINGS, Output, complete_lines, require_record

RECORD = {"src": "sha256 1f", "layer": "8"}


@pytest.fixture
def write(tmp_path):
    """A function that writes lines from where an earlier run ended, and fails after some."""

    def run(*lines, broken=False, record=RECORD, resume=False):
        output = Output(str(tmp_path / "links"), record, resume, [])
        with output.open() as stream:
            for line in lines[output.done :]:
                stream.write(f"{line}\n")
            if broken:
                stream.write("half a li")
                stream.flush()
                raise MemoryError
        return output.done

    return run


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_resumed_output_equals_that_of_one_run(write, tmp_path, caplog):
    with pytest.raises(MemoryError):
        write("é", "b", broken=True)
    assert names(tmp_path) == ["links.part", "links.part.json"]
    assert json.loads((tmp_path / "links.part.json").read_text()) == RECORD
    assert f"2 lines are kept in {tmp_path / 'links.part'}; the same command with resume" in caplog.text
    assert write("é", "b", "c", resume=True) == 2
    assert (tmp_path / "links").read_bytes() == "é\nb\nc\n".encode() and names(tmp_path) == ["links"]


@pytest.mark.parametrize("old", [True, False])
def test_a_symbolic_link_is_kept(write, tmp_path, old):
    target = tmp_path / "elsewhere" / "links"
    target.parent.mkdir()
    if old:
        target.write_text("old\n")
    (tmp_path / "links").symlink_to("elsewhere/links")
    with pytest.raises(MemoryError):
        write("a", broken=True)
    assert names(target.parent) == ["links"] * old + ["links.part", "links.part.json"]
    assert write("a", "b", resume=True) == 1
    assert (tmp_path / "links").is_symlink() and target.read_text() == "a\nb\n"
    assert names(target.parent) == ["links"] and names(tmp_path) == ["elsewhere", "links"]


def test_two_runs_never_write_one_output(write, tmp_path):
    with Output(str(tmp_path / "links"), RECORD, False, []).open() as stream:
        stream.write("a\n")
        for resume in (False, True):
            with pytest.raises(XalignError, match="another process is writing this"):
                write("b", resume=resume)
    assert (tmp_path / "links").read_text() == "a\n" and names(tmp_path) == ["links"]


@pytest.mark.parametrize(("resume", "message"), [(False, "unfinished output"), (True, "continued this output")])
def test_an_output_written_between_check_and_work_is_kept(write, tmp_path, resume, message):
    early = Output(str(tmp_path / "links"), RECORD, resume, [])
    with pytest.raises(MemoryError):
        write("a", broken=True)
    with pytest.raises(XalignError, match=message), early.open():
        pass
    assert complete_lines(tmp_path / "links.part")[0] == 1 and names(tmp_path) == ["links.part", "links.part.json"]


def test_an_upgrade_is_named_as_a_version_not_as_an_option(tmp_path):
    with pytest.raises(XalignError) as error:
        require_record(tmp_path, {"xalign_fairseq": "1", "model": "a"}, {"xalign_fairseq": "2", "model": "b"})
    assert "a difference in xalign_fairseq --model\n" in command_line_text(error.value)


def test_without_a_record_nothing_is_kept(write, tmp_path):
    (tmp_path / "links").write_text("mine\n")
    with pytest.raises(MemoryError):
        write("a", broken=True, record=None)
    assert names(tmp_path) == ["links"] and (tmp_path / "links").read_text() == "mine\n"
    assert write("a", record=None) == 0
    assert (tmp_path / "links").read_text() == "a\n"


def test_an_unfinished_output_is_neither_replaced_nor_mixed_with_another(write, tmp_path):
    with pytest.raises(MemoryError):
        write("a", broken=True)
    with pytest.raises(XalignError, match=r"(?s)an unfinished output .*links.part\n  next: continue it with resume"):
        write("a")
    for record, different in (({"layer": "9"}, "src layer"), ({**RECORD, "mu": "1"}, "mu")):
        with pytest.raises(
            XalignError, match=f"options or another[\\s\\S]* in {different}\n.* earlier {different} or "
        ):
            write("a", record=record, resume=True)
    (tmp_path / "links.part.json").unlink()
    with pytest.raises(XalignError, match=r"(?s)record of .* is missing.*links.part.json.*remove .*links.part to"):
        write("a", resume=True)
    assert (tmp_path / "links.part").read_text() == "a\nhalf a li"


def test_resume_starts_without_output_and_keeps_a_complete_one(write, tmp_path):
    assert write("a", resume=True) == 0
    with pytest.raises(XalignError, match="nothing to resume: the output is complete"):
        write("b", resume=True)
    assert (tmp_path / "links").read_text() == "a\n"
    (tmp_path / "links.part.json").touch()  # from a run that was killed before removing it
    with pytest.raises(XalignError, match="nothing to resume"):
        write("b", resume=True)
    assert names(tmp_path) == ["links"]
    assert write("b") == 0 and (tmp_path / "links").read_text() == "b\n"


def test_a_folder_or_an_input_in_the_place_of_the_file(tmp_path):
    with pytest.raises(XalignError, match="the output file is a folder"):
        Output("", RECORD, False, [])
    (tmp_path / "t.tsv").write_text("a\tb\n")
    with pytest.raises(XalignError, match="the output is also an input"):
        Output(str(tmp_path / "t.tsv"), RECORD, False, [f"{tmp_path}/t.tsv#1", f"{tmp_path}/t.tsv#2"])


def test_only_a_file_of_the_same_kind_is_replaced(tmp_path):
    found = ["\n0-0 1p2\n", '{"src": []}\n', "a b\tc\ta = c\n", "0.5\t1.0\n", Page().begin(), "a b\tc\t0-0\n"]
    found += ["place\titem\treason\n", "house Haus 1.0000000\n", "## AER\n", "Guten Tag, <title>\n"]
    for text, own in zip_longest(found, BEGINNINGS):
        (tmp_path / "x").write_text(text)
        for kind in BEGINNINGS:
            with nullcontext() if kind == own != "unknown" else pytest.raises(XalignError, match="another kind of"):
                Output(str(tmp_path / "x"), RECORD, False, [], kind)
    (tmp_path / "x").write_text("\n")
    Output(str(tmp_path / "x"), RECORD, False, [], "html")
    (tmp_path / "x").write_text("\tein Haus\t\n")  # a pair with an empty side
    Output(str(tmp_path / "x"), RECORD, False, [], "words")


def test_a_closed_standard_output_is_an_immediate_error(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(XalignError, match=r"(?s)standard output is closed.*out='FILE'"):
        Output("-", RECORD, False, [])


def test_standard_output(capsys):
    with Output("-", RECORD, False, []).open() as stream:
        stream.write("é\n")
    assert capsys.readouterr().out == "é\n"
    with redirect_stdout(io.StringIO()) as notebook, Output("-", RECORD, False, []).open() as stream:
        stream.write("é\n")
    assert notebook.getvalue() == "é\n"


@pytest.mark.parametrize("block", [1, 2, 3, 100])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", (0, 0)),
        (b"a", (0, 0)),
        (b"\n", (1, 1)),
        (b"ab\ncd", (1, 3)),
        (b"ab\n\ncd\n", (3, 7)),
        (b"\xc3\xa9\nx", (1, 3)),
    ],
)
def test_lines_that_have_their_break(tmp_path, monkeypatch, block, content, expected):
    monkeypatch.setattr("xalign_fairseq.core.output.BLOCK", block)
    (tmp_path / "text").write_bytes(content)
    assert complete_lines(tmp_path / "text") == expected


@pytest.mark.parametrize("planted", ["links.part", "links.part.json", "links.part.lock"])
@pytest.mark.parametrize("there", [True, False])
def test_links_of_other_users_are_not_followed(write, tmp_path, planted, there):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other/file"
    if there:
        other.write_text("mine\n")
    (tmp_path / planted).symlink_to(other)
    for resume in (False, True):
        with pytest.raises(XalignError, match="symbolic link"):
            write("a", "b", resume=resume)
    assert other.read_text() == "mine\n" if there else not other.exists()
    assert not (tmp_path / "links").exists()


def test_resume_needs_a_record(write):
    with pytest.raises(XalignError, match="this output cannot be resumed"):
        write("a", record=None, resume=True)


def test_a_run_that_wrote_no_line_leaves_nothing(write, tmp_path, caplog):
    with pytest.raises(MemoryError):
        write(broken=True)
    assert names(tmp_path) == [] and "nothing is kept of" in caplog.text
