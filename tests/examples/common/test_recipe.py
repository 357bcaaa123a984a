import itertools
import json
import os
import shlex
import sys

import pytest

from tests.examples.stand_ins import EXAMPLES, run_real, run_script

# A script and its arguments after the folders; the run's folder inside the given one.
TRAINING = {
    "explicit_alignments/2_train.sh": ("weak",),
    "ppa/2_train.sh": ("ppa",),
    "weam/2_train.sh": ("weam", "de-en"),
    "xlm_align/3_train.sh": ("base",),
    "align_mlm/2_train.sh": ("align_mlm", "trans_inv", "1"),
}
ECHO = dict.fromkeys(("python", "xalign"), "#!/bin/sh\necho $*\n")
EPOCH = '2026 | INFO | train | {"epoch": 1, "train_loss": "8.7", "train_num_updates": "40", "train_lr": "0"}\n'
VALIDATION = '2026 | INFO | valid | {"epoch": 1, "valid_loss": "8", "valid_num_updates": "40"}\n'


def train(folder, script, *options, **variables):
    """Run a training script for 40 updates with its first setting; return the process and the run's folder."""
    checkpoint = folder / "model.pt"
    checkpoint.touch()
    setting, *others = TRAINING[script]
    name, places = setting, ["/data-bin", folder / "runs" / setting]
    if script.startswith("align_mlm"):
        name, places = "align_mlm.trans_inv-1", [folder, folder / "runs"]
        (folder / "data/trans_inv").mkdir(parents=True, exist_ok=True)
    variables = {"UPDATES": "40", "INIT": str(checkpoint), **variables}
    return run_script(folder, script, *places, setting, *others, *options, **variables), folder / "runs" / name


@pytest.mark.parametrize("script", TRAINING)
def test_a_finished_run_is_not_continued(script, tmp_path):
    done, save = train(tmp_path, script)
    assert done.returncode == 0 and "--max-update" in json.loads(done.stdout), done.stderr
    logs = [
        (VALIDATION, True),  # logged before the checkpoint is written
        (VALIDATION + EPOCH.replace("40", "400"), True),
        (VALIDATION + EPOCH, False),
    ]
    for log, called in logs if script == "ppa/2_train.sh" else logs[2:]:  # all call recipe.sh
        (save / "train.log").write_text(log)
        done, _ = train(tmp_path, script)
        assert done.returncode == 0 and ("--max-update" in done.stdout) is called
    assert done.stdout == f"{save} already has its 40 updates, by the command in {save}/run.json\n"


@pytest.mark.parametrize("script", TRAINING)
def test_options_devices_and_processes_are_passed_on_and_recorded(script, tmp_path):
    """DISTRIBUTED: the options that scripts/slurm/train.sbatch adds to examples/*/*_train.sh."""
    options = ["--adam-betas", "(0.9, 0.98)", "--user", 'a "b" \\']
    variables = {"DISTRIBUTED": "--distributed-world-size 16", "DEVICE": "--bf16 --checkpoint-activations"}
    done, save = train(tmp_path, script, *options, **variables)
    assert done.returncode == 0, done.stderr
    given, record = json.loads(done.stdout), json.loads((save / "run.json").read_text())
    words = shlex.split(record["command"])
    assert "UPDATES=40" in words[: words.index("bash")] and str(tmp_path.parent) not in record["command"]
    assert "align_mlm" in script or f"INIT={tmp_path.name}/model.pt" in words
    assert record["setting"] == save.name.removesuffix("-1") and record["seed"] == 1
    assert words[-4:] == options and "--distributed-world-size" in given
    assert {"--bf16", "--checkpoint-activations"} < set(given) and f"DEVICE={variables['DEVICE']}" in words
    # The first start left no checkpoint, for example because of a wrong option; the second is for a GPU in float32.
    done, _ = train(tmp_path, script, "--other", DEVICE="")
    command = json.loads((save / "run.json").read_text())["command"]
    assert command.endswith(" --other") and "DEVICE=''" in command
    assert not {"--cpu", "--fp16"} & set(json.loads(done.stdout))
    train(tmp_path, script, *options, **variables)
    (save / "checkpoint_last.pt").touch()
    # a resumed run keeps the record of its start, perhaps on another machine
    train(tmp_path, script, "--other")
    assert json.loads((save / "run.json").read_text()) == record


def test_the_training_replaces_its_script(tmp_path):
    """Under Slurm, a script in between would die of SIGUSR1, which is sent before the time limit."""
    done, _ = train(tmp_path, "ppa/2_train.sh", instead={"fairseq-train": "#!/bin/sh\necho $PPID\n"})
    assert done.stdout == f"{os.getpid()}\n"


