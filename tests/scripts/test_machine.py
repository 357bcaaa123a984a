import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import document_house
import pytest
import torch
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.processes import program, wait_for

from xalign_fairseq.core.installation import FAIRSEQ, INSTALL_FAIRSEQ


def test_a_profile_on_the_cpu(script, tmp_path):
    text = script("profiling").profile(lambda: torch.ones(8, 8) @ torch.ones(8, 8), "cpu", tmp_path / "trace.json.gz")
    assert " ms, without the profiler" in text and "aten::mm" in text
    with gzip.open(tmp_path / "trace.json.gz", "rt") as file:
        assert json.load(file)["traceEvents"]


SCRIPT = Path(__file__).parents[2] / "scripts/torchrun.sh"


@pytest.fixture
def start(tmp_path):
    """A function that runs the script with only these programs, which print their arguments."""

    def run(*programs):
        for name in programs:
            program(tmp_path / name, '#!/bin/bash\nprintf "%s\\n" "$@"\n')
        line = [shutil.which("bash"), SCRIPT, "2", "data-bin", "--save-dir", "run"]
        env = {"PATH": str(tmp_path), "NODES": "1"}
        return subprocess.run(line, env={**os.environ, **env}, capture_output=True, text=True)

    return run


def test_torchrun_starts_fairseq_train(start, tmp_path):
    done = start("torchrun", "fairseq-train")
    given = ["--standalone", "--nproc-per-node", "2", str(tmp_path / "fairseq-train"), "data-bin", "--save-dir", "run"]
    assert done.stdout.splitlines()[:7] == given and done.returncode == 0
    assert "--distributed-world-size\n2\n" in done.stdout


TORCHRUN = """#!/bin/bash
bash -c 'trap "echo saved; exit 75" USR1; touch ready; while true; do sleep 0.05; done' worker "$@"
exit 1
"""


def test_a_signal_to_the_script_reaches_the_workers(tmp_path, monkeypatch):
    for name, text in (("torchrun", TORCHRUN), ("fairseq-train", "#!/bin/bash\n")):
        program(tmp_path / name, text)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    line = ["bash", SCRIPT, "2", "data-bin"]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        wait_for((tmp_path / "ready").exists)
        process.send_signal(signal.SIGUSR1)
        assert process.communicate()[0] == "saved\n" and process.returncode == 1


WRITE = Path(__file__).parents[2] / "scripts/write_constraints.sh"


