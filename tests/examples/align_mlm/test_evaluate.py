"""A run of ALIGN-MLM from data to results, by the recipe's own scripts."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from support import transfer_data as made_up

from tests.examples.align_mlm.made_up import study
from tests.examples.stand_ins import EXAMPLES

pytest.importorskip("fairseq")
NAME = "align_mlm.trans-1"


def script(*command, **variables):
    """The output of a command of the recipe, with this environment's programs."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [*map(str, command)],
        cwd=EXAMPLES / "align_mlm",
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, "OMP_NUM_THREADS": "1", **variables},
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_a_run_is_trained_fine_tuned_and_measured(tmp_path, command):
    rng = random.Random(1)
    for split, count in (("train", 40), ("test", 10)):
        text = made_up.conllu([made_up.sentence(rng) for _ in range(count)])
        made_up.write(tmp_path / f"labelled/pos-{split}.en.conllu", text)
    english, derived, bin_ = tmp_path / "english.txt", tmp_path / "derived/trans", tmp_path / "data/trans"
    lines = [" ".join(word for word, *_ in made_up.sentence(rng)) for _ in range(200)]
    english.write_text("".join(f"{line}\n" for line in lines))
    command("xalign", "prepare", "--out", tmp_path / "vocabulary", "--mono", f"en={english}", "--vocab-size", 80)
    files = [f"pos-{split}={tmp_path}/labelled/pos-{split}.en.conllu" for split in ("train", "test")]
    command("xalign", "derive", "--out", derived, "--steps", "script", "--spm",
            tmp_path / "vocabulary/sentencepiece.model", "--text", f"english={english}", "--conllu", files[0],
            "--conllu", files[1])  # fmt: skip
    for path in (tmp_path / "labelled").iterdir():
        (derived / path.name).write_text(path.read_text())
    prefix = derived / "english.en-xx"
    command("xalign", "prepare", "--out", bin_, "--spm", derived / "sentencepiece.model", "--dict",
            derived / "dict.txt", "--pair", "en-xx", "--trainpref", prefix, "--validpref", prefix, "--links",
            f"{prefix}.links", "--mono", f"en={prefix}.en", "--mono", f"xx={prefix}.xx")  # fmt: skip
    command("xalign", "lexicon", bin_, "--pair", "en-xx", "--from", derived / "lexicon.en-xx.tsv", "--pieces",
            "--fraction", 0.5, "--held-out", 0.2, "--seed", 1)  # fmt: skip
    data = tmp_path
    runs, results = data / "runs", data / "results"
    sizes = {"UPDATES": "3", "DIM": "32", "LAYERS": "1", "MAX_TOKENS": "256"}
    script("bash", "2_train.sh", data, runs, "align_mlm", "trans", 1, **sizes)
    variables = {"RESULTS": str(results), "TASKS": "pos"}
    said = script("bash", "3_evaluate.sh", data, runs, **variables)
    assert said.startswith(f"{NAME}: pos Δ ") and "alignment" in said
    [[run]] = study.read(results).values()
    assert (run.record["setting"], run.seed, run.record["updates"]) == ("align_mlm.trans", 1, 3)
    assert run.record["encoder"] == "1 x 32" and run.record["tokens"] > 3 * 200
    assert run.record["alignment"].keys() == {"trained", "held out", "unused", "all"}
    # one row per test sentence (F1), for both models in the derived language
    sentences = (data / "derived/trans/pos-test.xx.conllu").read_text().count("\n\n")
    assert run.gap_counts("pos").shape == (sentences, 6)
    found = run.scores("pos")
    assert run.record["scores"] == {"pos": {name: round(score, 4) for name, score in found.items()}}
    assert 0 < found["SUP"] < 1 and found["Δ"] == pytest.approx(found["SUP"] - found["ZS"])
    assert not (runs / NAME / "transfer").exists()
    # existing results are kept
    before = json.loads((results / f"runs/{NAME}.json").read_text())
    assert script("bash", "3_evaluate.sh", data, runs, **variables) == f"{NAME}: measured already\n"
    assert json.loads((results / f"runs/{NAME}.json").read_text()) == before
