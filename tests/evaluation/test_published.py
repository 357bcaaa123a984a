from pathlib import Path

import pytest

import xalign_fairseq
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.published import Figure, PublishedTables, find_published, read_published, scored_task

PAPERS = ("align_mlm", "explicit_alignments", "ppa", "weam", "xlm_align")
HEAD = "table\trow\tcolumn\tmetric\tvalue\n"


def write(tmp_path, *rows):
    path = tmp_path / "published.tsv"
    path.write_text(HEAD + "".join("\t".join(row) + "\n" for row in rows))
    return path


@pytest.fixture
def paper(tmp_path):
    rows = [
        ("2", "Ours", "de", "xnli accuracy", "73.5"),
        ("2", "Ours", "average", "xnli accuracy", "74.0 ± 0.5"),
        ("2", "mBERT", "de", "xnli accuracy", "70.0"),
        ("4", "Ours", "de", "mlqa f1", "60.0"),
    ]
    return read_published(write(tmp_path, *rows))


def test_our_rows_are_below_the_papers_with_the_difference(paper):
    ours = [Figure("", "mine", "de", "xnli accuracy", 71.25, 0.4), Figure("", "mbert", "de", "xnli accuracy", 69.0)]
    [table] = PublishedTables(paper, {"mine": "Ours"}).tables(ours)
    assert table.title == "Table 2 of the paper, xnli accuracy, and ours"
    assert table.columns == ("row", "de", "average")
    assert list(table.rows) == [
        ("Ours", "73.5", "74.0 ± 0.5"),
        ("mBERT", "70.0", ""),
        ("ours: mine", "71.2 ± 0.4", ""),
        ("mine less Ours", "−2.2", ""),
        ("ours: mbert", "69.0", ""),
        ("mbert less mBERT", "−1.0", ""),  # relative to the row of this name
    ]


def cells(table, name):
    [row] = [row for row in table.rows if row[0] == name]
    return dict(zip(table.columns, row, strict=True))


def test_averages_over_other_languages_or_tasks_have_no_difference(tmp_path):
    scores = [("2", "Ours", each, "xnli accuracy", "70") for each in ("de", "fr", "average")]
    more = [("2", "Ours", "average", "pos f1", "60"), ("2", "Ours", "all tasks", "average score", "65")]
    tagged = [("9", "Ours", "de", "pos f1", "60"), ("9", "Ours", "fr", "pos f1", "nan")]  # nan: part of the average
    paper = PublishedTables(read_published(write(tmp_path, *scores, *more, *tagged)), {})

    def shown(covered, metric="xnli accuracy", column="average"):
        mine = [Figure("", "ours", column, metric, 71.0, covers=dict.fromkeys(covered))]
        table = paper.tables(mine)[0]
        return cells(table, "ours: ours")[column], cells(table, "ours less Ours")[column]

    assert shown(["fr", "de"]) == ("71.0", "+1.0") and shown(["de", "fr"], "pos f1") == ("71.0", "+11.0")
    assert shown(["de"]) == ("71.0 (1 of 2 languages)", "")
    assert shown(["de", "ru"], "pos f1") == ("71.0 (1 of 2 languages, and 1 other)", "")
    tasks = [("xnli", ["accuracy"], ["de", "fr"]), ("pos", ["f1"], ["fr", "de"])]
    both, single = ([scored_task(*task) for task in found] for found in (tasks, tasks[:1]))
    assert shown(both, "average score", "all tasks") == ("71.0", "+6.0")
    assert shown(single, "average score", "all tasks")[0] == "71.0 (1 of 2 tasks in the paper's languages)"
    assert shown([scored_task("xnli", ["accuracy"], ["de"])], "average score", "all tasks")[1] == ""


def test_a_test_set_of_another_size_is_named_and_not_compared(tmp_path):
    aer = [("2", "Ours", each, "alignment aer", "20") for each in ("de-en", "en-fr", "mean")]
    sizes = [("2", "test sets", "de-en", "alignment pairs", "508")]  # that of en-fr is unknown
    paper = PublishedTables(read_published(write(tmp_path, *aer, *sizes)), {})
    for pairs, note, difference in ((508, "", "−5.0"), (37, " (37 pairs, paper: 508)", "")):
        sets = {"de-en": pairs, "en-fr": 9}
        ours = [Figure("", "ours", each, "alignment aer", 15.0, covers={each: sets[each]}) for each in sets]
        [table] = paper.tables([*ours, Figure("", "ours", "mean", "alignment aer", 15.0, covers=sets)])
        assert cells(table, "ours: ours")["de-en"] == f"15.0{note}"
        assert cells(table, "ours less Ours") == {
            **{"row": "ours less Ours", "de-en": difference, "en-fr": "−5.0", "mean": difference}
        }
    assert cells(table, "ours: ours")["mean"] == "15.0 (1 of 2 test sets, and 1 other)"


