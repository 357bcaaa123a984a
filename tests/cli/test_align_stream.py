import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.processes import group_is_gone, wait_for
from support.warm_start import BIN

from xalign_fairseq.cli import main

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
    files = ("--src", tmp_path / "a", "--tgt", tmp_path / "b", "--out", tmp_path / "out", "--segment", "spaces")
    assert align(*files, "--format", form, "--quiet") == 0
    lines = (tmp_path / "out").read_bytes().decode().split("\n")
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
    expected = capfd.readouterr().out
    assert align(*pairs, "--processes", 2, "--out", tmp_path / "out") == 0
    assert (tmp_path / "out").read_text() == expected
    said = capfd.readouterr().err
    assert said.endswith("cpu, float32, 2 processes\n")
    assert said.count("Sinkhorn on cpu, float32: ") == 1  # only one process logs it


def test_devices(align, tiny_text, capsys, monkeypatch):
    def failed(*options):
        assert align("--pairs", tiny_text / "text.pairs", *options) == 2
        return capsys.readouterr().err

    assert "no such device" in failed("--device", "gpu")
    assert "no such device" in failed("--device", "cpu,,")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert "cuda:0 to cuda:1" in failed("--device", "cuda:1,cuda:2")
    for device in ("auto", "cuda:0", "cpu,cpu"):
        assert "several processes are for the CPU" in failed("--device", device, "--processes", "2")


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
        # A shell starts background jobs, such as these tests, with interrupts ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    part = Path(f"{out}.part")
    until = time.monotonic() + 120
    while not (part.exists() and part.stat().st_size) and driver.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(driver.pid, signal.SIGINT)  # like a terminal: to every process
    _, errors = driver.communicate(timeout=120)
    assert driver.returncode == 130 and not out.exists()
    assert errors.endswith("with --resume continues from there\nxalign align: stopped\n") and "Traceback" not in errors
    assert int(errors.split(" lines are kept")[0].splitlines()[-1]) == part.read_bytes().count(b"\n") > 0
    wait_for(lambda: group_is_gone(driver.pid), 60)  # multiprocessing's own process ends by itself
