"""The tasks' data, from a server with the authors' files to the layout for xalign transfer."""

import hashlib
import subprocess
import sys

import pytest

from tests.examples.recipes import load
from tests.examples.stand_ins import EXAMPLES, environment
from xalign_fairseq.data.labelled.labels import label_of
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, find
from xalign_fairseq.transfer.plan import find_files
from xalign_fairseq.transfer.study import xtreme_study

[sampling, laying_out] = load("transfer", "sample_data", "lay_out")
NAMES = ["XNLI", "XNLI-MT", "PAWS-X", "WikiANN", "UD-2.5", "XQuAD", "SQuAD", "MLQA", "TyDiQA", "Tatoeba"]
TRANSLATED = ["MLQA-translate-train", "XTREME-XNLI", "XTREME-PAWSX", "XTREME-SQuAD", "XTREME-TyDiQA"]


def step(script, *arguments, **variables):
    command = ["bash", str(EXAMPLES / "transfer" / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment(**variables))


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Tiny made-up archives in the original formats."""
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


def test_made_up_data_are_planned_and_a_task_that_is_not_known_is_refused(tmp_path):
    done = step("0_download.sh", tmp_path / "data", "xnli", SAMPLE="12")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "data/XNLI-1.0/xnli.test.tsv").exists() and not (tmp_path / "data/x-final").exists()
    assert step("0_download.sh", tmp_path / "data", SAMPLE="", DRY="1").returncode == 2  # holds made-up data
    done = step("0_download.sh", tmp_path / "other", "sst2", DRY="1")
    assert done.returncode == 2 and "unknown task sst2" in done.stderr
