"""The protocol of the aligners of others, by small programs in their place."""

import os
import select
import sys

import pytest
from aligner_tools import DIAGONAL, only_tools

from xalign_fairseq.aligner.linking import processes
from xalign_fairseq.aligner.linking.engines import ToolEngine, choose_engine
from xalign_fairseq.aligner.linking.processes import run_tool
from xalign_fairseq.aligner.linking.tools import EFLOMAL, FAST_ALIGN
from xalign_fairseq.errors import XalignError
from xalign_fairseq.links.symmetrize import METHODS, symmetrize

PAIRS = [
    (["a", "b", "c"], ["x", "y"]),
    ([], ["q"]),
    (["|||", "¦"], ["z", "|||", "|||"]),
    (["a"], []),
    (["d"], ["u", "v"]),
]
FORWARD = [{(0, 0), (1, 1)}, set(), {(0, 0), (1, 1), (1, 2)}, set(), {(0, 0), (0, 1)}]
BACKWARD = [{(0, 0), (1, 1), (2, 1)}, set(), {(0, 0), (1, 1)}, set(), {(0, 0)}]
WRITES = 'import sys\nprint({!r}, end="")\n'


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def test_blank_sides_stay_here_and_their_lines_come_back_without_links(tmp_path, work, monkeypatch):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    FAST_ALIGN.run(PAIRS, work)
    assert (work / "text").read_text() == "a b c ||| x y\n|||| ¦ ||| z |||| ||||\nd ||| u v\n"
    found = list(FAST_ALIGN.links(PAIRS, work))
    assert [pair for pair, _ in found] == PAIRS
    assert [links for _, links in found] == list(zip(FORWARD, BACKWARD, strict=True))


@pytest.mark.parametrize("method", METHODS)
def test_an_engine_symmetrises_as_the_function_does(tmp_path, work, monkeypatch, method):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    engine = ToolEngine(FAST_ALIGN, method, work)
    engine.run(iter(PAIRS))
    done = []
    found = list(engine.stream(PAIRS, done.append))
    assert [pair.links for pair in found] == [
        symmetrize(*both, method=method) for both in zip(FORWARD, BACKWARD, strict=True)
    ]
    assert [(pair.src, pair.tgt) for pair in found] == PAIRS and sum(done) == len(PAIRS)
    assert engine.describe() == {
        "name": "fast_align",
        "version": None,
        "commands": ["fast_align -i text -d -o -v > forward", "fast_align -i text -d -o -v -r > backward"],
        "symmetrize": method,
    }


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("0-0\n\n", "no line of links for the pair of line 5"),
        ("", "no line of links for the pair of line 1"),
        ("0-0\n\n0-0\n0-0\n", "more lines of links than pairs"),
        ("0-0\n2-0\n0-0\n", "line 3: link 2-0, sentence lengths 2 and 3"),
        ("0-0\n0-3\n0-0\n", "line 3: link 0-3, sentence lengths 2 and 3"),
        ("0-0\n0-0\n0:0\n", "fast_align's links of line 5"),
    ],
)
def test_output_that_does_not_fit_the_text(tmp_path, work, monkeypatch, output, found):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=WRITES.format(output))
    FAST_ALIGN.run(PAIRS, work)
    with pytest.raises(XalignError, match=found):
        list(FAST_ALIGN.links(PAIRS, work))


def test_a_tool_that_writes_no_file(tmp_path, work, monkeypatch):
    only_tools(monkeypatch, tmp_path / "bin", **{"eflomal-align": ""})
    EFLOMAL.run(PAIRS, work)
    with pytest.raises(XalignError, match="eflomal ended without an error, but wrote no links"):
        list(EFLOMAL.links(PAIRS, work))


