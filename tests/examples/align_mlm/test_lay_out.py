import gzip
import io
import re
import sys
import tarfile
import zipfile

import pytest

from tests.examples.align_mlm.made_up import study
from tests.examples.recipes import load
from tests.examples.stand_ins import EXAMPLES, run_real

[laying_out] = load("align_mlm", "lay_out")
TREE = "1\t{}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n2\truns\t_\tVERB\t_\t_\t1\tdep\t_\t_\n\n"
HEADER = "language\tgold_label\tsentence1\tsentence2\tpairID"
WORDS = [first + second for first in ("mo", "ka", "ti", "re", "su", "la") for second in ("n", "ra", "pel", "dos", "ki")]


def archives(downloads, paragraphs):
    """Stand-ins for all downloads, each in its publisher's format."""
    downloads.mkdir(parents=True)
    with zipfile.ZipFile(downloads / "wikitext-103-raw-v1.zip", "w") as archive:
        archive.writestr("wikitext-103-raw/wiki.train.raw", "\n".join(paragraphs) + "\n")
        archive.writestr("wikitext-103-raw/wiki.test.raw", "of the test\n")
    with zipfile.ZipFile(downloads / "panx_dataset.zip", "w") as archive:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as language:
            for split in ("train", "dev", "test"):
                text = "".join(f"en:{word}\tB-PER\nen:of\tO\n\n" for word in (split, *WORDS)).encode()
                part = tarfile.TarInfo(split)
                part.size = len(text)
                language.addfile(part, io.BytesIO(text))
        archive.writestr("en.tar.gz", packed.getvalue())
        archive.writestr("de.tar.gz", b"another")
    rows = [
        f'{lang}\t{label}\tHe said "yes .\t{lang} {label}\t1'
        for lang in ("en", "de")
        for label in ("neutral", "entailment")
    ]
    with zipfile.ZipFile(downloads / "XNLI-1.0.zip", "w") as archive:
        for split in ("dev", "test"):
            archive.writestr(f"XNLI-1.0/xnli.{split}.tsv", "\n".join([HEADER, *rows]) + "\n")
            archive.writestr(f"__MACOSX/XNLI-1.0/._xnli.{split}.tsv", "no text")
    with zipfile.ZipFile(downloads / "XNLI-MT-1.0.zip", "w") as archive:
        translated = [
            f"one {n} .\tanother {n} .\t{('contradictory', 'neutral', 'entailment')[n % 3]}" for n in range(6)
        ]
        archive.writestr("XNLI-MT-1.0/multinli/multinli.train.en.tsv", "\n".join(["premise\thypo\tlabel", *translated]))
        archive.writestr("XNLI-MT-1.0/multinli/multinli.train.de.tsv", "premise\thypo\tlabel\n")
    for name in laying_out.TREEBANKS:
        (downloads / f"{name}.conllu").write_text("".join(TREE.format(word) for word in (name, *WORDS)))


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def lay_out(folder, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["lay_out.py", str(folder / "downloads"), str(folder)])
    laying_out.main()


def test_every_file_has_the_layout_that_the_steps_read(tmp_path, monkeypatch):
    archives(
        tmp_path / "downloads",
        [" ", " = Heading = ", ' It costs 3 @.@ 5 $ . He ran ! " No ? " said Mr. Bean . ', " = = Part = = "],
    )
    lay_out(tmp_path, monkeypatch)
    assert lines(tmp_path / "bitext/wikitext-103/train.en") == [
        "It costs 3 @.@ 5 $ .",
        "He ran !",
        '" No ?',
        '" said Mr. Bean .',
    ]
    assert (
        gzip.decompress((tmp_path / "eval/ud/fr_gsd-ud-dev.conllu.gz").read_bytes())
        .decode()
        .startswith("1\tfr_gsd-ud-dev\t")
    )
    assert lines(tmp_path / "eval/panx/train-en.tsv")[:4] == ["train\tB-PER", "of\tO", "", "mon\tB-PER"]
    assert lines(tmp_path / "eval/xnli/dev-en.tsv") == [
        'He said "yes .\ten neutral\tneutral',
        'He said "yes .\ten entailment\tentailment',
    ]
    assert lines(tmp_path / "eval/xnli/test-en.tsv")[0] == 'He said "yes .\ten neutral'
    assert lines(tmp_path / "eval/xnli/test.labels") == ["neutral", "entailment"]
    assert lines(tmp_path / "eval/xnli/train-en.tsv")[1] == "one 0 .\tanother 0 .\tcontradictory"
    assert lines(tmp_path / "eval/panx/test-en.tsv")[0] == "test\tB-PER"


@pytest.mark.slow
def test_the_steps_follow_each_other_from_the_archives(tmp_path):
    pytest.importorskip("sacremoses")
    sentences = [
        " ".join(WORDS[(number * step + number // 30) % len(WORDS)] for step in range(1, 4 + number % 5)).capitalize()
        + f" {number} ."
        for number in range(2600)
    ]
    archives(tmp_path / "downloads", [" ".join(sentences[n : n + 10]) for n in range(0, len(sentences), 10)])

    def step(script, *arguments, **variables):
        return run_real("bash", EXAMPLES / "align_mlm" / script, *arguments, **variables)

    step("0_download.sh", tmp_path)
    step("1_data.sh", tmp_path, tmp_path / "out", VOCAB="200", WORKERS="1", NER="10", WHOLE="1")
    derived = tmp_path / "out/derived/trans_inv"
    assert {len(lines(derived / f"pos-{split}.xx.conllu")) for split in ("train", "valid", "test")} == {4 * 31}
    assert len(lines(derived / "nli-train.xx.tsv")) == 6 and len(lines(derived / "nli-valid.xx.tsv")) == 2
    step("2_train.sh", tmp_path / "out", tmp_path / "runs", "align_mlm", "trans_inv", "1", UPDATES="2", WARMUP="1")
    assert (tmp_path / "runs/align_mlm.trans_inv-1/checkpoint_last.pt").exists()
    # the paper's study, with one epoch and seed
    paper = (EXAMPLES / "align_mlm/studies/paper.yaml").read_text()
    quick = tmp_path / "quick.yaml"
    quick.write_text(re.sub(r"epochs: \d+", "epochs: 1", re.sub(r"seeds: .*", "seeds: [1]", paper)))
    evaluating = ("3_evaluate.sh", tmp_path / "out", tmp_path / "runs")
    variables = {"STUDY": str(quick), "TASKS": "pos ner xnli", "RESULTS": str(tmp_path / "results")}
    step(*evaluating, **variables)
    [[run]] = study.read(tmp_path / "results").values()
    assert (run.record["setting"], run.seed, run.record["updates"]) == ("align_mlm.trans_inv", 1, 2)
    assert run.record["alignment"].keys() == {"trained", "held out", "unused", "all"} and run.record["tokens"] > 200
    assert run.gap_counts("pos").shape == (31, 6)  # one row per test sentence (F1)
    found = {task: run.scores(task) for task in ("pos", "ner", "xnli")}
    rounded = {task: {name: round(score, 4) for name, score in scores.items()} for task, scores in found.items()}
    assert run.record["scores"] == rounded
    assert found["pos"]["Δ"] == pytest.approx(found["pos"]["SUP"] - found["pos"]["ZS"])
    assert not (tmp_path / "runs/align_mlm.trans_inv-1/transfer").exists()
    assert step(*evaluating, **variables) == "align_mlm.trans_inv-1: measured already\n"  # existing results are kept
