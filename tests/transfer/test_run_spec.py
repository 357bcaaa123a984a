import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.transfer_data import ENCODER, STUDY, found, with_task, write_pairs

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.run_spec import RunSpec, is_done, train_options


def write_result(folder, languages):
    """The result of a run that was tested on these languages."""
    about = {"format": 1, "checkpoint": "enc", "task": "pairs", "benchmark": "xnli", "models": "one", "seed": 3}
    found = {"scores": {}, "items": dict.fromkeys(languages, 4), "signatures": {}}
    result = {**about, **found, "train_languages": ["en"]}
    (folder / "result.json").write_text(json.dumps(result))


def test_fairseqs_command_line(runs, folder):
    (spec, _) = runs(with_task("train_languages: [de], code_switch: true, holdout: 0.1"), precision="bf16")
    command = train_options(spec, Path("save"))
    assert command[0] == str(folder)
    assert found(command, "--task") == "xalign_classification" and found(command, "--benchmark") == "xnli"
    assert found(command, "--train-langs") == "en,de"
    assert found(command, "--train-files") == f"en={folder}/train-en.tsv,de={folder}/train-de.tsv"
    assert found(command, "--holdout") == "0.1" and "--valid-files" not in command
    assert found(command, "--init-checkpoint") == "/models/enc.pt" and found(command, "--encoder-layers") == "3"
    assert found(command, "--seed") == "3" and found(command, "--max-length") == "32"
    assert "--code-switch" in command and "--cpu" in command and "--fp16" not in command
    (spec, _) = runs()
    command = train_options(spec, Path("save"))
    assert found(command, "--valid-files") == f"en={folder}/dev-en.tsv" and "--holdout" not in command
    assert "--code-switch" not in command and "--extra-layers" not in command


