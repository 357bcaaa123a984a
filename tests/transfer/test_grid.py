"""From a study to runs: files found or listed, labels compared, updates counted, folders told apart."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from xalign_fairseq.encoder.config import EncoderConfig
from xalign_fairseq.errors import XalignError
from xalign_fairseq.transfer.grid import Checkpoint, build, describe, find_files, open_checkpoint
from xalign_fairseq.transfer.run_spec import RunSpec, is_done, shown_command, train_options
from xalign_fairseq.transfer.study import load_study

ENCODER = Checkpoint("enc", Path("/models/enc.pt"), EncoderConfig(60, 3, 16, 32, 2, 128), "0123456789ab")
STUDY = """
data: .
seeds: [3, 1]
defaults: {epochs: 2, batch_size: 4, lr: 1e-3, max_length: 32, overlap: 8}
tasks:
  pairs: {benchmark: xnli, languages: [en, de]}
"""


def write_pairs(path, count, labels=("entailment", "neutral")):
    rows = [f"the house {i}\ta tree {i}\t{labels[i % len(labels)]}\n" for i in range(count)]
    path.write_text("".join(rows))


@pytest.fixture
def folder(tmp_path):
    """Sentence pairs: 22 to train on, 6 to choose on, 5 and 4 to test on."""
    for name, count in (("train-en", 22), ("dev-en", 6), ("test-en", 5), ("test-de", 4), ("train-de", 22)):
        write_pairs(tmp_path / f"{name}.tsv", count)
    return tmp_path


@pytest.fixture
def runs(folder):
    """The runs of a study's text."""

    def read(text=STUDY, checkpoints=(ENCODER,), **keywords):
        path = folder / "study.yaml"
        path.write_text(text)
        return build(load_study(path), checkpoints, cpu=True, **keywords)

    return read


def with_task(extra, settings=""):
    return STUDY.replace("languages: [en, de]}", f"languages: [en, de], {extra}, settings: {{{settings}}}}}")


def found(command, option):
    return command[command.index(option) + 1]


def test_a_run_for_each_seed_and_checkpoint(runs, folder):
    specs = runs(checkpoints=[ENCODER, replace(ENCODER, name="other")])
    assert [spec.name for spec in specs] == ["enc/pairs/en/3", "other/pairs/en/3", "enc/pairs/en/1", "other/pairs/en/1"]
    spec = specs[0]
    assert (spec.train_examples, spec.updates, spec.warmup_updates) == (22, 12, 1)  # 6 batches of 4, twice
    assert spec.place["files"]["test"] == {x: str(folder / f"test-{x}.tsv") for x in ("en", "de")}
    assert spec.folder(Path("out")) == Path("out/runs/enc/pairs/en/3")
    assert list(describe(load_study(folder / "study.yaml"), specs, dict.fromkeys((s.name for s in specs), False))) == [
        "pairs: train en (22 examples, 12 updates); select on en",
        "  xnli, test en de: 4 runs",
        "4 runs, 0 of them done",
    ]


@pytest.mark.parametrize(
    ("extra", "settings", "expected"),
    [
        ("holdout: 0.1", "", (20, 10)),  # 2 of 22 are held out
        ("holdout: 0.1", "update_freq: 2", (20, 6)),
        ("train_languages: [en, de]", "", (44, 22)),
        ("train_languages: [de], code_switch: true", "", (44, 22)),  # two mixtures of each of 22
        ("train_languages: [de], code_switch: true, holdout: 0.5", "batch_size: 5", (22, 12)),  # 11 pairs, 2 a batch
    ],
)
def test_updates_follow_from_the_training_data(runs, extra, settings, expected):
    spec = runs(with_task(extra, settings))[0]
    assert (spec.train_examples, spec.updates) == expected


def test_models_for_each_language_are_tested_on_their_own(runs, folder):
    write_pairs(folder / "dev-de.tsv", 3)
    specs = runs(with_task("train_languages: [en, de], models: each"))
    assert [spec.name for spec in specs] == [f"enc/pairs/{x}/{seed}" for x in ("en", "de") for seed in (3, 1)]
    assert [list(spec.digests["test"]) for spec in specs] == [["en"], ["en"], ["de"], ["de"]]
    assert specs[2].valid_languages == ("de",) and list(specs[2].place["files"]["train"]) == ["de"]


