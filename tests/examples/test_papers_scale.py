import re
import sys
from functools import partial

import pytest
from support.pages import blocks
from support.processes import program

from tests.examples.stand_ins import EXAMPLES, USER_DIR, run_real
from xalign_fairseq.data.databin import DataBin

# Replaces fast_align: links words at the same positions.
FAST_ALIGN = f"""#!{sys.executable} -S
import sys
for line in open(sys.argv[sys.argv.index("-i") + 1], encoding="utf-8"):
    src, tgt = line.split(" ||| ")
    print(" ".join(f"{{i}}-{{i}}" for i in range(min(len(src.split()), len(tgt.split())))))
"""
SMALL = "--arch xalign_tiny --num-workers 0 --log-interval 1"
XLM_R = "--layer-norm-eps 1e-5 --token-types 1"  # for recipes that start from mBERT
# Options of training in addition to those of a paper's page.
OPTIONS = {
    "ppa": f"--min-sentence-length 1 --moco-queue-size 16 {XLM_R}",
    "weam": XLM_R,
    "explicit_alignments": "",
    "xlm_align": "--mono-tokens-per-sample 64 --dwa-label-layer 2",
}
LINKED = ("weam", "explicit_alignments")


def steps(paper, folder):
    """The commands of a paper's page, with a small vocabulary, one language pair and a small start."""
    [(_, text), *_] = blocks(EXAMPLES / paper / "README.md", "Steps")
    text = re.sub(r"\s+#.*$", "", text.replace("\\\n", " "), flags=re.MULTILINE)
    text = re.sub(r"(\S+=)?(TEXT/mbert\.pt|\$XLMR/model\.pt)", rf"\1{folder}/start/checkpoint_last.pt", text)
    text = re.sub(r"(TOKENIZER|SPM|DICT)=\S+", "VOCAB=300", text)
    text = re.sub(r"( +[a-z]{2}-[a-z]{2}\b)+", " de-en", text)
    text = re.sub(r"\b(TEXT|DATA_BIN|SAVE_DIR|words(?= ))\b", rf"{folder}/\1", text)
    return [line.strip() for line in text.splitlines() if line and not line.startswith("XLMR=")]


@pytest.mark.slow
@pytest.mark.parametrize("paper", OPTIONS)
def test_the_steps_of_a_papers_page_follow_each_other(paper, tmp_path):
    program(tmp_path / "bin/fast_align", FAST_ALIGN)
    run = partial(run_real, folders=[tmp_path / "bin"])
    downloading, preparing, training, *after = steps(paper, tmp_path)

    def step(line, **variables):
        run("bash", "-euc", f"cd {EXAMPLES / paper}; {line}", **variables)

    data, save = tmp_path / "DATA_BIN", tmp_path / "SAVE_DIR"
    step(downloading, SAMPLE="60")
    step(preparing, WORKERS="1")
    assert (DataBin(data).links("valid", "de", "en") is not None) is (paper in LINKED)
    start = ("--user-dir", USER_DIR, "--task", "xalign_pretraining", "--criterion", "mlm", "--arch", "xalign_tiny",
             "--max-tokens", 512, "--optimizer", "adam", "--lr", "1e-4", "--max-update", 1, "--cpu",
             "--disable-validation", "--save-dir", tmp_path / "start", "--num-workers", 0)  # fmt: skip
    if paper != "xlm_align":  # without monolingual text
        start = tuple("tlm" if option == "mlm" else option for option in start)
    run("fairseq-train", data, *start)
    sizes = {"UPDATES": "2", "BATCH": "8", "UPDATE_FREQ": "1", "DEVICE": "--cpu", "WARMUP": "1"}
    step(f"{training} {SMALL} {OPTIONS[paper]}", **sizes)
    assert '"train_num_updates": "2"' in (save / "train.log").read_text() and (save / "checkpoint_last.pt").exists()
    assert (save / "run.json").exists()
    for line in after:
        step(line, CUDA_VISIBLE_DEVICES="")
