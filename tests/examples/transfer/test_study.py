import hashlib
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.examples.recipes import load
from tests.examples.stand_ins import EXAMPLES, environment, run_script
from xalign_fairseq.data.labelled.labels import label_of
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, find
from xalign_fairseq.transfer.plan import find_files
from xalign_fairseq.transfer.report import make_report
from xalign_fairseq.transfer.study import load_study, xtreme_study
from xalign_fairseq.transfer.tables import to_markdown

STUDIES = Path(__file__).parents[3] / "examples/transfer"
slow = partial(pytest.param, marks=pytest.mark.slow)
BASELINES = {
    **dict.fromkeys(("", "small", "longer", "mechanism"), "none"),
    **{"controls": "tlm", "encoders": "mlm-tlm", "ablations": "dwa"},
}


@pytest.mark.parametrize("study", sorted(STUDIES.rglob("studies/*.yaml")), ids=lambda path: path.stem)
def test_studies_are_read(study):
    assert load_study(study, data=STUDIES).tasks


@pytest.mark.parametrize("study", [*map(slow, sorted(BASELINES.keys() - {"small"})), "small"])
def test_the_report_matches_its_runs(study):
    """Every kind of table: averages, the best, differences, English, gaps, F1 and EM, missing runs, signatures."""
    results = STUDIES / study / "results"
    assert (results / "report/report.md").read_text() == to_markdown(make_report(results, BASELINES[study]))


[collect_results] = load("transfer", "collect_results")
COMMAND = (
    "fairseq-train /home/me/data/eval/ud --user-dir /usr/lib/x --init-checkpoint /tmp/model.pt --save-dir /tmp/run "
    "--files en=/home/me/data/eval/a.tsv,de=/home/me/data/bitext/b.tsv --lr 0.1"
)


@pytest.fixture
def results(tmp_path, monkeypatch):
    """The collected files of one finished run; another run has no result yet."""
    run = tmp_path / "out/runs/tlm/pos/1"
    for folder in (run, tmp_path / "out/runs/tlm/pos/2"):
        folder.mkdir(parents=True)
    (run / "result.json").write_text(json.dumps({"command": COMMAND, "seed": 1, "name": "é"}))
    np.savez_compressed(run / "counts.npz", **{"de/f1": np.arange(6).reshape(2, 3)})
    (run / "predictions.jsonl").touch()
    stale = tmp_path / "results/runs/old/result.json"
    stale.parent.mkdir(parents=True)
    stale.touch()
    monkeypatch.setattr(sys, "argv", ["collect_results.py", *map(str, (tmp_path / "out", tmp_path / "results"))])
    collect_results.main()
    return tmp_path / "results"


def test_runs_are_replaced_by_their_results_and_counts(results, capsys):
    files = sorted(str(path.relative_to(results)) for path in results.rglob("*") if path.is_file())
    assert files == ["runs/tlm/pos/1/counts.npz", "runs/tlm/pos/1/result.json"]
    found = json.loads((results / "runs/tlm/pos/1/result.json").read_text())
    assert found == {
        "command": "fairseq-train DATA/eval/ud --user-dir USER_DIR --init-checkpoint CHECKPOINT --save-dir RUN "
        "--files en=DATA/eval/a.tsv,de=DATA/bitext/b.tsv --lr 0.1",
        "seed": 1,
        "name": "é",
    }
    with np.load(results / "runs/tlm/pos/1/counts.npz") as counts:
        assert counts["de/f1"].tolist() == [[0, 1, 2], [3, 4, 5]]


TELL = '#!/bin/sh\necho "$@"\n'