def test_all_missing_files_are_listed_at_once(runs, folder):
    (folder / "test-de.tsv").unlink()
    (folder / "train-en.tsv").unlink()
    with pytest.raises(XalignError) as error:
        runs(STUDY + "  tagger: {benchmark: ner, train: {en: absent.tsv}, holdout: 0.1, languages: [en]}\n")
    text = str(error.value)
    assert text.startswith("3 files") and "test-de.tsv" in text and "train-en.tsv" in text and "absent.tsv" in text


def test_labels_that_training_does_not_have_are_named(runs, folder):
    write_pairs(folder / "test-de.tsv", 4, labels=("neutral", "folgerung"))
    with pytest.raises(XalignError, match=r"(?s)test-de.tsv.*folgerung"):
        runs()


def test_tests_need_no_labels_but_training_does(runs, folder):
    plain = "the house\ta tree\n" * 3
    (folder / "test-de.tsv").write_text(plain)
    assert runs()
    (folder / "dev-en.tsv").write_text(plain)
    with pytest.raises(XalignError, match=r"(?s)no labels to train or select on.*dev-en.tsv.*3 of 3"):
        runs()


def test_languages_without_an_embedding_are_told_before_any_run(runs):
    speaking = replace(ENCODER, config=replace(ENCODER.config, language_embeddings="de,en"))
    [spec] = runs(STUDY.replace("[3, 1]", "[3]"), [speaking])
    assert found(train_options(spec, Path("save")), "--language-embeddings") == "de,en"
    assert "language_embeddings" not in runs()[0].encoder  # runs of earlier encoders are what they were
    english = replace(ENCODER, config=replace(ENCODER.config, language_embeddings="en,xx"))
    with pytest.raises(XalignError, match=r"de[\s\S]*one of en, xx"):
        runs(checkpoints=[speaking, english])


def test_layer_norms_of_bert_are_built_again(runs):
    bert = replace(ENCODER, config=replace(ENCODER.config, layer_norm_eps=1e-12))
    [spec] = runs(STUDY.replace("[3, 1]", "[3]"), [bert])
    assert float(found(train_options(spec, Path("save")), "--layer-norm-eps")) == 1e-12
    assert "layer_norm_eps" not in runs()[0].encoder  # runs of earlier encoders are what they were


def test_an_encoder_with_too_few_positions_is_named(runs):
    short = replace(ENCODER, config=replace(ENCODER.config, max_positions=31))
    with pytest.raises(XalignError, match=r"(?s)pairs, max_length; enc.*found: 32.*at most 31"):
        runs(checkpoints=[short])


def test_paths_that_fairseq_would_split_are_refused(runs, folder):
    (folder / "a,b.tsv").write_text((folder / "train-en.tsv").read_text())
    with pytest.raises(XalignError, match="comma"):
        runs(with_task("train: {en: 'a,b.tsv'}"))


def test_retrieval_is_one_run_without_training(runs, folder):
    (folder / "en-de.de").write_text("ein Haus\nein Baum\n")
    (folder / "en-de.en").write_text("a house\na tree\n")
    specs = runs("data: .\nseeds: [3, 1]\ntasks:\n  tatoeba: {languages: [de], settings: {layer: 2}}\n")
    assert [(spec.name, spec.updates, dict(spec.options)) for spec in specs] == [
        ("enc/tatoeba/none/0", 0, {"layer": 2})
    ]
    assert shown_command(specs[0], folder) == ""


