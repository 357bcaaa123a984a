from dataclasses import replace
from pathlib import Path

import pytest
from support.transfer_data import ENCODER, STUDY, with_task, write_pairs

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.encoder.pretrained.reading import open_model
from xalign_fairseq.transfer import plan as planning
from xalign_fairseq.transfer.plan import StudyPlan, TransferOptions, find_files, make_plan, open_checkpoint
from xalign_fairseq.transfer.run_spec import shown_command
from xalign_fairseq.transfer.scheduler import Finished
from xalign_fairseq.transfer.study import load_study


@pytest.fixture
def options(folder, transfer_encoder, tmp_path):
    """The study of pairs with one encoder."""
    (folder / "study.yaml").write_text(STUDY)
    return TransferOptions({"enc": str(transfer_encoder)}, tmp_path / "out", str(folder / "study.yaml"), cpu=True)


def test_the_remaining_runs_of_a_plan_are_made(options, monkeypatch):
    plan = make_plan(options)
    assert [spec.name for spec in plan.specs] == ["enc/pairs/en/3", "enc/pairs/en/1"] == list(plan.commands())
    assert all(f"--save-dir {options.out}/runs/{name}" in line for name, line in plan.commands().items())
    assert not options.out.exists()
    gpus = []

    def run_jobs(jobs, slots, environment):
        gpus.append(environment(1).get("CUDA_VISIBLE_DEVICES"))
        return [Finished(each, 0, 0) for each in jobs]

    monkeypatch.setattr(planning, "run_jobs", run_jobs)
    monkeypatch.setattr(planning, "visible_gpus", lambda: ["4", "6"])
    rest = replace(plan, done=frozenset(["enc/pairs/en/3"]))
    left = options.out / "runs/enc/pairs/en/3/checkpoints/checkpoint_last.pt"  # of a job that was killed at its end
    left.parent.mkdir(parents=True)
    left.touch()
    assert [(each.job.name, each.job.log.parent) for each in rest.run()] == [
        ("enc/pairs/en/1", options.out / "runs/enc/pairs/en/1")
    ]
    assert not left.exists()
    assert list(replace(rest, options=replace(options, cpu=False)).run()) and gpus == [None, "6"]
    assert {spec.precision for spec in make_plan(replace(options, precision="bf16")).specs} == {"bf16"}


@pytest.mark.parametrize(
    ("changes", "parameters", "message"),
    [
        ({"jobs": 0}, ("jobs",), "at least one job"),
        ({"models": {"a/b": "x.pt"}}, ("model",), "cannot be a folder name"),
        ({"tasks": ["pair"]}, ("tasks",), "no such task"),
        ({"languages": ["fr"]}, ("languages",), "no task is tested"),
        ({"seeds": [1, 1]}, ("seeds",), "seeds can't be used"),
        ({"study": None, "data": "nowhere", "languages": ["de"]}, ("data",), "folder does not exist"),
        ({"study": None}, ("study", "data", "languages"), "the data and the languages must be given"),
    ],
)
def test_mistakes_name_their_parameter(options, changes, parameters, message):
    with pytest.raises(XalignError, match=message) as caught:
        make_plan(replace(options, **changes))
    assert caught.value.parameters == parameters and not options.out.exists()


def test_a_folders_digest_covers_weights_options_and_tokenizer(transfer_encoder, tmp_path, monkeypatch):
    opened = open_model(transfer_encoder)
    monkeypatch.setattr(planning, "open_model", lambda path: replace(opened, where=Path(path)))
    digests = []
    for name, text in (
        ("config.json", "a"),
        ("model.safetensors", "b"),
        ("model.safetensors", "c"),
        ("README.md", "d"),
    ):
        (tmp_path / name).write_text(text)
        digests.append(open_checkpoint("hf", tmp_path).digest)
    assert len(set(digests)) == 3 and digests[-1] == digests[-2]


def test_a_run_for_each_seed_and_checkpoint(runs, folder):
    specs = runs(checkpoints=[ENCODER, replace(ENCODER, name="other")])
    assert [spec.name for spec in specs] == ["enc/pairs/en/3", "other/pairs/en/3", "enc/pairs/en/1", "other/pairs/en/1"]
    spec = specs[0]
    assert (spec.train_examples, spec.updates, spec.warmup_updates) == (22, 12, 1)  # 6 batches of 4, twice
    assert spec.place["files"]["test"] == {x: str(folder / f"test-{x}.tsv") for x in ("en", "de")}
    assert spec.folder(Path("out")) == Path("out/runs/enc/pairs/en/3")
    assert list(StudyPlan(TransferOptions({}, folder), tuple(specs), frozenset([spec.name])).lines()) == [
        "pairs: train en (22 examples, 12 updates); select on en",
        "  xnli, test en de: 4 runs",
        "4 runs, 1 of them done",
    ]