def test_longer_sentences_than_a_tool_takes_are_known(tmp_path, work, monkeypatch):
    program = "open('forward', 'w').write('0-0\\n')\nopen('backward', 'w').write('0-0\\n')"
    only_tools(monkeypatch, tmp_path / "bin", **{"eflomal-align": program})
    pairs = [(["w"] * 1023, ["w"]), (["w"] * 1024, ["w"]), (["w"], ["w"] * 1024)]
    engine = ToolEngine(EFLOMAL, "union", work)
    engine.run(pairs)
    found = list(engine.stream(pairs, [].append))
    assert [pair.too_long for pair in found] == [False, True, True]
    assert [len(pair.links) for pair in found] == [1, 0, 0]


def test_a_failing_tool_is_quoted(tmp_path, work, monkeypatch):
    program = "import sys\nprint('first', 'x' * 5000, 'no memory left', file=sys.stderr)\nsys.exit(3)"
    only_tools(monkeypatch, tmp_path / "bin", fast_align=program)
    with pytest.raises(XalignError, match=r"(?s)fast_align failed.*exit code 3.*no memory left") as error:
        FAST_ALIGN.run(PAIRS, work)
    assert "first" not in str(error.value)


def test_a_program_that_can_t_be_started(work):
    (work / "tool").write_text("no program")
    with pytest.raises(XalignError, match=r"(?s)can't be started.*tool -r"):
        run_tool([str(work / "tool"), "-r"], work)


def test_a_tool_s_progress_is_shown_when_asked_for(work, capsys):
    command = [sys.executable, "-S", "-c", "import sys; print('1 of 2', file=sys.stderr)"]
    run_tool(command, work)
    assert capsys.readouterr().err == ""
    run_tool(command, work, echo=True)
    assert capsys.readouterr().err == "1 of 2\n"


def test_an_interrupt_ends_the_tool_and_what_it_started(work, monkeypatch):
    kept = []

    def interrupted(process, echo):
        process.stderr.read(1)
        kept.append(os.dup(process.stderr.fileno()))
        raise KeyboardInterrupt

    monkeypatch.setattr(processes, "_listen", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_tool(["sh", "-c", "echo started >&2; sleep 60 & sleep 60"], work)
    while select.select(kept, [], [], 5)[0] and (text := os.read(kept[0], 100)):
        assert text == b"tarted\n"
    assert select.select(kept, [], [], 0)[0], "a process still holds stderr"
    os.close(kept[0])


def test_text_without_a_pair_of_words(tmp_path, work, monkeypatch):
    only_tools(monkeypatch, tmp_path / "bin", fast_align=DIAGONAL)
    with pytest.raises(XalignError, match="nothing to align"):
        FAST_ALIGN.run([([], ["a"]), (["b"], [])], work)


def test_auto_takes_checkpoint_then_eflomal_then_fast_align(tmp_path, monkeypatch):
    only_tools(monkeypatch, tmp_path / "both", **{"eflomal-align": "", "fast_align": ""})
    assert choose_engine("auto", "best.pt") == ("checkpoint", "--checkpoint best.pt")
    assert choose_engine("auto", None) == ("eflomal", "no checkpoint was given, and eflomal is installed")
    assert choose_engine("fast_align", None) == ("fast_align", "--engine fast_align")
    only_tools(monkeypatch, tmp_path / "one", fast_align="")
    name, why = choose_engine("auto", None)
    assert name == "fast_align" and "eflomal is not installed" in why


def test_without_an_aligner_the_error_says_what_to_install(tmp_path, monkeypatch):
    only_tools(monkeypatch, tmp_path / "none")
    with pytest.raises(XalignError) as error:
        choose_engine("auto", None)
    for words in ("there is no word aligner", "pip install", "eflomal", "github.com/clab/fast_align", "--checkpoint"):
        assert words in str(error.value)
    with pytest.raises(XalignError, match=r"(?s)eflomal is not installed.*pip install"):
        choose_engine("eflomal", None)
    with pytest.raises(XalignError, match=r"(?s)fast_align is not installed.*build https"):
        choose_engine("fast_align", None)


def test_engine_and_checkpoint_must_agree():
    with pytest.raises(XalignError, match="needs a checkpoint"):
        choose_engine("checkpoint", None)
    with pytest.raises(XalignError, match="fast_align has no use for a checkpoint"):
        choose_engine("fast_align", "best.pt")