def test_an_unknown_row_lists_the_papers_rows_nearest_first():
    figures = read_published(find_published("xlm_align"))
    with pytest.raises(XalignError, match=r"(?s)no such row.*found: XLMR-base; did you mean XLM-R base\?") as error:
        PublishedTables(figures, {"xlmr": "XLMR-base"})
    expected = str(error.value).partition("expected: ")[2].splitlines()
    assert [each.strip() for each in expected[:2]] == ["one of these rows", "XLM-R base"]
    assert "    Optimal Transport, XLM-R" in expected and not [line for line in expected if "test sets" in line]


def test_only_rows_with_the_compared_scores_are_offered():
    figures = read_published(find_published("xlm_align"))
    PublishedTables(figures, {"xlmr": "Optimal Transport, XLM-R"}, ["alignment aer"])
    with pytest.raises(XalignError, match="no such row") as error:
        PublishedTables(figures, {"xlmr": "XLM-R base"}, ["alignment aer"])
    assert "Optimal Transport, XLM-R" in str(error.value) and "mT5 base" not in str(error.value)
    with pytest.raises(XalignError, match="does not give these scores"):  # whatever the rows
        PublishedTables(figures, {"xlmr": "XLM-R base"}, ["bitext f1"])


def test_tables_without_a_compared_row_are_named_and_left_out():
    figures = read_published(find_published("xlm_align"))
    ours = [Figure("", "mine", "average", each, 70.0) for each in ("xnli accuracy", "pos f1")]

    def shown(**rows):
        paper = PublishedTables(figures, rows)
        text = paper.to_markdown(ours)
        assert text.startswith("## Table 1 of") or "filtering: Disable" in rows.values()
        return {table.title.split()[1] for table in paper.tables(ours)}, text.partition("## Tables without")[2]

    tables, left = shown(mine="XLM-R base")
    assert tables == {"1"} and "- Table 6, xnli accuracy, pos f1: filtering: Enable; filtering: Disable\n" in left
    assert left.count("- Table ") == 7  # 3 to 7, 13 and 18
    assert {"6", "18"} & shown(mine="filtering: Disable")[0] == {"6"}
    assert {"1", "6", "18"} <= shown()[0] and shown()[1] == ""  # nothing is compared yet: all rows are shown
    assert "- Table 1, pos f1: mBERT; XLM; XLM-R base; XLM-ALIGN\n" in shown(mine="mT5 base")[1]


def test_a_figure_that_the_paper_lacks_is_an_error_listing_others(paper, tmp_path):
    with pytest.raises(XalignError, match=r"(?s)no such row.*Theirs.*Ours\n    mBERT"):
        PublishedTables(paper, {"mine": "Theirs"})
    with pytest.raises(XalignError, match=r"(?s)does not give these scores.*ner f1.*mlqa f1, xnli accuracy"):
        PublishedTables(paper, {}).tables([Figure("", "mine", "de", "ner f1", 50.0)])
    with pytest.raises(XalignError, match=r"(?s)no published figures.*bert"):
        find_published("bert")


@pytest.mark.parametrize("row", [("2", "Ours", "de", "xnli accuracy", "73,5"), ("2", "Ours", "de")])
def test_a_malformed_row_is_reported_with_its_line(tmp_path, row):
    with pytest.raises(XalignError, match=r"(?s)is not a figure.*line 2"):
        read_published(write(tmp_path, row))


@pytest.mark.parametrize("name", PAPERS)
def test_the_papers_figures_are_part_of_the_package_also_by_path(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # outside a clone
    path = find_published(name)
    assert path == find_published(str(path)) and len(read_published(path)) > 80
    assert path.is_relative_to(Path(xalign_fairseq.__file__).parent)


AS_PRINTED = ("1", "mBERT+WEAM", "mlqa em")  # 51.7, but the mean of the row is 51.9


@pytest.mark.parametrize("name", ("ppa", "weam", "xlm_align", "explicit_alignments"))
def test_an_average_equals_that_of_its_row(name):
    rows = {}
    for figure in read_published(find_published(name)):
        rows.setdefault((figure.table, figure.row, figure.metric), {})[figure.column] = figure.value
    checked = 0
    for place, cells in rows.items():
        average = cells.pop("average", None)
        cells.pop("zero-shot", None)
        if average is not None and len(cells) > 3 and place != AS_PRINTED:
            checked += 1
            assert (sum(cells.values()) / len(cells)) == pytest.approx(average, abs=0.11), place
    assert checked > 3


def test_a_place_has_one_figure(tmp_path):
    row = ("2", "Ours", "de", "xnli accuracy", "73.5")
    with pytest.raises(XalignError, match=r"(?s)given twice.*line 3"):
        read_published(write(tmp_path, row, row))
    (tmp_path / "other.tsv").write_text("a\tb\n")
    with pytest.raises(XalignError, match="no published figures"):
        read_published(tmp_path / "other.tsv")
