from pathlib import Path

import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.published import PublishedTables, find_published, read_published
from xalign_fairseq.transfer.study import SEEDS, load_study, select, xtreme_study

STUDIES = Path(__file__).parents[2] / "examples/transfer/studies"
MINIMAL = "data: .\ntasks:\n  pos: {languages: [en, de]}\n"


@pytest.fixture
def load(tmp_path):
    """The study in a text."""

    def read(text, **keywords):
        path = tmp_path / "study.yaml"
        path.write_text(text)
        return load_study(path, **keywords)

    return read


def test_the_defaults_train_in_english_and_test_by_patterns(load, tmp_path):
    (task,) = load(MINIMAL).tasks
    assert (task.name, task.benchmark.name, task.folder) == ("pos", "pos", tmp_path)
    assert (task.train_languages, task.valid_languages, task.languages) == (("en",), ("en",), ("en", "de"))
    assert task.models == "one" and task.holdout is None and not task.code_switch
    assert (task.settings.max_length, task.settings.overlap) == (128, 32)  # the benchmark's default
    assert load(MINIMAL).seeds == SEEDS == (12, 156, 78, 37, 8)


def test_a_full_task(load, tmp_path):
    study = load(
        """
data: here
seeds: [3, 1]
defaults: {lr: 1e-3, epochs: 2}
tasks:
  tagger:
    benchmark: ner
    data: panx
    train: {en: a.tsv, hi: b.tsv}
    valid: {en: v.tsv}
    test: {de: c.tsv}
    settings: {lr: 5e-5, crf: true, max_length: 64, overlap: 8}
"""
    )
    (task,) = study.tasks
    assert study.seeds == (3, 1) and task.folder == tmp_path / "here/panx"
    assert task.train_languages == ("en", "hi") and task.valid_languages == ("en",) and task.languages == ("de",)
    assert task.files["train"] == {"en": "a.tsv", "hi": "b.tsv"}
    assert (task.settings.lr, task.settings.epochs, task.settings.max_length) == (5e-5, 2, 64)
    assert task.options == {"crf": True}
    assert load(MINIMAL, data="/elsewhere").tasks[0].folder == Path("/elsewhere")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINIMAL.replace("languages", "langauges"), r"(?s)pos.*found: langauges.*expected: languages\?"),
        (MINIMAL + "sedes: [1]\n", r"(?s)found: sedes.*expected: seeds\?"),
        (MINIMAL.replace("pos", "xlni"), r"(?s)unknown benchmark.*found: xlni.*expected: xnli\?"),
        (MINIMAL.replace("[en, de]", "[en, no]"), r"(?s)found: False.*in quotes"),
        (MINIMAL.replace("[en, de]", "[en, ../x]"), "cannot be a folder name"),
        (MINIMAL.replace("pos:", "a/b:"), "unknown benchmark"),
        (MINIMAL + "seeds: [1, 1]\n", "seeds can't be used"),
        (MINIMAL.replace("}", ", holdout: 0.1, valid: {en: x}}"), "validation data are given twice"),
        (MINIMAL.replace("}", ", holdout: 1}"), "holdout is not a share"),
        (MINIMAL.replace("}", ", test: {en: x}}"), "test files are given twice"),
        (MINIMAL.replace("languages: [en, de]", "holdout: 0.1"), "no test language"),
        (MINIMAL.replace("}", ", models: both}"), "expected: one or each"),
        (MINIMAL.replace("}", ", models: each, train_languages: [en, de], valid_languages: [en]}"),
         r"(?s)chosen on its own language.*pos\n  found: valid_languages"),
        (MINIMAL + "  tatoeba: {languages: [de], train_languages: [en], holdout: 0.1, settings: {layer: 2, lr: 1}}\n",
         r"(?s)without training.*tatoeba\n  found: train_languages, holdout, settings: lr"),
        (MINIMAL.replace("}", ", models: each, train_languages: [en, fr]}"), "no test of fr"),
        (MINIMAL.replace("}", ", models: each, train_languages: [de]}"), "no model of en"),
        (MINIMAL.replace("}", ", code_switch: true}"), "another language besides English"),
        (MINIMAL.replace("}", ", settings: {crff: true}}"), r"(?s)found: crff.*expected: crf\?"),
        (MINIMAL.replace("}", ", settings: {arc_size: 3}}"), "unknown key"),  # an option of the parser
        (MINIMAL.replace("}", ", settings: {max_length: 16}}"),
         r"(?s)windows.*study.yaml, pos, max_length, overlap"),  # overlap 32
        (MINIMAL + "  parsing: {languages: [de], settings: {arc_size: 0}}\n",
         r"(?s)an option.*study.yaml, parsing, arc_size"),
        (MINIMAL + "  xquad: {languages: [de], settings: {max_question_tokens: 300}}\n",
         r"(?s)the windows have no.*study.yaml, xquad, max_length"),
        (MINIMAL.replace("data: .\n", ""), r"(?s)name the data folder.*next: set data"),
        ("tasks: [pos]\ndata: .\n", r"(?s)study.yaml, tasks\n  found: \['pos'\]\n  expected: dict"),
        (MINIMAL.replace("}", ", valid: {no: x}}"), r"(?s)pos, valid\n  found: False.*in quotes"),
    ],
)  # fmt: skip
def test_mistakes_are_named(load, text, message):
    with pytest.raises(XalignError, match=message):
        load(text)


