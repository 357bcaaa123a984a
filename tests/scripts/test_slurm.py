import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import program

from tests.scripts.test_machine import NAMES
from tests.tasks.conftest import losses, options

SCRIPTS = Path(__file__).parents[2] / "scripts"
SRUN = """#!/bin/bash
# Two tasks on one node. With SIGNAL_AT both get SIGUSR1 once the log has that text, as before the time is over.
shift
for task in 0 1; do
  SLURM_PROCID=$task SLURM_LOCALID=$task "$@" &> "$LOG.$task" &
done
if [[ -n "${SIGNAL_AT:-}" ]]; then
  until grep -q "$SIGNAL_AT" "$LOG.0"; do sleep 0.05; done
  kill -USR1 $(jobs -p)
fi
worst=0
for task in $(jobs -p); do
  wait "$task"
  code=$?
  ((code > worst)) && worst=$code
done
exit $worst
"""
SCONTROL = """#!/bin/bash
[[ $1 == show ]] && echo localhost || echo "$*" >> "$LOG.scontrol"
"""
# Its links are the words of both sides.
XALIGN = """#!/bin/bash
paste -d ' ' "$3" "$5" > "$7"
"""


@pytest.mark.slow
def test_parts_that_are_aligned_side_by_side_are_the_links_of_the_whole(sample, transfer_encoder, command, tmp_path):
    texts = [tmp_path / f"text.{end}" for end in ("en", "de")]
    for text in texts:
        text.write_text("".join((sample / f"en-de/train{text.suffix}").read_text().splitlines(keepends=True)[:21]))
    options = ("--model", transfer_encoder, "--quiet")
    command("xalign", "align", "--src", texts[0], "--tgt", texts[1], "--out", tmp_path / "whole", *options)
    line = ["bash", SCRIPTS / "slurm/align.sbatch", *texts, tmp_path / "parts", *options]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def start(task):
        array = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": "2"}
        return subprocess.Popen([*map(str, line)], env={**os.environ, "PATH": path, **array})

    for _ in range(2):  # the second time there is nothing to do
        assert [each.wait() for each in [start(0), start(1)]] == [0, 0]
    parts = sorted((tmp_path / "parts").glob("links.*"))
    assert [len(part.read_text().splitlines()) for part in parts] == [10, 11]
    assert b"".join(part.read_bytes() for part in parts) == (tmp_path / "whole").read_bytes()


@pytest.fixture
def align(tmp_path):
    """Run an array's task on two sides of some lines, the last without a newline; return code, error and parts."""
    program(tmp_path / "xalign", XALIGN)

    def run(task, count, lines=(5, 5), text="text", parts="parts", packed=None, names=None, more=()):
        texts = [f"{text}.{end}" for end in ("en", "de")]
        for name, number in zip(texts, lines, strict=True):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("\n".join(map(str, range(number))))
            if packed and not (tmp_path / f"{name}.{packed[1]}").exists():
                subprocess.run([packed[0], "-f", tmp_path / name], check=True)
        texts = names or ([f"{name}.{packed[1]}" for name in texts] if packed else texts)
        array = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": str(count)}
        line = ["bash", str(SCRIPTS / "slurm/align.sbatch"), *texts, parts, *more]
        path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        done = subprocess.run(line, env={**os.environ, **path, **array}, capture_output=True, text=True, cwd=tmp_path)
        links = {part.name[-1]: part.read_text().split("\n")[:-1] for part in (tmp_path / parts).glob("links.*")}
        return done.returncode, done.stderr, links

    return run


@pytest.mark.parametrize("packed", [None, ("gzip", "gz"), ("bzip2", "bz2"), ("xz", "xz"), ("zstd", "zst")])
def test_texts_may_be_compressed_and_lack_the_last_newline(align, packed):
    if packed and shutil.which(packed[0]) is None:
        pytest.skip(f"{packed[0]} is not installed")
    for task in (0, 1):
        found = align(task, 2, packed=packed)
    assert found == (0, "", {"0": ["0 0", "1 1"], "1": ["2 2", "3 3", "4 4"]})


def test_a_damaged_compressed_text_is_an_error(align, tmp_path):
    (tmp_path / "text.en.gz").write_bytes(gzip.compress(b"a\n" * 5)[:-6])  # complete lines, but no checksum
    code, error, parts = align(0, 2, names=["text.en.gz", "text.de"])
    assert code != 0 and "gzip" in error and not parts and not (tmp_path / "parts/lines").exists()


def test_tasks_that_are_submitted_again_by_themselves_have_their_own_parts(align):
    assert align(0, 5)[0] == 0
    assert align(3, 2) == align(3, "", more=("--processes", "2")) == (0, "", {"0": ["0 0"], "3": ["3 3"]})


def test_a_task_beyond_the_last_part_and_sides_of_unequal_length_are_refused(align):
    code, error, parts = align(0, 2, (5, 4))
    assert code == 2 and "text.en has 5 lines" in error and "text.de 4" in error and not parts
    for task in (2, 5):  # with --array 1-2, or --array 5,17
        code, error, parts = align(task, 2)
        assert code == 2 and "no parts yet" in error and "--array 0-1" in error and not parts
    assert align(0, 2)[0] == 0
    assert "has no part 2" in align(2, 2)[1]


