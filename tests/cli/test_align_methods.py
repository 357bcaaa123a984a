import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.checkpoints import with_languages
from support.processes import group_is_gone, wait_for
from support.text import write_bitext
from support.warm_start import BIN

from xalign_fairseq.aligner import kept_scores
from xalign_fairseq.aligner import run as running
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.cli import main
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.core.json_files import read_json
from xalign_fairseq.encoder.mappings import LanguageMaps
from xalign_fairseq.links.pharaoh import read_links
from xalign_fairseq.transport.linking import Linking
from xalign_fairseq.transport.plan_links import Transport
from xalign_fairseq.transport.sinkhorn import backend


def test_the_sinkhorn_backend_is_selected_and_logged(nothing_decided, capsys, monkeypatch, tiny_checkpoint, tiny_text):
    def align(*options):
        command = ["align", "--model", tiny_checkpoint, "--pairs", tiny_text / "text.pairs", *options]
        return main([str(part) for part in command])

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    nothing_decided()
    with backend.using("auto"):
        assert align("--sinkhorn-backend", "cuda") == 2
        assert "no GPU" in capsys.readouterr().err
        assert align("--sinkhorn-backend", "reference") == 0
        assert backend.selected() == "reference"
        assert "Sinkhorn on" not in capsys.readouterr().err
        assert align("--sinkhorn-backend", "auto", "--quiet") == 0
        assert not capsys.readouterr().err
        nothing_decided()
        assert align("--sinkhorn-backend", "auto") == 0
        assert "Sinkhorn on cpu, float32: " in capsys.readouterr().err


def test_bfloat16_holds_for_weights_and_states_but_not_for_links(tiny_checkpoint, monkeypatch):
    aligner = Aligner.from_pretrained(tiny_checkpoint, dtype="bfloat16", linking=Linking(layers=(1, 2)))
    assert {parameter.dtype for parameter in aligner.encoder.parameters()} == {torch.bfloat16}
    seen, links = [], Transport.links

    def watching(method, hidden, *more, **scores):
        seen.append(hidden.dtype)
        return links(method, hidden, *more, **scores)

    monkeypatch.setattr(Transport, "links", watching)
    [pair] = aligner.stream([("the red house", "a big cat")])
    assert pair.links
    assert seen == [torch.float32]


@pytest.fixture(scope="module")
def save(tmp_path_factory):
    """A function that writes a checkpoint's content and returns the path."""

    def write(state):
        path = tmp_path_factory.mktemp("speaking") / "checkpoint.pt"
        torch.save(state, path)
        return path

    return write


@pytest.fixture(scope="module")
def speaking(save, tiny_state):
    """The tiny checkpoint with embeddings of en and xx."""
    return save(with_languages(tiny_state, "en", "xx"))


@pytest.fixture
def command(tiny_text, tmp_path):
    """A function that runs a command on a checkpoint and the tiny text in this process; returns the exit code."""
    texts = {
        "align": ["--pairs", tiny_text / "text.pairs", "--out", tmp_path / "links", "--quiet"],
        "layers": ["--pairs", tiny_text / "text.pairs", "--gold", tiny_text / "text.gold", "--quiet"],
        "retrieve": ["--src", tmp_path / "src", "--tgt", tmp_path / "tgt", "--quiet"],
    }
    kept = [line.split(" ||| ") for line in (tiny_text / "text.pairs").read_text().splitlines()]
    for side, name in enumerate(("src", "tgt")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in kept if all(each.strip() for each in pair)))

    def run(name, checkpoint, *options):
        return main([str(part) for part in (name, "--model", checkpoint, *texts[name], *options)])

    return run


@pytest.mark.parametrize("name", ["align", "layers", "retrieve"])
def test_languages_are_requested_by_name(command, speaking, name, capsys, tiny_checkpoint, tmp_path):
    assert command(name, speaking) == 2
    told = capsys.readouterr().err
    assert "two of en, xx" in told and "--languages" in told
    assert command(name, speaking, "--languages", "en-yy") == 2
    told = capsys.readouterr().err
    assert "yy" in told and "expected: en, xx" in told
    assert command(name, speaking, "--languages", "en-xx") == 0
    assert command(name, tiny_checkpoint, "--languages", "en-xx") == 2
    assert "no language embeddings\n  where: --languages\n  found: en-xx" in capsys.readouterr().err
    if name == "align":  # a page names them
        assert command(name, tiny_checkpoint, "--languages", "en-xx", "-o", tmp_path / "page.html") == 0


def test_maps_name_the_languages_too(command, save, tiny_state, capsys):
    maps = LanguageMaps(["xx"], "en", 3, 16)
    heads = {f"heads.linear_mapping.{key}": value for key, value in maps.state_dict().items()}
    state = with_languages(tiny_state, "en", "xx")
    mapped = save({**state, "model": state["model"] | heads})
    options = ("--layer", 1, "--filter", "argmax", "--encoding", "separate")
    assert command("layers", mapped, "--languages", "en-xx", *options) == 0
    plain = capsys.readouterr().out.splitlines()
    assert command("layers", mapped, "--maps", "en-xx", *options) == 0
    through_identities = capsys.readouterr().out.splitlines()
    assert through_identities[:2] == plain[:2]
    assert any("|maps:en-xx|languages:en-xx|" in line for line in through_identities[2:])
    assert command("layers", mapped, "--maps", "en-xx", "--languages", "xx-en", *options) == 2
    assert "xx-en and en-xx" in capsys.readouterr().err


