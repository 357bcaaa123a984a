import json

import pytest
from support.damage import damaged

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.trainer.report.page import report_page
from xalign_fairseq.trainer.report.trained_run import read_run


def test_all_that_xalign_train_leaves(run_folder):
    run = read_run(run_folder)
    # After update 20 only the later rows.
    assert run.series("train_inner", "mlm_loss") == [(10, 8), (20, 7), (30, 5.5), (40, 5)]
    assert run.series("valid", "aer") == [(20, 0.31), (40, 0.25)]
    assert run.names("train_inner")[:3] == ["num_updates", "loss", "mlm_loss"] and run.training == "train_inner"
    assert run.command.startswith("fairseq-train data-bin") and run.seconds == 3630
    assert run.configuration["common"]["seed"] == 3 and run.cost.tokens == 4000
    assert run.warnings == ["warning: update 3 is <left out>"]
    [data] = run.data
    assert data.manifest["pairs"][0]["pairs"] == 1600 and len(data.digest) == 64


def test_a_log_alone(run_folder, tmp_path):
    bare = tmp_path / "bare"
    bare.mkdir()
    run = read_run(bare, run_folder / "train.log")
    assert not run.sessions and run.command == "" and run.seconds == 90
    assert run.data[0].manifest is None  # data-bin, seen from another folder


def test_folders_of_train_aligner_and_transfer(run_folder):
    (run_folder / "training.json").unlink()
    data = run_folder / "data-bin"
    data.mkdir()
    (data / "manifest.json").write_text("{}")
    (run_folder / "result.json").write_text('{"command": "fairseq-train x", "minutes": 2.5, "scores": {}}')
    run = read_run(run_folder)
    assert run.command == "fairseq-train x" and run.data[0].path == data and run.result["minutes"] == 2.5


def test_a_run_with_epochs_alone(tmp_path):
    (tmp_path / "train.log").write_text("a | INFO | train | epoch 001 | loss 9 | wpb 10 | num_updates 5 | lr 0\n")
    run = read_run(tmp_path)
    assert run.training == "train" and run.series("train", "loss") == [(5, 9)]


def test_a_configuration_that_can_not_be_read_is_left_out(tmp_path):
    row = 'x | {"num_updates": "1", "loss": "2"}\n'
    (tmp_path / "train.log").write_text("x | {'_name': None, 'common': {'a': Namespace(b=1)}}\n" + row)
    assert read_run(tmp_path).configuration == {}


@pytest.mark.parametrize(("text", "what"), [(None, "no log of a training"), ("begin\n", "no update yet")])
def test_nothing_to_report(tmp_path, text, what):
    if text:
        (tmp_path / "train.log").write_text(text)
    with pytest.raises(XalignError, match=what):
        read_run(tmp_path)


def test_of_many_warnings_the_first_are_kept(tmp_path):
    row = 'x | {"num_updates": "1", "loss": "2"}\n'
    many = "".join(f"t | WARNING | fairseq | number {n}\n" for n in range(70))
    (tmp_path / "train.log").write_text(many + row)
    warnings = read_run(tmp_path).warnings
    assert len(warnings) == 51 and warnings[-1] == "and 20 more"


RESULT = {
    "command": "fairseq-train x",
    "minutes": 2.5,
    "before": 0.3,
    "aer": 0.2,
    "scores": {"de": {"f1": 0.5}, "fr": None},
}


@pytest.mark.parametrize("name", ["training.json", "result.json", "run.json", "../data-bin/manifest.json"])
def test_a_record_of_another_form_gives_a_page_or_an_error_that_names_it(run_folder, name):
    path = run_folder / name
    if name in ("result.json", "run.json"):
        (run_folder / "training.json").unlink()
        path.write_text(json.dumps(RESULT | {"machine": "A", "seed": 3}))
    whole, pages = json.loads(path.read_text()), 0
    report_page(read_run(run_folder))
    for content in damaged(whole):
        path.write_text(json.dumps(content))
        try:
            pages += report_page(read_run(run_folder)).encode("utf-8").startswith(b"<!doctype")
        except XalignError as error:
            assert path.name in str(error)
    assert pages > 10


def test_data_whose_name_no_file_can_have_are_missing(run_folder):
    path = run_folder / "training.json"
    record = json.loads(path.read_text())
    record["sessions"][-1]["data"] = ["x" * 5000, "a\0b"]
    path.write_text(json.dumps(record))
    assert [each.manifest for each in read_run(run_folder).data] == [None, None]