@pytest.fixture
def write(tmp_path):
    """A function that runs a copy of the script where ``python`` is a line of bash."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(WRITE, tmp_path / "scripts")
    (tmp_path / "constraints.txt").write_text("torch==2.0\n")

    def run(line):
        program(tmp_path / "bin/python", f"#!/bin/bash\n{line}\n")
        env = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
        done = subprocess.run(["bash", tmp_path / "scripts" / WRITE.name], env=env, cwd=tmp_path)
        return done.returncode, (tmp_path / "constraints.txt").read_text().splitlines()

    return run


def test_versions_are_written_without_the_name_of_a_build(write, tmp_path):
    code, lines = write("echo torch==2.13.0+cpu; echo numpy==2.1")
    assert code == 0 and [line for line in lines if line[0] != "#"] == ["torch==2.13.0", "numpy==2.1"]
    assert {path.name for path in tmp_path.iterdir()} == {"bin", "constraints.txt", "scripts"}


ROOT = Path(__file__).parents[2]
LINES = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
PINNED = {canonicalize_name(name): version for name, version in (line.split("==") for line in LINES)}


@pytest.fixture
def called(tmp_path):
    """A function that runs a line of bash where other programs only record their arguments."""
    stand_in = (
        f'#!/bin/bash\necho "$(basename "$0") ${{*@Q}}" >> {tmp_path}/calls\n[[ "$1" != -c || -n "$COMPLETE" ]]\n'
    )
    for name in ("python", "ruff", "mypy", "shellcheck", "pytest", "nvidia-smi"):
        program(tmp_path / "bin" / name, stand_in)

    def run(line, **environment):
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        own = {"PATH": path, "VIRTUAL_ENV": str(tmp_path), "COMPLETE": "", "XALIGN_INSTALL": ""}
        env = {**os.environ, **own, **environment}
        done = subprocess.run(["bash", "-euc", line], cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return (tmp_path / "calls").read_text().replace("'", ""), done.stdout + done.stderr

    return run


@pytest.mark.parametrize(
    ("level", "extras"), [("user", "[train,plot,model]"), ("test", "[train,plot,model,test,docs]")]
)
def test_each_level_installs_its_requirements_and_fairseq_separately(level, extras, called):
    calls, _ = called(f"source scripts/install.sh {level}")
    package, fairseq = calls.splitlines()[-2:]
    assert package.endswith(f"-e {ROOT}{extras}") and "--no-build-isolation" not in package
    assert fairseq.endswith("--no-build-isolation --no-deps fairseq-fixed")
    assert calls.count(f"-c {ROOT}/constraints.txt") == calls.count("pip install") == 3


@pytest.mark.parametrize(("options", "given"), [("", "tests"), ("--all", "--durations=25 --durations-min=8 -m= tests")])
def test_slow_tests_run_only_with_all(options, given, called):
    calls, told = called(f"bash scripts/test.sh {options} tests", COMPLETE="1")
    (line,) = [line for line in calls.splitlines() if line.startswith("pytest")]
    assert line.endswith(f"--no-loadscope-reorder {given}")
    assert told.count("--all runs them too") == (not options)


def test_the_demo_takes_its_folder_from_where_it_is_called(called, tmp_path):
    _, told = called(f"cd {tmp_path}; ! bash {ROOT}/scripts/demo.sh bin", COMPLETE="1")
    assert f"error: {tmp_path}/bin already exists" in told


def test_all_that_is_installed_has_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *(name for extra in ("train", "plot", "test") for name in extras[extra])]
    wanted = [Requirement(name) for name in named]
    assert len(wanted) > 20
    for each in (*wanted, Requirement(FAIRSEQ)):
        assert each.specifier.contains(PINNED[canonicalize_name(each.name)]), each
    assert not [version for version in PINNED.values() if not re.fullmatch(r"[\w.]+", version)]  # torch 2.13.0+cpu


def test_readme_installs_fairseq_as_the_messages_say():
    assert f"    {INSTALL_FAIRSEQ} " in (ROOT / "README.md").read_text()


def test_no_message_advises_a_package_that_does_not_exist():
    pages = [*ROOT.glob("*.md"), *ROOT.glob("examples/*/*.md"), *ROOT.glob("xalign_fairseq/**/*.py")]
    assert len(pages) > 200
    assert not [page for page in pages if re.search(r"xalign_fairseq\[", page.read_text(encoding="utf-8"))]


# Maximum number of calls into a room further up: from progress, log handlers, and a pool's work.
UPWARD = {"from_pretrained": 0, "prepare": 3, "train-aligner": 8, "align": 1, "transfer": 0}


def test_the_way_of_a_command_is_printed(script, monkeypatch, capsys):
    trace_calls = script("trace_calls")
    monkeypatch.setattr(sys, "argv", ["trace_calls.py", "user-dir"])
    trace_calls.main()
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["cli/user_dir.py", "from", "cli/__init__.py"] for line in lines)
    assert lines[-1].endswith(" files, 0 upward hops; exit code 0")


@pytest.mark.parametrize("name", UPWARD)
def test_the_page_of_the_house_has_the_upward_calls_of_each_command(name):
    row = re.search(rf"^\| {name} \|.*\| (\d+) \|$", document_house.PAGE.read_text(), re.MULTILINE)
    assert row and int(row[1]) <= UPWARD[name]


@pytest.mark.slow  # trains
def test_five_commands_make_no_new_upward_calls(script, tmp_path):
    traces = script("trace_calls").sample_traces(tmp_path)
    assert {name: trace.upward() for name, trace in traces.items() if len(trace.upward()) > UPWARD[name]} == {}
    assert list(traces) == list(UPWARD) and all(len(trace.files()) > 20 for trace in traces.values())


GOOD = """
import os, pathlib, sys
out = pathlib.Path(sys.argv[1])
for old in out.glob("*.tmp"):
    old.unlink()