@pytest.mark.parametrize(
    ("recipe", "words", "others", "changed", "found"),
    [
        ("ppa", "ppa", "ppa_mean", {}, "ppa, now ppa_mean"),
        ("ppa", "ppa", "ppa", {"SEED": "9"}, "1, now 9"),
        ("ppa", "ppa", "ppa", {"INIT": "/dev/zero"}, "dev/null, now dev/zero"),
        ("weam", "weam de-en --lr 1", "weam es-en --lr 1", {}, "weam es-en"),
        ("explicit_alignments", "procrustes", "procrustes --lang-pairs en-de", {}, "procrustes, now bash"),
    ],
)
def test_each_run_has_a_folder(recipe, words, others, changed, found, tmp_path):
    def start(words, **changed):
        variables = {"UPDATES": "4", "INIT": "/dev/null", **changed}
        return run_script(tmp_path, f"{recipe}/2_train.sh", "/data", tmp_path, *words.split(), **variables)

    start(words)
    (tmp_path / "checkpoint_last.pt").touch()
    (tmp_path / "train.log").write_text(EPOCH.replace("40", "4"))
    done = start(others, **changed)
    assert done.returncode == 2 and "has the run of another" in done.stderr and found in done.stderr, done.stderr
    assert start(words).stdout.endswith(f", by the command in {tmp_path}/run.json\n")


SCRIPTS = sorted(str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.sh") if path.parent.name != "common")


@pytest.mark.parametrize("script", SCRIPTS)
def test_without_arguments_a_script_prints_its_header(script, tmp_path):
    _, *lines = (EXAMPLES / script).read_text().splitlines(keepends=True)
    done = run_script(tmp_path, script)
    assert done.returncode == 2 and not done.stdout
    head = itertools.takewhile(lambda line: line.startswith("#"), lines)
    assert done.stderr == "".join(line.removeprefix("#").removeprefix(" ") for line in head)
    option = run_script(tmp_path, script, *["--cpu"] * 9)  # instead of a forgotten argument
    assert option.returncode == 2 and option.stderr.endswith(done.stderr)


@pytest.mark.parametrize("recipe", ["explicit_alignments", "ppa", "weam"])
@pytest.mark.parametrize("init", ["", "nowhere/model.pt"])
def test_the_checkpoint_to_start_from_must_exist(recipe, init, tmp_path):
    done, save = train(tmp_path, f"{recipe}/2_train.sh", INIT=init)
    assert done.returncode == 2 and "INIT" in done.stderr and f"'{init}'" in done.stderr and not save.exists()


PREPARING = sorted(
    str(path.relative_to(EXAMPLES)) for path in EXAMPLES.glob("*/[12]_*.sh") if "choose_vocabulary" in path.read_text()
)


@pytest.mark.parametrize("script", PREPARING)
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"SPM": "spm.model"}, "DICT"),
        ({"TOKENIZER": "nowhere"}, "TOKENIZER, a checkpoint or a Hugging Face folder: there is no file"),
        ({"TOKENIZER": "bert", "SPM": "spm.model"}, "not both"),
        ({"TOKENIZER": "bert", "DICT": "dict.txt"}, "not both"),
    ],
)
def test_an_incomplete_vocabulary_is_refused_before_linking(script, given, told, tmp_path):
    for name in ("spm.model", "bert"):
        (tmp_path / name).touch()
    variables = {name: str(tmp_path / value) for name, value in given.items()}
    done = run_script(tmp_path, script, tmp_path / "text", tmp_path / "bin", "de-en", **variables)
    assert done.returncode == 2 and told in done.stderr and not done.stdout


def test_the_vocabulary_is_that_of_a_tokenizer_or_of_files_or_new(tmp_path):
    for name in ("bert", "spm.model", "dict.txt"):
        (tmp_path / name).touch()
    script = f'source {EXAMPLES}/common/recipe.sh; choose_vocabulary 9; echo "${{vocabulary[@]}}"'
    for given, expected in (
        ({}, "--vocab-size 9"),
        ({"VOCAB": "7"}, "--vocab-size 7"),
        ({"TOKENIZER": "bert", "VOCAB": "7"}, "--tokenizer ./bert"),
        ({"SPM": "spm.model", "DICT": "dict.txt"}, "--spm ./spm.model --dict ./dict.txt"),
    ):
        assert run_real("bash", "-c", script, cwd=tmp_path, **given) == expected + "\n"


def test_all_folders_of_a_data_bin_count(databin):
    script = f"source {EXAMPLES}/common/recipe.sh; count_pairs {databin}:{databin} en-de; count_pairs {databin}"
    assert run_real("bash", "-c", script) == "1200\n1200\n"