@pytest.mark.parametrize(("asked", "gpu"), [(True, True), (True, False), (False, False), (False, True)])
def test_bf16_is_of_the_products_alone_on_a_cpu(runs, monkeypatch, asked, gpu):
    """Parameters in bfloat16 would only lose digits there, with --cpu or without a GPU."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: gpu)
    (spec, _) = runs(precision="bf16")
    command = train_options(replace(spec, place={**spec.place, "cpu": asked}), Path("save"))
    products_alone = asked or not gpu
    assert ("--autocast" in command) == products_alone and ("--bf16" in command) != products_alone
    assert ("--cpu" in command) == asked
    (spec, _) = runs()
    assert "--autocast" not in train_options(spec, Path("save"))


def test_family_options_reach_fairseq(runs, folder):
    (folder / "t.tsv").write_text("Anna\tB-PER\nslept\tO\n\n" * 4)
    text = "data: .\ntasks:\n  ner: {train: {en: t.tsv}, valid: {en: t.tsv}, test: {en: t.tsv}, settings: {crf: true, "
    spec = runs(text + "repair_bio: true, feature_based: true, extra_layers: 2}}\n")[0]
    command = train_options(spec, Path("save"))
    assert "--crf" in command and "--repair-bio" in command
    assert "--feature-based" in command and found(command, "--extra-layers") == "2"


def test_the_study_s_own_score_selects_the_checkpoint_and_identifies_the_run(runs, folder):
    (folder / "t.tsv").write_text("Anna\tNOUN\nslept\tVERB\n\n" * 4)
    text = "data: .\ntasks:\n  pos: {train: {en: t.tsv}, valid: {en: t.tsv}, test: {en: t.tsv}%s}\n"
    usual, chosen = (runs(text % extra)[0] for extra in ("", ", score: [f1]"))
    assert found(train_options(chosen, Path("save")), "--score-metric") == "f1"
    assert "--score-metric" not in train_options(usual, Path("save"))
    assert chosen.as_data()["score"] == ["f1"] == chosen.made_by()["score"]
    path = folder / "spec.json"
    for spec, dropped in ((usual, "score"), (usual, None), (chosen, None)):  # without a score, it is the benchmark's
        path.write_text(json.dumps({key: value for key, value in spec.as_data().items() if key != dropped}))
        assert RunSpec.read(path).as_data() == spec.as_data()


def test_a_folder_of_another_run_is_refused(runs, tmp_path, folder):
    spec, out = runs()[0], tmp_path / "out"
    here = spec.folder(out)
    assert not is_done(spec, out)
    here.mkdir(parents=True)
    (here / "spec.json").write_text(json.dumps(spec.as_data()))
    other = runs(STUDY.replace("1e-3", "2e-3"))[0]
    assert not is_done(other, out)  # nothing was made there
    (here / "checkpoints").mkdir()
    assert not is_done(other, out)  # training reached no checkpoint
    (here / "checkpoints/checkpoint_last.pt").touch()
    with pytest.raises(XalignError, match=r"(?s)belongs to another run.*settings \(lr: 0.001, now 0.002\)"):
        is_done(other, out)
    assert not is_done(spec, out)
    write_result(here, ["en", "de"])
    assert is_done(spec, out)
    moved = replace(spec, place={**spec.place, "checkpoint": "/elsewhere/enc.pt", "cpu": False})
    assert is_done(moved, out)  # the place of the files does not matter
    write_pairs(folder / "test-de.tsv", 3)
    with pytest.raises(XalignError, match=r"digests of tests \(de\)"):
        is_done(runs()[0], out)


@pytest.mark.parametrize("name", ["result.json", "checkpoints/checkpoint_last.pt"])
def test_a_run_without_its_definition_is_not_continued(runs, tmp_path, name):
    spec = runs()[0]
    made = spec.folder(tmp_path) / name
    made.parent.mkdir(parents=True)
    made.touch()
    with pytest.raises(XalignError, match=r"no definition[\s\S]*spec\.json"):
        is_done(spec, tmp_path)


def test_a_test_file_may_change_while_nothing_is_tested_on_it(runs, tmp_path, folder):
    spec, out = runs()[0], tmp_path / "out"
    here = spec.folder(out)
    (here / "checkpoints").mkdir(parents=True)
    (here / "checkpoints/checkpoint_best.pt").touch()
    (here / "spec.json").write_text(json.dumps(spec.as_data()))
    write_pairs(folder / "test-de.tsv", 3)
    changed = runs()[0]
    assert not is_done(changed, out)  # its training was interrupted
    write_result(here, ["en", "de"])
    with pytest.raises(XalignError, match=r"digests of tests \(de\)"):
        is_done(changed, out)


def test_a_finished_run_without_a_test_language_is_refused(runs, tmp_path):
    """More test languages than needed are no error."""
    spec, out = runs()[0], tmp_path / "out"
    fewer = replace(spec, digests={**spec.digests, "test": {"en": spec.digests["test"]["en"]}})
    here = spec.folder(out)
    here.mkdir(parents=True)
    write_result(here, ["en", "de"])
    (here / "spec.json").write_text(json.dumps(spec.as_data()))
    assert is_done(fewer, out)
    write_result(here, ["en"])
    (here / "spec.json").write_text(json.dumps(fewer.as_data()))
    with pytest.raises(XalignError, match="not tested in: de"):
        is_done(spec, out)


def test_what_made_a_run_is_the_same_for_its_seeds_on_every_machine_and_no_other(runs, folder):
    first, second = runs()
    moved = replace(second, place={**second.place, "checkpoint": "/elsewhere/enc.pt", "data": "/elsewhere"})
    assert first.made_by() == moved.made_by() and str(folder) not in json.dumps(first.made_by())
    fewer = replace(first, digests={**first.digests, "test": {}})
    assert first.made_by() == fewer.made_by()  # signatures compare tests
    others = [runs(STUDY.replace("1e-3", "2e-3"))[0], runs(with_task("holdout: 0.1"))[0], runs(precision="bf16")[0]]
    others += [runs(checkpoints=[replace(ENCODER, digest="ffff")])[0]]
    write_pairs(folder / "train-en.tsv", 22, labels=("neutral", "entailment"))
    assert all(first.made_by() != other.made_by() for other in [*others, runs()[0]])