def test_selection_on_the_training_data_is_reported_before_training(runs, folder):
    def told(study):
        plan = StudyPlan(TransferOptions({}, folder), tuple(runs(study)), frozenset())
        return [line for line in plan.lines() if "holdout" in line]

    (folder / "copy.tsv").write_bytes((folder / "train-en.tsv").read_bytes())
    warning = "  en: the model is selected on its training data; to select on other examples, "
    warning += "set holdout: 0.1 in the study"
    assert told(with_task("valid: {en: copy.tsv}")) == [warning]
    for split in ("train: {en: copy.tsv}, holdout: 0.1", "train: {en: copy.tsv}, valid: {en: dev-en.tsv}"):
        assert told(with_task(split)) == []


def test_pairs_are_joined_as_each_encoder_s_tokenizer_joins_them(runs):
    bert = replace(ENCODER, name="bert", pair_separators=1)
    assert [spec.settings["pair_separators"] for spec in runs(checkpoints=[ENCODER, bert])[:2]] == [2, 1]
    given = runs(with_task("holdout: 0.1", "pair_separators: 1"), checkpoints=[ENCODER, bert])
    assert [spec.settings["pair_separators"] for spec in given[:2]] == [1, 1]


@pytest.mark.parametrize(
    ("extra", "settings", "expected"),
    [
        ("holdout: 0.1", "", (20, 10)),  # 2 of 22 are held out
        ("holdout: 0.1", "update_freq: 2", (20, 6)),
        ("train_languages: [en, de]", "", (44, 22)),
        ("train_languages: [en, de], holdout: 0.3", "", (30, 16)),  # 7 of 22 are held out in both languages
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
    assert "xnli, dev" not in text


def test_labels_that_training_does_not_have_are_named(runs, folder):
    for name in ("test-de.tsv", "dev-en.tsv"):
        write_pairs(folder / name, 4, labels=("neutral", "folgerung"))
        with pytest.raises(XalignError, match=f"(?s){name}.*folgerung"):
            runs()


def test_tests_need_no_labels_but_training_does(runs, folder):
    plain = "the house\ta tree\n" * 3
    (folder / "test-de.tsv").write_text(plain)
    assert runs()[0].place["unlabelled"] == ["de"]
    (folder / "dev-en.tsv").write_text(plain)
    with pytest.raises(XalignError, match=r"(?s)no labels to train or select on.*dev-en.tsv.*3 of 3"):
        runs()


def test_languages_without_an_embedding_are_reported_before_any_run(runs):
    speaking = replace(ENCODER, config=replace(ENCODER.config, language_embeddings="de,en"))
    english = replace(ENCODER, config=replace(ENCODER.config, language_embeddings="en,xx"))
    with pytest.raises(XalignError, match=r"de[\s\S]*expected: en, xx"):
        runs(checkpoints=[speaking, english])


def test_an_encoder_with_too_few_positions_is_named(runs):
    short = replace(ENCODER, config=replace(ENCODER.config, max_positions=31))
    with pytest.raises(XalignError, match=r"(?s)enc, pairs, max_length.*found: 32.*at most 31"):
        runs(checkpoints=[short])


RETRIEVAL = "data: .\nseeds: [3, 1]\ntasks:\n  tatoeba: {languages: [de], settings: {layer: %d}}\n"


@pytest.mark.parametrize(
    ("study", "message"),
    [
        (with_task("models: one", "freeze_layers: 4"), r"no such layer.*enc, pairs, freeze_layers.*found: 4"),
        (RETRIEVAL % 4, r"no such layer.*enc, tatoeba, layer.*found: 4.*0 \(embeddings\) to 3"),
        (with_task("models: one", "warmup: 50"), "warm-up is longer.*pairs, warmup.*at most 12"),
        (with_task("holdout: 0.01"), "share to hold out.*pairs, holdout.*of 22 examples"),
        (with_task("holdout: 0.99"), "share to hold out.*pairs, holdout.*of 22 examples"),
        (with_task("train: {en: 'a,b.tsv'}"), "comma"),  # fairseq would split the path there
        (STUDY.replace("data: .", "data: 't:x'"), "colon"),
    ],
)
def test_what_does_not_fit_encoder_or_data_is_named(runs, bitext, folder, study, message):
    (folder / "a,b.tsv").write_text((folder / "train-en.tsv").read_text())
    with pytest.raises(XalignError, match=f"(?s){message}"):
        runs(study)
    assert runs(with_task("models: one", "freeze_layers: 3"))


@pytest.fixture
def bitext(folder):
    (folder / "en-de.de").write_text("ein Haus\nein Baum\n")
    (folder / "en-de.en").write_text("a house\na tree\n")


def test_retrieval_is_one_run_without_training(runs, bitext, folder):
    [spec] = runs(RETRIEVAL % 2)
    assert (spec.name, spec.updates, dict(spec.options)) == ("enc/tatoeba/none/0", 0, {"layer": 2})
    assert shown_command(spec, folder) == ""


def test_files_of_a_study_are_absolute(folder, monkeypatch):
    (folder / "study.yaml").write_text(STUDY)
    monkeypatch.chdir(folder)
    assert find_files(load_study("study.yaml"))["pairs"]["train"]["en"] == folder / "train-en.tsv"
