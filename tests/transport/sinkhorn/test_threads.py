"""The algorithm of csrc/algorithm.h by many threads (thread_group/) and by one: the same links, and no race."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from xalign_fairseq.transport.sinkhorn.building import SOURCE_FOLDER
from xalign_fairseq.transport.sinkhorn.toolchain import find_compiler

pytestmark = pytest.mark.slow
PROGRAM = Path(__file__).with_name("thread_group") / "emulated_block.cpp"
FLAGS = ("-std=c++17", "-O1", "-pthread", "-Wno-psabi", "-fsanitize=thread")


@pytest.fixture(scope="session")
def thread_sanitizer(tmp_path_factory):
    """The compiler, if it can watch threads here."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    folder = tmp_path_factory.mktemp("sanitizer")
    (folder / "empty.cpp").write_text("int main() { return 0; }\n")
    command = [*find_compiler(), *FLAGS, folder / "empty.cpp", "-o", folder / "empty"]
    if subprocess.run(command, capture_output=True).returncode or subprocess.run([folder / "empty"]).returncode:
        pytest.skip("no thread sanitizer")
    return find_compiler()


def run_program(compiler, sources, folder):
    subprocess.run([*compiler, *FLAGS, "-I", sources, PROGRAM, "-o", folder / "program"], check=True)
    return subprocess.run([folder / "program"], capture_output=True, text=True, timeout=300)


def test_many_threads_find_what_one_finds_without_a_race(thread_sanitizer, tmp_path):
    done = run_program(thread_sanitizer, SOURCE_FOLDER, tmp_path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[:4000]
    cases, links, without, different = map(int, re.findall(r"\d+", done.stdout.splitlines()[-1]))
    assert cases > 300 and links > 2000 and 0 < without < 50 and different == 0
    assert "data race" not in done.stderr


def test_a_missing_barrier_is_seen(thread_sanitizer, tmp_path):
    sources = tmp_path / "csrc"
    shutil.copytree(SOURCE_FOLDER, sources)
    text = (sources / "algorithm.h").read_text()
    at = text.index("g.sync();", text.index("void linear_sweep("))
    (sources / "algorithm.h").write_text(text[:at] + text[at + len("g.sync();") :])
    done = run_program(thread_sanitizer, sources, tmp_path)
    assert done.returncode != 0 and "data race" in done.stderr
