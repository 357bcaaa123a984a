"""The stages of a run on a GPU machine, one entry each.

In a command, {python} is the interpreter of the new environment, {source} the kit's sources, {data} its data, {encoder}
its encoder, {kit} the kit, {work} a folder for large files, and {files} the stage's folder, whose ``files`` are kept.
{seconds} and {minutes} are slightly below the stage's limit, for programs that stop by themselves.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Stage:
    """One stage.

    Attributes:
        name: the name of the stage and of its results.
        command: program and arguments.
        seconds: time limit, after which it is stopped.
        least: with less time than these seconds it does not start.
        cuda: whether it needs a GPU; without one it is not measured.
        modules: required modules; without one it is not measured.
        parts: required parts of the kit, such as ``data.tar.xz``.
        files: patterns of names in {files} to keep: the content of JSON files as the stage's figures, others next to
            the result.
    """

    name: str
    command: tuple[str, ...]
    seconds: int
    least: int = 30
    cuda: bool = True
    modules: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    files: tuple[str, ...] = field(default=())


PLOTS = ("matplotlib",)
PEERS = ("transformers", "scipy.sparse", "sklearn.base", "networkx")  # the kit's stand-ins lack such parts

INSTALL = Stage("install", ("{machine_python}", "{source}/scripts/gpu/install.py", "{kit}", "{work}"), 240, cuda=False)
# Most needed first: 15 minutes of a GPU are enough for the first three after the installation.
STAGES = (
    INSTALL,
    Stage(
        "steps",
        ("{python}", "{source}/scripts/benchmark_training.py", "--profile", "--device", "cuda", "--arch", "base",
         "--data-bin", "{data}/data-bin", "--out", "{files}"),
        150, least=60, modules=PLOTS, parts=("data.tar.xz",),
        files=("training-profile-cuda.txt", "training-trace-cuda.json.gz"),
    ),
    Stage(
        "training",
        ("{python}", "{source}/scripts/benchmark_training.py", "--device", "cuda", "--arch", "base", "small",
         "--data-bin", "{data}/data-bin", "--minutes", "{minutes}", "--work", "{files}", "--out", "{files}"),
        360, least=90, modules=PLOTS, parts=("data.tar.xz",), files=("training-cuda.json",),
    ),
    Stage(
        "aligner",
        ("{python}", "{source}/scripts/benchmark_aligner.py", "--device", "cuda", "--pairs", "1024",
         "--src", "{data}/text/de-en.de", "--tgt", "{data}/text/de-en.en", "--model", "{encoder}",
         "--work", "{work}/aligner", "--out", "{files}"),
        300, least=120, modules=PEERS, parts=("data.tar.xz", "encoder.bin"), files=("aligner-cuda.json",),
    ),
    Stage("doctor", ("{python}", "-m", "xalign_fairseq", "doctor"), 180, cuda=False),
    Stage(
        "tests",
        ("{python}", "-P", "{source}/scripts/gpu/run_tests.py", "{source}", "{files}", "{seconds}"),
        540, least=120, modules=("pytest", "hypothesis"), files=("tests.json",),
    ),
    Stage(
        "kernels",
        ("{python}", "{source}/scripts/benchmark_sinkhorn.py", "--device", "cuda", "--seconds", "{seconds}",
         "--out", "{files}"),
        270, least=90, files=("sinkhorn-cuda.json",),
    ),
    Stage(
        "profile",
        ("{python}", "{source}/scripts/benchmark_sinkhorn.py", "--device", "cuda", "--profile", "--out", "{files}"),
        240, least=60, files=("sinkhorn-profile-cuda.txt",),
    ),
)  # fmt: skip