# Records its arguments and links a line's last word, unless it is "none", with the first word of the other side.
LINKING = f"""#!{sys.executable} -S
import pathlib, sys
command, *rest = sys.argv[1:]
with open(pathlib.Path(__file__).parent / "calls", "a") as calls:
    print(*sys.argv[1:], file=calls)
if command == "links":
    out, src, tgt = (rest[rest.index(name) + 1] for name in ("--out", "--src", "--tgt"))
    words = [line.split() for line in open(src)]
    assert len(words) == len(list(open(tgt)))
    open(out, "w").writelines("\\n" if each[-1] == "none" else f"{{len(each) - 1}}-0\\n" for each in words)
    open(out + ".json", "w").write("counts")
"""


@pytest.fixture
def text(tmp_path):
    """Four training pairs, whose files lack the last newline, and two for validation."""
    folder = tmp_path / "text/de-en"
    folder.mkdir(parents=True)
    for split, lines in (("train", ["a b c", "none", "a", "a b"]), ("valid", ["none", "a b c d"])):
        for lang in ("de", "en"):
            (folder / f"{split}.{lang}").write_text("\n".join(lines))
    return folder


@pytest.mark.parametrize("recipe", ["explicit_alignments", "weam"])
def test_validation_has_links_that_are_made_with_those_of_training(recipe, text, tmp_path):
    def prepare(engine="eflomal"):
        given = (tmp_path, f"{recipe}/1_data.sh", text.parent, tmp_path / "data", "de-en")
        done = run_script(*given, instead={"xalign": LINKING}, ENGINE=engine)
        assert done.returncode == 0, done.stderr
        return [line.split() for line in (tmp_path / "bin/calls").read_text().splitlines()]

    linking, preparing = prepare()
    assert ("--filters identical one-to-one" in " ".join(linking)) is (recipe == "explicit_alignments")
    assert (text / "train.symmetrized.links").read_text() == "2-0\n\n0-0\n1-0\n"
    assert (text / "valid.symmetrized.links").read_text() == "\n3-0\n"
    prefix = "linked" if recipe == "explicit_alignments" else "train"
    links = "linked.links" if recipe == "explicit_alignments" else "train.symmetrized.links"
    places = [preparing[preparing.index(f"--{split}pref") + 1] for split in ("train", "valid")]
    assert places == [str(text / prefix), str(text / "valid")]
    given = [preparing[at + 1] for at, word in enumerate(preparing) if word == "--links"]
    assert given == [str(text / links), str(text / "valid.symmetrized.links")]
    if recipe == "explicit_alignments":  # pairs without a link are dropped
        assert (text / links).read_text() == "2-0\n0-0\n1-0\n"
        assert (text / "linked.de").read_text() == (text / "linked.en").read_text() == "a b c\na\na b\n"
    assert not list(text.glob(".*"))
    assert [call[0] for call in prepare()] == ["links", "prepare", "prepare"]  # links are kept
    (text / "train.de").write_text("a\nnone\na\na b")  # for example by another sentencepiece model
    assert [call[0] for call in prepare()][3:] == ["links", "prepare"]
    assert "--engine fast_align" in " ".join(prepare("fast_align")[5])


def test_languages_without_monolingual_text_are_named(text, tmp_path):
    mono = text.parent / "mono"
    mono.mkdir()
    given = (tmp_path, "xlm_align/2_prepare.sh", text.parent, tmp_path / "data", "de-en")
    assert f"--mono de={text}/train.de --mono en={text}/train.en " in run_script(*given, instead=ECHO).stdout
    (mono / "de.txt").touch()
    done = run_script(*given, instead=ECHO)
    assert f" --mono de={mono}/de.txt --vocab" in done.stdout
    assert done.stderr == f"warning: there is no monolingual text in en: {mono}/LANG.txt\n"


def test_own_finished_runs_are_evaluated(tmp_path):
    """The log of a run resumed with more updates has the end of the shorter training."""
    end = "2026 | INFO | fairseq_cli.train | done training in 9.1 seconds\n"
    runs = tmp_path / "runs"
    given = (tmp_path, "align_mlm/3_evaluate.sh", tmp_path, runs)
    done = run_script(*given, instead=ECHO)
    assert done.returncode == 2 and "there is no run" in done.stderr and not done.stdout
    for seed, log in enumerate((f"{EPOCH}{end}{EPOCH}", f"{EPOCH}{end}{EPOCH}{end}", end), 1):
        (runs / f"mlm.trans-{seed}").mkdir(parents=True)  # this repository has results of such names
        (runs / f"mlm.trans-{seed}/train.log").write_text(log)
    (runs / "results/runs").mkdir(parents=True)
    (runs / "results/runs/mlm.trans-3.json").touch()
    first, third, more = run_script(*given, instead=ECHO).stdout.splitlines()
    assert (first, third) == ("mlm.trans-1: not finished", "mlm.trans-3: already measured")
    assert f"{tmp_path} {runs}/mlm.trans-2 --tasks" in more and f"--results {runs}/results" in more
