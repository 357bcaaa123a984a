"""Every script that takes paths, in folders of odd names: a name is one word to all programs, and no option."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.scripts.test_shell import ROOT, shell_scripts

NAMES = ['lang=de\n* it\'s "said" $(touch hit) `touch hit`', "-x y=z"]

# In the place of all programs of Python. It notes its arguments, and makes what it is asked to write.
PROGRAM = f"""#!{sys.executable} -S
import json, os, sys
name, given = os.path.basename(sys.argv[0]), sys.argv[1:]
with open(os.environ["CALLED"], "a") as stream:
    stream.write(json.dumps([name, *given]) + "\\n")
if name == "python" and given[0] == "-":
    sys.exit(print(64))
asked = {{option: value for option, value in zip(given, given[1:])}}
for option in ("--src", "--tgt", "--hyp", "--gold", "--model", "--init-checkpoint", "--spm", "--dict", "--tokenizer"):
    value = asked.get(option, "")
    if "/" in value and not os.path.exists(value) and not os.path.exists(value.partition("=")[2]):
        sys.exit(f"there is no {{value}}")
def touch(path, text="0-0\\n" * 4):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as stream:
        stream.write(text)
if given[:1] == ["user-dir"]:
    print("/user")
elif given[0].endswith("options.py"):
    print("--lr\\n1\\n5")
elif given[0].endswith("assemble.py"):
    pair, out = given[1:]
    for side in pair.split("-"):
        touch(f"{{out}}/train.{{side}}", "a\\nb\\n")
elif given[0].endswith("tokenize_bitext.py"):
    print(sys.stdin.read(), end="")
elif given[0].endswith("split_bitext.py"):
    for split in ("train", "valid"):
        for end in (*given[2:4], "links"):
            touch(f"{{given[1]}}/{{split}}.{{end}}")
elif given[0].endswith("english_text.py"):
    touch(given[2], "a\\n" * 2002)
elif given[0].endswith("encode.py"):
    touch(given[2] + ".model" if given[1] == "train" else given[4])
elif given[0].endswith("parse_text.py"):
    touch(given[2] if given[1] == "train" else given[3])
elif given[0] == "sample":
    for pair in ("en-de", "en-fr", "en-ru"):
        for side in pair.split("-"):
            for split in ("train", "valid"):
                touch(f"{{asked['--out']}}/{{pair}}/{{split}}.{{side}}")
            touch(f"{{asked['--out']}}/mono/train.{{side}}")
elif given[0] == "derive":
    for end in ("english.en-xx.en", "english.en-xx.xx", "english.en-xx.links", "sentencepiece.model", "dict.txt"):
        touch(f"{{asked['--out']}}/{{end}}", "a\\n" * 2002)
elif given[0] in ("prepare", "lexicon"):
    os.makedirs(asked.get("--out", "/tmp"), exist_ok=True)
    if "--out" in asked:
        for name in ("dict.txt", "sentencepiece.model"):
            touch(f"{{asked['--out']}}/{{name}}")
elif "--out" in asked:
    touch(asked["--out"])
    touch(asked["--out"] + ".json")
    for end in ("fwd", "rev"):
        if "--directions" in asked:
            touch(f"{{asked['--directions']}}.{{end}}")
elif "--destdir" in asked:
    touch(f"{{asked['--destdir']}}/dict.de.txt")
if "--save-dir" in asked:
    touch(f"{{asked['--save-dir']}}/checkpoint_last.pt")