XALIGN = BIN / "xalign"  # in process groups of its own
# Any text without a line end: a newline, or a carriage return before it.
LINES = st.lists(
    st.text(st.characters(exclude_characters="\n\0", codec="utf-8") | st.sampled_from(" the redhouse")).filter(
        lambda text: text[-1:] != "\r"
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture
def align(tiny_checkpoint):
    return lambda *options: main([str(part) for part in ("align", "--model", tiny_checkpoint, *options)])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(src=LINES, tgt=LINES, form=st.sampled_from(["pharaoh", "json"]))
def test_any_text_gives_a_line_for_each_line(align, tmp_path, capsys, src, tgt, form):
    tgt = (tgt * len(src))[: len(src)]
    for name, side in (("a", src), ("b", tgt)):
        (tmp_path / name).write_bytes("".join(f"{line}\n" for line in side).encode())
    files = ("--src", tmp_path / "a", "--tgt", tmp_path / "b", "--out", tmp_path / form, "--segment", "spaces")
    assert align(*files, "--format", form, "--quiet") == 0
    lines = (tmp_path / form).read_bytes().decode().split("\n")
    assert len(lines) == len(src) + 1 and lines[-1] == ""
    for left, right, line in zip(src, tgt, lines, strict=False):
        sizes = len(left.split()), len(right.split())
        if form == "json":
            pair = json.loads(line)
            assert (pair["src"], pair["tgt"]) == (left.split(), right.split())
            links = [link[:2] for link in pair["links"]]
        else:
            links = [list(map(int, link.split("-"))) for link in line.split()]
        assert all(i < sizes[0] and j < sizes[1] for i, j in links)


def test_standard_input_gives_the_same_links_as_the_file(align, tiny_text, capsys, monkeypatch):
    def standard_input(raw):
        return monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))

    assert align("--pairs", tiny_text / "text.pairs", "--quiet", "--dtype", "float32") == 0
    expected = capsys.readouterr().out
    standard_input((tiny_text / "text.pairs").read_bytes())
    assert align("--pairs", "-", "--dtype", "float32") == 0
    captured = capsys.readouterr()
    assert captured.out == expected and captured.err.startswith("40 pairs, ")


def test_the_output_is_utf_8_on_any_terminal(align, tmp_path, monkeypatch):
    (tmp_path / "pairs").write_text("日本 ||| 😀\n", encoding="utf-8")
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", newline="\r\n")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert align("--pairs", tmp_path / "pairs", "--format", "json", "--quiet") == 0
    [line, end] = terminal.buffer.getvalue().decode("utf-8").split("\n")
    assert json.loads(line)["tgt"] == ["😀"] and line[-1] == "}" and end == ""


def test_several_processes_give_the_same_links_as_one(align, tiny_text, tmp_path, capfd):
    pairs = ("--pairs", tiny_text / "text.pairs", "--format", "json", "--dtype", "float32")
    assert align(*pairs, "--quiet") == 0
    expected = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert align(*pairs, "--processes", 2, "--out", tmp_path / "out.jsonl") == 0
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    for one, other in zip(found, expected, strict=True):
        probabilities = [[link.pop() for link in line["links"]] for line in (one, other)]
        assert probabilities[0] == pytest.approx(probabilities[1], abs=1e-5)  # batches differ
    assert found == expected
    said = capfd.readouterr().err
    assert said.endswith("cpu, float32, 2 processes\n")
    assert said.count("Sinkhorn on cpu, float32: ") == 1  # only one process logs it


def test_devices(align, tiny_checkpoint, tiny_text, capsys, monkeypatch):
    def failed(*options):
        assert align("--pairs", tiny_text / "text.pairs", *options) == 2
        return capsys.readouterr().err

    assert "unknown device" in failed("--device", "gpu")
    assert "unknown device" in failed("--device", "cpu,,")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert "no such GPU" in failed("--device", "cuda:1,cuda:2")
    for device in ("auto", "cuda:0", "cpu,cpu"):
        assert "several processes need the CPU" in failed("--device", device, "--processes", "2")
    with pytest.raises(XalignError, match="has one device"):
        Aligner.from_pretrained(tiny_checkpoint, device="cpu,cpu")