def test_a_layer_that_an_encoder_lacks_is_named(runs):
    with pytest.raises(XalignError, match=r"(?s)no such layer.*tatoeba, layer; enc.*found: 4.*0 \(embeddings\) to 3"):
        runs("data: .\ntasks:\n  tatoeba: {test: {de: study.yaml}, settings: {layer: 4}}\n")


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
    assert "--code-switch" in command and "--bf16" in command and "--cpu" in command and "--fp16" not in command
    (spec, _) = runs()
    command = train_options(spec, Path("save"))
    assert found(command, "--valid-files") == f"en={folder}/dev-en.tsv" and "--holdout" not in command
    assert "--code-switch" not in command and "--extra-layers" not in command


def test_family_options_reach_fairseq(runs, folder):
    (folder / "t.tsv").write_text("Anna\tB-PER\nslept\tO\n\n" * 4)
    text = "data: .\ntasks:\n  ner: {train: {en: t.tsv}, valid: {en: t.tsv}, test: {en: t.tsv}, settings: {crf: true, "
    spec = runs(text + "head_dropout: 0.2, feature_based: true, extra_layers: 2}}\n")[0]
    command = train_options(spec, Path("save"))
    assert "--crf" in command and found(command, "--head-dropout") == "0.2"
    assert "--feature-based" in command and found(command, "--extra-layers") == "2"


def test_a_folder_of_another_run_is_refused(runs, tmp_path, folder):
    spec, out = runs()[0], tmp_path / "out"
    here = spec.folder(out)
    assert not is_done(spec, out)
    here.mkdir(parents=True)
    (here / "spec.json").write_text(json.dumps(spec.as_data()))
    other = runs(STUDY.replace("1e-3", "2e-3"))[0]
    assert not is_done(other, out)  # nothing was made there
    (here / "checkpoints").mkdir()
    with pytest.raises(XalignError, match=r'(?s)made by another run.*settings {"lr": 0.001}.*settings {"lr": 0.002}'):
        is_done(other, out)
    assert not is_done(spec, out)
    (here / "result.json").write_text("{}")
    assert is_done(spec, out)
    moved = replace(spec, place={**spec.place, "checkpoint": "/elsewhere/enc.pt", "cpu": False})
    assert is_done(moved, out)  # where the files stand decides nothing
    write_pairs(folder / "test-de.tsv", 3)
    with pytest.raises(XalignError, match="digests of tests"):
        is_done(runs()[0], out)


def test_languages_are_added_to_a_run_whose_model_was_kept(runs, tmp_path):
    """A test language more or less makes no other run."""
    spec, out = runs()[0], tmp_path / "out"
    here = spec.folder(out)
    here.mkdir(parents=True)
    (here / "result.json").write_text("{}")
    fewer = replace(spec, digests={**spec.digests, "test": {"en": spec.digests["test"]["en"]}})
    (here / "spec.json").write_text(json.dumps(spec.as_data()))
    assert is_done(fewer, out)
    (here / "spec.json").write_text(json.dumps(fewer.as_data()))
    with pytest.raises(XalignError, match=r"(?s)model was not kept.*found: de.*--keep-models"):
        is_done(spec, out)
    (here / "checkpoints").mkdir()
    (here / "checkpoints/checkpoint_best.pt").touch()
    assert not is_done(spec, out)


def test_a_spec_goes_through_its_file(runs, tmp_path):
    spec = runs()[0]
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(spec.as_data()))
    again = RunSpec.read(path)
    assert again.as_data() == spec.as_data() and train_options(again, tmp_path) == train_options(spec, tmp_path)


def test_files_of_a_study_are_absolute(folder, monkeypatch):
    (folder / "study.yaml").write_text(STUDY)
    monkeypatch.chdir(folder)
    files = find_files(load_study("study.yaml"))
    assert files["pairs"]["train"]["en"] == folder / "train-en.tsv"


def test_checkpoints_that_are_none(tmp_path):
    with pytest.raises(XalignError, match="does not exist"):
        open_checkpoint("x", tmp_path / "absent.pt", tmp_path)
    (tmp_path / "text.pt").write_text("hello")
    with pytest.raises(XalignError, match="not a checkpoint"):
        open_checkpoint("x", tmp_path / "text.pt", tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(XalignError, match="folder is no checkpoint"):
        open_checkpoint("x", tmp_path / "empty", tmp_path)