@pytest.mark.parametrize(
    "other", [{"lines": (6, 6)}, {"more": ("--method", "grow")}, {"names": ["back.en", "text.de"]}]
)
def test_another_text_and_other_options_need_another_folder(align, other, tmp_path):
    (tmp_path / "back.en").write_text("4\n3\n2\n1\n0")
    assert align(0, 2)[0] == 0
    for task in (0, 1):  # one part is there, the other is not
        code, error, parts = align(task, 2, **other)
        assert code == 2 and "another OUT" in error and parts == {"0": ["0 0", "1 1"]}
    (tmp_path / "parts/links.000000").unlink()  # as after an option that xalign align refuses
    assert "it has no links yet: remove it" in align(0, 2, **other)[1]


def test_wrong_arguments_are_refused(align):
    assert "before the options" in align(0, 2, parts="--format")[1]
    assert "the number of tasks, not ''" in align(0, "")[1]
    assert "no text ./x\n" in align(0, 2, names=["x", "y"])[1]
    assert "is not a file" in align(0, 2, names=["/dev/null", "text.de"])[1]
    assert "both sides of a .tsv" in align(0, 2, names=["x.tmx#en", "x.tmx#de"])[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-o x", "leave out -o"),
        ("-ox", "leave out -ox"),
        ("-qox", "leave out -qox"),
        ("--out=x", "leave out --out=x"),
        ("--src x", "out --src"),
        ("--format html", "in parts"),
        ("--plot x.png", "in parts"),
        ("--format=html", "in parts"),
        ("--from-scratch", "learn from itself"),
        ("--statistics", "learn from itself"),
        ("--statistics -q", "learn from itself"),
        ("--statistics folder", ""),
        ("--learn-from 9", "learn from itself"),
        ("--format scores", ""),
    ],
)
def test_options_that_parts_cannot_have(align, options, message):
    code, error, _ = align(0, 2, more=options.split())
    assert (code, message in error) == (2 if message else 0, True), error


@pytest.mark.parametrize("name", ["lang=de/x", *NAMES])
def test_paths_of_any_name(align, tmp_path, name):
    for task in (0, 1):
        code, error, parts = align(task, 2, text=name, parts=f"{name}.parts")
        assert (code, error) == (0, "")
    assert parts == {"0": ["0 0", "1 1"], "1": ["2 2", "3 3", "4 4"]} and not (tmp_path / "hit").exists()


@pytest.mark.parametrize("lines", ["a[$(touch hit)] 2\n", "5 a[$(touch hit)]\n", "5 0\n", "08 2\n", "\n"])
def test_numbers_from_files_are_not_evaluated_by_the_shell(align, tmp_path, lines):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/lines").write_text(lines)
    code, error, parts = align(0, 2)
    assert code == 2 and "does not hold two numbers" in error and not parts and not (tmp_path / "hit").exists()
    assert align("a[$(touch hit)]", 2)[0] == 2 and not (tmp_path / "hit").exists()


@pytest.mark.parametrize("planted", ["lines.0", "000000.src", "000000.tgt.new"])
def test_existing_symbolic_links_are_not_followed(align, tmp_path, planted):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / planted).symlink_to(tmp_path / "mine")
    assert align(0, 2) == (0, "", {"0": ["0 0", "1 1"]})
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.slow
def test_a_job_at_its_time_limit_is_requeued_and_resumes(databin, tmp_path):
    for name, text in (("srun", SRUN), ("scontrol", SCONTROL)):
        program(tmp_path / name, text)
    slurm = {
        **{f"SLURM_{name}": "2" for name in ("NTASKS", "NTASKS_PER_NODE")},
        **{"SLURM_NNODES": "1", "SLURM_JOB_NODELIST": "here", "SLURM_JOB_ID": str(os.getpid())},
        **{"LOG": f"{tmp_path}/log", "PATH": f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}"},
    }
    given = options(databin, tmp_path / "run", "--max-update", 40, "--disable-validation", batch=4)[1:]
    line = ["bash", SCRIPTS / "slurm/train.sbatch", *given, "--distributed-backend", "gloo"]

    def run(**more):
        return subprocess.run([*map(str, line)], env={**os.environ, **slurm, **more}, timeout=300).returncode

    def logged():
        return losses((tmp_path / "log.0").read_text())

    assert run(SIGNAL_AT='"num_updates": "3"') == 75, (tmp_path / "log.0").read_text()
    assert (tmp_path / "log.scontrol").read_text() == f"requeue {os.getpid()}\n"
    last = max(logged())
    assert 3 <= last < 40
    assert run() == 0
    assert sorted(logged()) == list(range(last + 1, 41)) and not losses((tmp_path / "log.1").read_text())
    assert (tmp_path / "log.scontrol").read_text().count("requeue") == 1


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({}, ["fairseq-train"]),
        ({"GPUS": "8"}, ["torchrun.sh", "8"]),
        (
            {"GPUS": "8", "DISTRIBUTED": "--distributed-world-size 16"},
            ["fairseq-train", "--distributed-world-size", "16"],
        ),
    ],
)
def test_the_launcher_of_a_recipe(given, command):
    recipe = SCRIPTS.parent / "examples/common/recipe.sh"
    code = f'source "{recipe}"; choose_launcher; printf "%s\\n" "${{train[@]}}"'
    here = {name: value for name, value in os.environ.items() if name not in ("GPUS", "DISTRIBUTED")}
    said = subprocess.run(["bash", "-euc", code], env={**here, **given}, capture_output=True, text=True, check=True)
    program, *options = said.stdout.splitlines()
    assert [Path(program).name, *options] == command
    assert program == "fairseq-train" or os.access(program, os.X_OK)
