import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transfer.benchmarks import BENCHMARKS, find


@pytest.fixture
def touch(tmp_path):
    def touch(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x\n")
        return tmp_path

    return touch


@pytest.mark.parametrize(
    "benchmark, split, language, name",
    [
        ("xnli", "train", "en", "xnli/train-en.tsv"),
        ("xnli", "train", "de", "XNLI-MT-1.0/multinli/multinli.train.de.tsv"),
        ("xnli", "test", "de", "XNLI-1.0/xnli.test.tsv"),
        ("xnli", "dev", "de", "dev-de.tsv"),
        ("pawsx", "dev", "de", "pawsx/dev-de.tsv"),
        ("pawsx", "train", "de", "x-final/de/translated_train.tsv"),
        ("pawsx", "test", "de", "de/test_2k.tsv"),
        ("pos", "dev", "en", "ud/en_ewt-ud-dev.conllu"),
        ("pos", "dev", "en", "UD_English-EWT/en_ewt-ud-dev.conllu"),
        ("pos", "dev", "en_ewt", "ud-treebanks-v2.7/UD_English-EWT/en_ewt-ud-dev.conllu"),
        ("pos", "test", "de", "udpos/test-de.tsv"),
        ("parsing", "test", "de", "de_gsd-ud-test.conllu"),
        ("ner", "dev", "de", "panx/dev-de.tsv"),
        ("ner", "train", "en", "wikiann/en/train"),
        ("ner", "test", "zh-yue", "panx_dataset/zh-yue-test"),
        ("xquad", "train", "en", "squad/train-v1.1.json"),
        ("xquad", "test", "de", "xquad/xquad.de.json"),
        ("mlqa", "test", "en-de", "mlqa/MLQA_V1/test/test-context-en-question-de.json"),
        ("mlqa", "dev", "de", "mlqa-dev/dev-context-de-question-de.json"),
        ("mlqa", "train", "en", "squad/train-v1.1.json"),
        ("mlqa", "train", "de", "mlqa-translate-train/de_squad-translate-train-train-v1.1.json"),
        ("tydiqa", "test", "ar", "tydiqa/tydiqa-goldp-v1.1-dev/tydiqa.goldp.ar.dev.json"),
        ("tydiqa", "dev", "ar", "tydiqa-goldp-v1.1-dev/tydiqa-goldp-dev-arabic.json"),
        ("tydiqa", "train", "ar", "tydiqa/tydiqa-goldp-v1.1-train.json"),
        ("tatoeba", "test", "de", "tatoeba/tatoeba.deu-eng.deu"),
        ("tatoeba", "test", "de", "tatoeba/en-de.de"),
        ("tatoeba", "test", "de", "tatoeba/de-en.de"),  # XTREME's, which read_bitext refuses with the reason
    ],
)
def test_files_are_found_where_their_authors_put_them(touch, benchmark, split, language, name):
    for each in (name, f"{name}.gz", f"{name}.xz"):
        folder = touch(each)
        assert find(BENCHMARKS[benchmark], folder, split, language) == folder / each
        (folder / each).unlink()


@pytest.mark.parametrize("language", ["", "/de", "../de", "de/fr"])
def test_invalid_languages_are_reported(touch, language):
    """For example an empty shell variable, which ended in a traceback; a path would name files elsewhere."""
    folder = touch("panx/test-de.tsv")
    with pytest.raises(XalignError, match=rf"(?s)not a language.*found: '{language}'"):
        find(BENCHMARKS["ner"], folder, "test", language)
    with pytest.raises(XalignError, match="no file"):
        find(BENCHMARKS["ner"], folder, "test", "*")


def test_a_translated_training_file_is_not_english_squad(touch):
    folder = touch("squad/train-v1.1.json")
    with pytest.raises(XalignError, match="no file of mlqa, train, de"):
        find(BENCHMARKS["mlqa"], folder, "train", "de")
    with pytest.raises(XalignError, match=r"no file of xquad, train, de(.|\n)*squad.translate.train.en-de.json"):
        find(BENCHMARKS["xquad"], folder, "train", "de")


def test_several_treebanks_are_distinguished_by_name(touch):
    folder = touch("ud/en_ewt-ud-test.conllu", "ud/en_pud-ud-test.conllu", "ud/enm_x-ud-test.conllu")
    with pytest.raises(XalignError, match=r"several files(?s:.*)en_ewt-ud-test.conllu, ud/en_pud-ud-test.conllu\n"):
        find(BENCHMARKS["parsing"], folder, "test", "en")
    assert find(BENCHMARKS["parsing"], folder, "test", "en_pud") == folder / "ud/en_pud-ud-test.conllu"


def test_the_error_for_a_missing_file_lists_tried_and_existing_names(touch):
    folder = touch("dev-en.tsv", "dev-es.tsv", "more/x")
    with pytest.raises(XalignError) as error:
        find(BENCHMARKS["ner"], folder, "dev", "de")
    for message in ["ner, dev, de", "dev-en.tsv, dev-es.tsv, more/", "dev-de.tsv", "panx/dev-de.tsv"]:
        assert message in str(error.value)
    with pytest.raises(XalignError, match="no such folder"):
        find(BENCHMARKS["ner"], folder / "absent", "dev", "de")
    with pytest.raises(XalignError, match="no such split"):
        find(BENCHMARKS["tatoeba"], folder, "train", "de")


def test_a_file_labelled_in_part_is_an_error(tmp_path):
    path = tmp_path / "x.conllu"
    tagged, bare = ("1\ta\t_\t" + tag + "\t_\t_\t0\troot\t_\t_\n\n" for tag in ("X", "_"))
    path.write_text(tagged + bare)
    with pytest.raises(XalignError, match=r"(?s)some examples.*1 of 2 without, the first of them 2"):
        BENCHMARKS["pos"].read(path, "de")
    path.write_text(bare + bare)
    assert [each.tags for each in BENCHMARKS["pos"].read(path, "de")] == [None, None]


@pytest.mark.parametrize(
    ("benchmark", "names", "expected"),
    [
        ("pos", (), ("accuracy",)),
        ("mlqa", (), ("f1", "em")),
        ("mlqa", ("f1",), ("f1",)),
        ("parsing", ("uas", "las"), ("uas", "las")),
    ],
)
def test_what_a_task_is_scored_by(benchmark, names, expected):
    assert tuple(metric.name for metric in BENCHMARKS[benchmark].score(names)) == expected


def test_the_usual_treebank_of_a_language_is_used(touch):
    release = "ud-treebanks-v2.6/UD_English"
    names = (f"{release}-EWT/en_ewt-ud-test.conllu", f"{release}-GUM/en_gum-ud-test.conllu")
    folder = touch(
        *names, "ud-treebanks-v2.6/UD_Czech-A/cs_a-ud-test.conllu", "ud-treebanks-v2.6/UD_Czech-B/cs_b-ud-test.conllu"
    )
    assert find(BENCHMARKS["parsing"], folder, "test", "en") == folder / names[0]
    assert find(BENCHMARKS["parsing"], folder, "test", "en_gum") == folder / names[1]
    with pytest.raises(XalignError, match="several files"):
        find(BENCHMARKS["parsing"], folder, "test", "cs")
    chinese = [f"ud-treebanks-v2.6/UD_Chinese-{name}/zh_{name.lower()}-ud-test.conllu" for name in ("GSD", "GSDSimp")]
    assert find(BENCHMARKS["parsing"], touch(*chinese), "test", "zh") == folder / chinese[0]
    touch("udpos/test-en.tsv")
    assert find(BENCHMARKS["pos"], folder, "test", "en") == folder / "udpos/test-en.tsv"
