"""The studies of ALIGN-MLM read what xalign derive writes, and give the gap between supervised and zero-shot scores."""

import re
from pathlib import Path

import pytest

from xalign_fairseq.transfer.study import load_study, select

STUDIES = Path(__file__).parents[3] / "examples/align_mlm/studies"
EXTENSIONS = {"pos": "conllu", "ner": "tsv", "xnli": "tsv"}


def tasks(name):
    return {task.name: task for task in load_study(STUDIES / f"{name}.yaml", data="data").tasks}


@pytest.mark.parametrize("study", ["small", "paper"])
def test_each_task_is_zero_shot_and_supervised(study):
    found = tasks(study)
    assert set(found) == {*EXTENSIONS, *(f"{name}-supervised" for name in EXTENSIONS)}
    for name in EXTENSIONS:
        zero_shot, supervised = found[name], found[f"{name}-supervised"]
        assert (zero_shot.models, zero_shot.train_languages, zero_shot.languages) == ("one", ("en",), ("en", "xx"))
        assert (supervised.models, supervised.train_languages, supervised.languages) == ("each", ("xx",), ("xx",))
        assert supervised.files["test"]["xx"] == zero_shot.files["test"]["xx"]
        assert (supervised.settings, supervised.holdout) == (zero_shot.settings, zero_shot.holdout)


@pytest.mark.parametrize("study", ["small", "paper"])
def test_files_are_named_by_part_and_language(study):
    for task in tasks(study).values():
        for part, files in task.files.items():
            for language, file in files.items():
                assert re.fullmatch(rf"(pos|ner|nli)-{part}\.{language}\.{EXTENSIONS[task.benchmark.name]}", file)
                assert file.startswith(task.benchmark.name[-3:])


def test_figures_of_table_11():
    found = tasks("paper")
    assert {(t.settings.lr, t.settings.batch_size, t.settings.max_length) for t in found.values()} == {(2e-5, 32, 128)}
    assert {t.benchmark.name: t.settings.epochs for t in found.values()} == {"xnli": 5, "ner": 10, "pos": 10}
    assert all(task.holdout is None and task.valid_languages == task.train_languages for task in found.values())


def test_the_study_chooses_its_tasks_and_has_one_seed():
    study = select(load_study(STUDIES / "small.yaml", data="data"), tasks=["pos", "pos-supervised"])
    assert [task.name for task in study.tasks] == ["pos", "pos-supervised"] and len(study.seeds) == 1
