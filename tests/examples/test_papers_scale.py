import sys
from functools import partial

import pytest

from tests.examples.stand_ins import EXAMPLES, USER_DIR, run_real
from xalign_fairseq.data.databin import DataBin

# Replaces fast_align: links words at the same positions.
FAST_ALIGN = f"""#!{sys.executable} -S
import sys
for line in open(sys.argv[sys.argv.index("-i") + 1], encoding="utf-8"):
    src, tgt = line.split(" ||| ")
    print(" ".join(f"{{i}}-{{i}}" for i in range(min(len(src.split()), len(tgt.split())))))
"""
SMALL = ("--arch", "xalign_tiny", "--num-workers", "0", "--log-interval", "1")
XLM_R = ("--layer-norm-eps", "1e-5", "--token-types", "1")  # for recipes that start from mBERT
# Commands after 0_download.sh that make the data-bin and that train, and the second one's options.
STEPS = {
    "ppa": (("1_data.sh",), ("2_train.sh", "ppa"), ("--min-sentence-length", "1", "--moco-queue-size", "16", *XLM_R)),
    "weam": (("1_data.sh",), ("2_train.sh", "weam", "en-de"), XLM_R),
    "explicit_alignments": (("1_data.sh",), ("2_train.sh", "weak"), ()),
    "xlm_align": (
        ("2_prepare.sh",),
        ("3_train.sh", "base"),
        ("--mono-tokens-per-sample", "64", "--dwa-label-layer", "2"),
    ),
}
LINKED = ("weam", "explicit_alignments")


@pytest.mark.slow
@pytest.mark.parametrize("paper", STEPS)
def test_the_steps_of_a_paper_follow_each_other(paper, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "fast_align").write_text(FAST_ALIGN)
    (programs / "fast_align").chmod(0o755)
    run = partial(run_real, folders=[programs])

    def step(script, *arguments, **variables):
        run("bash", EXAMPLES / paper / script, *arguments, **variables)

    text, data, save = tmp_path / "text", tmp_path / "data", tmp_path / "run"
    (preparing,), (training, *setting), options = STEPS[paper]
    step("0_download.sh", text, "en-de", SAMPLE="60")
    step(preparing, text, data, "en-de", VOCAB="300", WORKERS="1")
    assert (DataBin(data).links("valid", "en", "de") is not None) is (paper in LINKED)
    start = ("--user-dir", USER_DIR, "--task", "xalign_pretraining", "--criterion", "mlm", "--arch", "xalign_tiny",
             "--max-tokens", 512, "--optimizer", "adam", "--lr", "1e-4", "--max-update", 1, "--cpu",
             "--disable-validation", "--save-dir", tmp_path / "start", "--num-workers", 0)  # fmt: skip
    if paper != "xlm_align":  # without monolingual text
        start = tuple("tlm" if option == "mlm" else option for option in start)
    run("fairseq-train", data, *start)
    sizes = {"UPDATES": "2", "BATCH": "8", "UPDATE_FREQ": "1", "DEVICE": "--cpu", "WARMUP": "1"}
    sizes["INIT"] = str(tmp_path / "start/checkpoint_last.pt")
    step(training, data, save, *setting, *SMALL, *options, **sizes)
    assert '"train_num_updates": "2"' in (save / "train.log").read_text() and (save / "checkpoint_last.pt").exists()
    assert (save / "run.json").exists()
    if paper == "xlm_align":
        run("xalign", "bench", "--data", text / "gold", "--model", save / "checkpoint_last.pt", "--device", "cpu")