def test_a_score_is_of_the_benchmark_s_metrics(load):
    text = "data: .\ntasks:\n  pos: {languages: [en, de], score: %s}\n"
    assert load(text % "[f1]").tasks[0].score == ("f1",)
    assert load(MINIMAL).tasks[0].score == ()
    with pytest.raises(XalignError, match=r"(?s)no such score.*pos, score.*las.*accuracy, f1"):
        load(text % "[las]")


def test_part_of_a_study(load):
    study = load(
        MINIMAL + "  ner: {languages: [de]}\n  each: {benchmark: ner, models: each, train_languages: [en, de]}\n"
    )
    assert [task.name for task in select(study, tasks=["ner"]).tasks] == ["ner"]
    english = select(study, languages=["en"], seeds=[5])
    assert [(task.name, task.train_languages, task.languages) for task in english.tasks] == [
        ("pos", ("en",), ("en",)),
        ("each", ("en",), ("en",)),
    ]
    assert english.seeds == (5,)
    assert select(study) == study
    with pytest.raises(XalignError, match=r"(?s)no such task.*nner.*expected: ner\?"):
        select(study, tasks=["nner"])
    with pytest.raises(XalignError, match="no task is tested in this language"):
        select(study, languages=["fr"])


def test_xtreme_without_a_study():
    tasks = {task.name: task for task in xtreme_study("data", ["en", "de"]).tasks}
    assert list(tasks) == ["xnli", "pawsx", "pos", "ner", "xquad", "mlqa", "tydiqa", "tatoeba"]
    assert tasks["xquad"].settings.max_length == 384 and tasks["xquad"].languages == ("en", "de")
    assert tasks["tatoeba"].languages == ("de",) and not tasks["tatoeba"].trains
    assert {name: task.score for name, task in tasks.items() if task.score} == {"pos": ("f1",)}  # XTREME's score
    assert tasks["tydiqa"].splits["test"] == "dev" and tasks["tydiqa"].holdout == 0.1


def test_figures_of_the_papers():
    def tasks(name):
        return {task.name: task for task in load_study(STUDIES / f"{name}.yaml", data="data").tasks}

    wu = tasks("explicit_alignments")
    assert {(t.settings.lr, t.settings.epochs, t.settings.batch_size, t.settings.warmup) for t in wu.values()} == {
        (2e-5, 5, 32, 0.1)
    }
    assert wu["parsing"].options == {"max_words": 128, "arc_size": 512, "label_size": 128}
    linear = tasks("explicit_alignments_feature_based")
    assert all(t.settings.feature_based and t.settings.extra_layers == 4 for t in linear.values())
    rates = {"xnli": 1e-4, "ner": 1e-4, "pos": 1e-3, "parsing": 1e-3}
    assert {name: t.settings.lr for name, t in linear.items()} == rates
    assert [name for name, t in linear.items() if t.options.get("crf")] == ["ner"]
    chi = tasks("xlm_align")
    assert chi["xnli"].settings.warmup == 12500 and chi["ner"].settings.batch_size == 8
    assert {name for name, t in chi.items() if t.score} == {"pos"} and chi["pos"].score == ("f1",)
    ablations = tasks("xlm_align_ablations")
    assert {name: t.score for name, t in ablations.items()} == {"xnli": (), "pos": ("f1",), "ner": (), "mlqa": ("f1",)}
    assert ablations["mlqa"].settings == chi["mlqa"].settings
    ppa = tasks("ppa")
    assert ppa["mlqa"].settings.max_length == 386 and ppa["xnli"].settings.lr == 5e-5
    assert ppa["xnli-translate-train"].code_switch and ppa["xnli-translate-train"].models == "each"
    translated = tasks("weam")["mlqa-translate-train"]
    assert (translated.models, translated.code_switch) == ("each", False)
    assert list(translated.train_languages) == ["es", "de", "zh"]


@pytest.mark.parametrize("name", ["explicit_alignments", "ppa", "weam", "xlm_align"])
def test_a_papers_averages_are_over_the_languages_of_its_study(name):
    paper = PublishedTables(read_published(find_published(name)), {})
    study = load_study(STUDIES / f"{name}.yaml", data="data")
    languages = {task.name: set(task.languages) for task in study.tasks if task.models == "one"}
    averages = [each for each in paper.figures if each.column == "average" and each.metric.split()[0] in languages]
    assert averages
    for each in averages:
        assert set(paper.covered(each.table, each.metric, "average")) == languages[each.metric.split()[0]], each


def test_a_benchmark_that_was_never_made_in_a_language_is_not_tested_in_it(tmp_path):
    study = xtreme_study(tmp_path, ["en", "de", "hi", "ro", "en-de"])
    tested = {task.name: list(task.languages) for task in study.tasks}
    assert tested["xnli"] == ["en", "de", "hi"]
    assert tested["pawsx"] == ["en", "de"]
    assert tested["xquad"] == ["en", "de", "hi", "ro"]
    assert tested["mlqa"] == ["en", "de", "hi", "en-de"]
    assert tested["tydiqa"] == ["en"]