@pytest.mark.slow
def test_an_interrupt_ends_all_processes_and_keeps_finished_links(tiny_checkpoint, tiny_text, tmp_path):
    for name in ("text.en", "text.xx"):
        (tmp_path / name).write_text((tiny_text / name).read_text() * 1500)
    out = tmp_path / "links"
    command = [XALIGN, "align", "--model", tiny_checkpoint, tmp_path / "text.en", tmp_path / "text.xx"]
    command += ["--out", out, "--processes", "2"]
    driver = subprocess.Popen(
        [*map(str, command)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    part = Path(f"{out}.part")
    wait_for(lambda: (part.exists() and part.stat().st_size) or driver.poll() is not None, 120)
    os.killpg(driver.pid, signal.SIGINT)  # like a terminal: to every process
    _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 130 and not out.exists()
    assert errors.endswith("with --resume continues from there\nxalign align: stopped\n") and "Traceback" not in errors
    assert int(errors.split(" lines are kept")[0].splitlines()[-1]) == part.read_bytes().count(b"\n") > 0
    wait_for(lambda: group_is_gone(driver.pid), 60)  # multiprocessing's own process ends by itself


@pytest.fixture
def text(tmp_path):
    return write_bitext(tmp_path)


@pytest.fixture
def align_text(text, tiny_checkpoint):
    """Run ``xalign align`` on the text; return the exit code."""

    def run(*options, model=tiny_checkpoint):
        return main([*("align", "--model", str(model), "--src", text[0], "--tgt", text[1]), *map(str, options)])

    return run


@pytest.fixture
def learned(text, tmp_path):
    """The folder of an aligner of the text."""
    out = tmp_path / "own"
    assert main(["align", "--from-scratch", "--src", text[0], "--tgt", text[1], "--out", str(out)]) == 0
    return f"{out}.aligner"


def test_without_a_folder_they_are_learned_from_the_text(align_text, learned, tmp_path, capsys):
    assert align_text("--statistics", "--out", tmp_path / "links") == 0
    told = capsys.readouterr().err
    assert "grow" in told and "60% of each score is from statistics that the encoder guides (prefix4" in told
    folder = f"{tmp_path}/links.aligner"
    assert read_json(Path(folder, "begun.json"))["method"] == "grow"
    assert align_text("--statistics", folder, "--out", tmp_path / "two", "--processes", "2") == 0
    links = (tmp_path / "links").read_text()
    assert (tmp_path / "two").read_text() == links
    assert align_text("--statistics", tmp_path / "links", "--out", tmp_path / "three") == 2
    assert f"next: use --statistics {folder}" in capsys.readouterr().err
    # The encoder is untrained; the text is translated word by word.
    assert align_text("--method", "grow", "--out", tmp_path / "alone") == 0
    assert align_text("--statistics", learned, "--out", tmp_path / "unguided") == 0
    assert align_text("--out", tmp_path / "guided alone", model=folder) == 0
    right = {
        name: sum(i == j for each in read_links(tmp_path / name) for i, j in each)
        for name in ("links", "alone", "unguided", "guided alone")
    }
    assert min(right["links"], right["unguided"], right["guided alone"]) > 1.2 * right["alone"]


def test_the_encoder_reads_the_text_once(align_text, tmp_path, monkeypatch):
    read = []
    stream = Aligner.stream

    def counted(self, pairs, *more, **named):
        for each in stream(self, pairs, *more, **named):
            read.append(each.src)
            yield each

    monkeypatch.setattr(Aligner, "stream", counted)
    monkeypatch.setattr(kept_scores, "AT_ONCE", 20)

    with monkeypatch.context() as patch:
        patch.setattr(running, "learn_models", broken_off)
        assert align_text("--statistics", "--out", tmp_path / "links") == 2
    assert len(read) == 48
    assert align_text("--statistics", "--out", tmp_path / "links", "--plot", tmp_path / "pair.svg") == 0
    assert len(read) == 48
    assert len(list((tmp_path / "links.aligner").glob("scores-*.npz"))) == 3


def broken_off(*_):
    raise MemoryError


def test_statistics_guided_by_another_encoder_are_reported(align_text, learned, tiny_checkpoint, tmp_path, capsys):
    assert align_text("--statistics", "--out", tmp_path / "links") == 0
    folder = f"{tmp_path}/links.aligner"
    copy = shutil.copytree(tiny_checkpoint.parent, tmp_path / "copy") / tiny_checkpoint.name
    other = tmp_path / "other.pt"
    other.write_bytes(copy.read_bytes())
    told = {}
    for name, statistics, model in (
        ("same", folder, copy),
        ("unguided", learned, other),
        ("other", folder, other),
    ):
        capsys.readouterr()
        assert align_text("--statistics", statistics, "--out", tmp_path / name, model=model) == 0
        told[name] = [line for line in capsys.readouterr().err.splitlines() if "learned with" in line]
    assert not told["same"] and not told["unguided"]
    [line] = told["other"]
    assert folder in line and f"learned with {tiny_checkpoint.name}," in line and f"used with {other}" in line


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (["--from-scratch"], "--from-scratch"),
        (["--method", "argmax"], "--method"),
        (["--out", "-"], "--statistics"),
    ],
)
def test_conflicting_options_are_refused_before_learning(align_text, tmp_path, capsys, options, where):
    assert align_text("--statistics", "--out", tmp_path / "links", *options) == 2
    told = capsys.readouterr().err
    assert f"where: {where}" in told
    assert "learned" not in told
    assert not list(tmp_path.glob("links*"))