for name in "ab":
    if not (out / name).exists():
        (out / (name + ".tmp")).write_text("half")
        (out / (name + ".tmp")).write_text("whole")
        os.replace(out / (name + ".tmp"), out / name)
"""


@pytest.fixture
def killed(script, tmp_path):
    """A function that makes all kills of a program."""
    runs, operations = script("faults_runs"), script("faults_operations")

    def make(program):
        (tmp_path / "program.py").write_text(program)
        command = lambda out: [sys.executable, str(tmp_path / "program.py"), str(out)]  # noqa: E731
        each = operations.Killed(runs.Run("program", command), tmp_path)
        return each, [each.kill(number) for number in each.order()]

    return make


def test_a_program_that_can_be_given_again_at_any_point(killed):
    each, kills = killed(GOOD)
    expected = each.expected()
    steps = ("open {0}.tmp", "open {0}.tmp", "rename {0}.tmp {0}")
    assert expected["operations"] == [step.format(name) for name in "ab" for step in steps]
    assert expected["files"] == ["a", "b"] and len(kills) == 6
    assert sorted(kill.operation for kill in kills) == sorted(expected["operations"])
    assert not any(kill.refused or kill.differs or kill.left for kill in kills)


# Programs that may end before their input does. Whether SIGPIPE kills the program that writes to them is chance.
STOPS_READING = re.compile(r"\|\s*(head\b|grep\s+(-\w*[qm]|--quiet|--max-count)|sed\s.*\bq\b)")


NAMES = ["with spaces", "lang=de", "-x", 'it\'s "said" $(touch hit) `touch hit`', "two\nlines", "*"]


def shell_scripts():
    suffixes = (".sh", ".sbatch")
    found = [path for top in ("scripts", "examples") for path in (ROOT / top).rglob("*") if path.suffix in suffixes]
    return [*found, *filter(Path.exists, [ROOT / ".ci/run"])]


# Links each line's first word with the other side's; its input must exist.
LINKS = """#!/bin/bash
printf '%s\n' "$@" > "$CALLED"
[[ $1 == links && -f $3 && -f $5 ]] || exit 1
sed 's/.*/0-0/' < "$3" > "$7"
echo '{}' > "$7.json"
"""


@pytest.mark.parametrize("name", NAMES)
def test_links_of_splits_in_folders_of_any_name(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    for split, lines in (("train", "a\nb\nc"), ("valid", "d\ne\n")):
        for language in ("en", "de"):
            (folder / f"{split}.{language}").write_text(lines)
    program(tmp_path / "bin/xalign", LINKS)
    code = 'source "$RECIPE"; engine=fast_align; link_splits "$1" en de --filters identical'
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
        "RECIPE": str(ROOT / "examples/common/recipe.sh"),
        "CALLED": str(tmp_path / "called"),
    }
    subprocess.run(["bash", "-euo", "pipefail", "-c", code, "bash", name], cwd=tmp_path, env=environment, check=True)
    assert (folder / "train.symmetrized.links").read_text() == "0-0\n" * 3
    assert (folder / "valid.symmetrized.links").read_text() == "0-0\n" * 2
    assert (tmp_path / "called").read_text().endswith("--filters\nidentical\n")
    assert not (tmp_path / "hit").exists() and not list(folder.glob(".all*"))


def test_no_script_pipes_into_a_program_that_stops_reading():
    """Under pipefail a script would exit with 141 if the writer comes second."""
    assert len(shell_scripts()) > 20
    lines = [(path, line) for path in shell_scripts() for line in path.open()]
    assert [(path.name, line) for path, line in lines if STOPS_READING.search(line)] == []