"""
PAIR = [f"{split}.{end}" for split in ("train", "valid") for end in ("de", "en")]
TEXT = [f"de-en/{name}" for name in PAIR]
BENCHMARK = [
    "assemble.py", "bitext/x", "eval/ud/en_ewt-ud-dev.conllu.gz", "eval/ud/en_ewt-ud-test.conllu.gz",
    "eval/panx/train-en.tsv", "eval/panx/dev-en.tsv", "eval/xnli/dev-en.tsv", "eval/xnli/test-en.tsv",
    "eval/xnli/test.labels", *(f"gold/simalign-testsets/de-en.{end}" for end in ("de", "en", "gold")),
]  # fmt: skip
SETTINGS = re.search(r"settings=\((.*?)\)", (ROOT / "examples/transfer/1_models.sh").read_text(), re.DOTALL)[1]
RUN = ["run-1/checkpoint_last.pt", "run-1/train.log"]
STUDY = [
    f"bin/data/trans_inv{variant}/x"
    for variant in ("", ".dictionary50", ".overlap25", ".overlap50", *(f".parallel{share}" for share in (1, 10, 100)))
]
MODELS = [f"run/{name}-1/checkpoint_last.pt" for name in re.findall(r"[\w-]+", SETTINGS)]
# Of each script its arguments, each that begins with @ in the folder of the odd name; the files that are there; and the
# variables.
MODEL = {"INIT": "@model.pt", "DEVICE": "--cpu", "UPDATES": "5"}
DATA_AND_RUN = ("@bin", "@out")
CASES = {
    "examples/align_mlm/0_download.sh": (["@out"], [], {"DRY": "1"}),
    "examples/align_mlm/0_parse.sh": (["@a", "@out/b", "@c", "@d"], ["a", "c", "d", "e"], {"TEST": "@e"}),
    "examples/align_mlm/1_data.sh": (["@.", "@out"], [*BENCHMARK, "p/parses", "p/parser.pt"], {"PARSES": "@p/parses"}),
    "examples/align_mlm/2_train.sh": (["@.", "@out", "mlm", "trans", "1"], ["data/trans/x"], {"UPDATES": "5"}),
    "examples/align_mlm/3_evaluate.sh": (["@bin", "@."], RUN, {"RESULTS": "@res", "STUDY": "@s.yaml"}),
    "examples/align_mlm/study.sh": (["@bin", "@out"], STUDY, {"RESULTS": "@res", "SEEDS": "1"}),
    "examples/explicit_alignments/0_download.sh": (["@out", "de-en"], [], {"DRY": "1"}),
    "examples/explicit_alignments/1_data.sh": (["@.", "@out", "de-en"], ["t", *TEXT], {"TOKENIZER": "@t"}),
    "examples/explicit_alignments/2_train.sh": ([*DATA_AND_RUN, "procrustes"], ["model.pt"], MODEL),
    "examples/fairseq_preprocess/1_preprocess.sh": (["@.", "@out", "de-en"], TEXT, {}),
    "examples/fairseq_preprocess/2_train.sh": (DATA_AND_RUN, ["model.pt"], MODEL),
    "examples/ppa/0_download.sh": (["@out", "en-de"], [], {"SAMPLE": "4"}),
    "examples/ppa/1_data.sh": (["@.", "@out", "de-en"], ["s", "d", *TEXT], {"SPM": "@s", "DICT": "@d"}),
    "examples/ppa/2_train.sh": ([*DATA_AND_RUN, "ppa"], ["model.pt"], {**MODEL, "UPDATES": ""}),
    "examples/transfer/0_download.sh": (["@out"], [], {"DRY": "1"}),
    "examples/transfer/1_models.sh": (["@run", "@out"], MODELS, {}),
    "examples/transfer/2_transfer.sh": (["@.", "@out"], ["x.pt", "assemble.py"], {"BENCHMARK": "@."}),
    "examples/transfer/small/1_data.sh": (["@out", "@bin", "de-en"], ["assemble.py"], {"BENCHMARK": "@."}),
    "examples/weam/0_download.sh": (["@out"], [], {"DRY": "1"}),
    "examples/weam/1_data.sh": (["@.", "@out", "de-en"], TEXT, {}),
    "examples/weam/2_train.sh": ([*DATA_AND_RUN, "weam", "de-en"], ["model.pt"], MODEL),
    "examples/weam/3_embeddings.sh": (
        ["@.", "de-en", "@out", "@model.pt", "@b.pt"],
        ["model.pt", "b.pt", *TEXT, "de-en/train.links"],
        {},
    ),
    "examples/xlm_align/0_download.sh": (["@out", "en-fr"], [], {"SAMPLE": "4"}),
    "examples/xlm_align/2_prepare.sh": (["@.", "@out", "de-en"], [*TEXT, "mono/de.txt"], {}),
    "examples/xlm_align/3_train.sh": ([*DATA_AND_RUN, "base"], ["model.pt"], MODEL),
    "examples/xlm_align/continued/prepare.sh": (["@out", "@bin"], ["assemble.py"], {"BENCHMARK": "@."}),
    "scripts/demo.sh": (["@out"], [], {"VIRTUAL_ENV": "x"}),
    "scripts/gpu/pack.sh": (["@out"], ["a.whl"], {"WHEELS": "@.", "BENCHMARK": "@b", "PYTHON": "python"}),
}
MANY = ("examples/align_mlm/study.sh", "examples/align_mlm/1_data.sh")  # programs are started there
# What takes no path, is sourced, has tests of its own with these names, or hands on what it is given as it is.
OTHERS = {
    "examples/common/recipe.sh", "scripts/slurm/align.sbatch", "scripts/slurm/project.sbatch",
    "scripts/install.sh", "scripts/test.sh",
    "scripts/write_constraints.sh", "scripts/torchrun.sh", "scripts/slurm/train.sbatch", "scripts/gpu/run.sh",
}  # fmt: skip


def test_every_script_is_run_or_takes_no_path():
    assert ({path.relative_to(ROOT).as_posix() for path in shell_scripts()} - {".ci/run"}) == CASES.keys() | OTHERS


@pytest.fixture
def machine(tmp_path):
    """A copy of the scripts, and stand-ins for all programs of Python."""
    for name in ("xalign", "python", "fairseq-train", "fairseq-preprocess", "fast_align"):
        path = tmp_path / "programs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(PROGRAM)
        path.chmod(0o755)
    copy = tmp_path / "copy"
    for path in shell_scripts():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    for pair in ("en-es", "en-fr", "en-pt"):
        for end in ("en", pair[3:], "gold"):
            (copy / f"examples/demo/gold/{pair}.{end}").parent.mkdir(parents=True, exist_ok=True)
            (copy / f"examples/demo/gold/{pair}.{end}").touch()
    for name in ("setup.py", "pyproject.toml", "README.md", "constraints.txt", "tests/x", "xalign_fairseq/x"):
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).touch()
    shutil.copy(ROOT / "scripts/gpu/requirements.txt", copy / "scripts/gpu")
    return tmp_path


@pytest.mark.parametrize("name", [NAMES[0], pytest.param(NAMES[1], marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "script", [pytest.param(each, marks=pytest.mark.slow) if each in MANY else each for each in CASES]
)
def test_paths_of_any_name(machine, script, name):
    arguments, files, variables = CASES[script]
    folder = machine / "here" / name
    if script == "scripts/demo.sh":  # it works in the root
        folder = machine / "copy" / name
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("done training\n" if file.endswith(".log") else "1\n2\n3\n4\n")
        if file.endswith(".gz"):
            (folder / file).write_bytes(gzip.compress(b"1\n"))
    folder.mkdir(parents=True, exist_ok=True)

    def place(given):
        return f"{name}/{given[1:]}" if given.startswith("@") else given

    before = sorted(each.name for each in folder.parent.iterdir())
    called = machine / "called"
    environment = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "BENCHMARK")}
    environment |= {key: place(value) for key, value in variables.items()}
    environment |= {"PATH": f"{machine}/programs:{os.environ['PATH']}", "CALLED": str(called), "CDPATH": ""}
    line = ["bash", str(machine / "copy" / script), *map(place, arguments)]
    done = subprocess.run(line, cwd=folder.parent, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    calls = [json.loads(call) for call in called.read_text().splitlines()]
    # Each path is one word, and it begins so that it is no option.
    words = [word for call in calls for word in call[1:]]
    assert any(f"/{name}/" in word or f"/{name}." in word for word in words), calls
    assert not [word for word in words if word.startswith(name)]
    assert sorted(each.name for each in folder.parent.iterdir()) == before  # nothing elsewhere, nothing was run