def test_models_come_from_the_first_seeds_and_existing_ones_are_kept(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/so.pt").touch()
    given = (tmp_path, "transfer/1_models.sh", tmp_path / "runs", tmp_path / "models")
    done = run_script(*given, instead={"xalign": TELL})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    model, out = tmp_path / "runs/so-grow-1/checkpoint_last.pt", tmp_path / "models/so-grow.pt"
    assert lines[0] == f"untrim --model {model} --original e5-small --out {out}" and "/so.pt" not in done.stdout
    compared = {run.name for run in (EXAMPLES / "transfer/results/runs").iterdir()}
    assert {line.split("/")[-1].removesuffix(".pt") for line in lines} | {"so", "none"} == compared
    given = (tmp_path, "transfer/2_transfer.sh", tmp_path / "models", tmp_path / "out")
    for part, code in (("eval", 2), ("bitext", 0)):  # it needs both, and no assemble.py
        (tmp_path / part).mkdir()
        assert run_script(*given, instead={"xalign": TELL}, BENCHMARK=str(tmp_path)).returncode == code


[sampling, laying_out] = load("transfer", "sample_data", "lay_out")
NAMES = ["XNLI", "XNLI-MT", "PAWS-X", "WikiANN", "UD-2.5", "XQuAD", "SQuAD", "MLQA", "TyDiQA", "Tatoeba"]
TRANSLATED = ["MLQA-translate-train", "XTREME-XNLI", "XTREME-PAWSX", "XTREME-SQuAD", "XTREME-TyDiQA"]


def step(script, *arguments, **variables):
    command = ["bash", str(EXAMPLES / "transfer" / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment(**variables))


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Tiny synthetic archives in the original formats."""
    monkeypatch.setattr(sys, "argv", ["sample_data.py", str(tmp_path / "published"), "12", *NAMES, *TRANSLATED])
    sampling.main()
    return tmp_path / "published"


def table(published, server, path, dead=(), wrong=()):
    """The sources of a mirror, with the checksums of its files, in the format of sources.tsv."""
    lines = ["name\tpath\tbytes\tsha256\turl\thome"]
    for name, sources in sampling.files.__globals__["named"]().items():
        for source in sources:
            file = published / source.name
            if file.exists():
                content = file.read_bytes()
                if source.name not in dead:
                    server.files[f"/{source.name}"] = content
                known = hashlib.sha256(b"another" if source.name in wrong else content).hexdigest()
                address = f"http://127.0.0.1:{server.server_port}/{source.name}"
                lines.append(f"{name}\t{source.name}\t{len(content)}\t{known}\t{address}\thttps://home.example")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_every_set_is_fetched_and_laid_out_as_transfer_reads_it(published, server, tmp_path):
    sources = table(published, server, tmp_path / "sources.tsv", dead=["xquad/xquad.ru.json"], wrong=["x-final.tar.gz"])
    server.cut = 3000
    tasks = ("xnli", "pawsx", "ner", "pos", "xquad", "mlqa", "tydiqa", "tatoeba", "translate-train")
    first = step("0_download.sh", tmp_path / "data", *tasks, SOURCES=sources)
    assert first.returncode == 1 and "incomplete download" in first.stderr  # each file over 3000 bytes
    server.cut = None
    second = step("0_download.sh", tmp_path / "data", *tasks, SOURCES=sources)
    assert second.returncode == 1
    assert "xquad.ru.json\n" in second.stderr and "404" in second.stderr and "checksum" in second.stderr
    assert "2 of " in second.stderr and any(begun == 3000 for begun in server.ranges)
    assert not (tmp_path / "data/x-final").exists() and not (tmp_path / "data/xquad/xquad.ru.json").exists()
    sources = table(published, server, tmp_path / "sources.tsv")
    third = step("0_download.sh", tmp_path / "data", *tasks, SOURCES=sources)
    assert third.returncode == 0, third.stderr
    study = xtreme_study(tmp_path / "data", ["en", "de", "fr", "ru"], ["parsing"])
    files = find_files(study)
    assert set(files) == {"xnli", "pawsx", "pos", "ner", "parsing", "xquad", "mlqa", "tydiqa", "tatoeba"}
    for task in study.tasks:
        for part, found in files[task.name].items():
            for language, path in found.items():
                examples = task.benchmark.read(path, language)
                assert len(examples) == 12, (task.name, part, language)
                assert all(label_of(each) is not None for each in examples)


def test_the_translated_training_sets_of_xtreme_are_read(published, tmp_path):
    for file in (published / "xtreme_translations").rglob("*.*"):
        target = tmp_path / "data" / file.relative_to(published)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    german = published / "xtreme_translations/XNLI/translate-train/en-de-translated.tsv"
    english = [example.first for example in BENCHMARKS["xnli"].read(german, "de")]
    assert len(english) == 12 and all(sentence.split()[0].endswith("en") for sentence in english)  # "en" ends German
    for name, language in (("xnli", "de"), ("pawsx", "fr"), ("xquad", "ru"), ("mlqa", "de"), ("tydiqa", "ru")):
        path = find(BENCHMARKS[name], tmp_path / "data", "train", language)
        assert "translate-train" in str(path) and len(BENCHMARKS[name].read(path, language)) == 12


def test_synthetic_data_are_planned_and_an_unknown_task_is_refused(tmp_path):
    done = step("0_download.sh", tmp_path / "data", "xnli", SAMPLE="12")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data/XNLI-1.0/xnli.test.tsv").exists() and not (tmp_path / "data/x-final").exists()
    assert step("0_download.sh", tmp_path / "data", SAMPLE="", DRY="1").returncode == 2  # holds synthetic data
    done = step("0_download.sh", tmp_path / "other", "sst2", DRY="1")
    assert done.returncode == 2 and "unknown task sst2" in done.stderr
    (tmp_path / "real/ud-treebanks-v2.5").mkdir(parents=True)
    for release, code in (("2.5", 0), ("2.6", 2)):  # udpos would stay that of 2.5
        assert step("0_download.sh", tmp_path / "real", "pos", UD=release, DRY="1").returncode == code
