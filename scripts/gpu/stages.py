"""What is run on a GPU machine: one line for each stage.

In a command {python} is the interpreter that has everything, {source} the kit's sources, {kit} the kit, {work} a folder
for whatever is large, {files} the stage's own folder, whose ``files`` come back, and {seconds} the time that it has.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Stage:
    """One stage.

    Attributes:
        name: of the stage and of its results.
        command: program and arguments.
        seconds: at most; it is then stopped.
        least: seconds without which it isn't begun but left for the next time.
        cuda: whether it needs a GPU; without one it is not measured.
        modules: that must be there; without one it is not measured.
        parts: of the kit that it needs, as ``data`` or ``encoder``.
        files: names in {files} that come back: the content of JSON files as the stage's figures, others beside them.
    """

    name: str
    command: tuple[str, ...]
    seconds: int
    least: int = 30
    cuda: bool = True
    modules: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    files: tuple[str, ...] = field(default=())


INSTALL = Stage("install", ("{machine_python}", "{source}/scripts/gpu/install.py", "{kit}", "{work}"), 240, cuda=False)
STAGES = (
    INSTALL,
    Stage("doctor", ("{python}", "-m", "xalign_fairseq", "doctor"), 180, cuda=False),
    Stage(
        "tests",
        ("{python}", "{source}/scripts/gpu/run_tests.py", "{source}", "{files}"),
        480,
        least=120,
        modules=("pytest", "hypothesis"),
        files=("tests.json",),
    ),
    Stage(
        "kernels",
        (
            "{python}", "{source}/scripts/benchmark_sinkhorn.py", "--device", "cuda", "--seconds", "{seconds}",
            "--out", "{files}",
        ),
        270,
        least=90,
        modules=("matplotlib",),
        files=("sinkhorn-cuda.json",),
    ),
    Stage(
        "profile",
        ("{python}", "{source}/scripts/benchmark_sinkhorn.py", "--device", "cuda", "--profile", "--out", "{files}"),
        240,
        modules=("matplotlib",),
        files=("sinkhorn-profile-cuda.txt",),
    ),
)  # fmt: skip
