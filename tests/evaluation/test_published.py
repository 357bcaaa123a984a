import pytest

from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.evaluation.published import Figure, PublishedTables, find_published, read_published

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


def test_a_figure_that_the_paper_lacks_is_an_error_listing_others(paper, tmp_path):
    with pytest.raises(XalignError, match=r"(?s)no such row.*Theirs.*Ours, mBERT"):
        PublishedTables(paper, {"mine": "Theirs"})
    with pytest.raises(XalignError, match=r"(?s)none of these scores.*ner f1.*mlqa f1, xnli accuracy"):
        PublishedTables(paper, {}).tables([Figure("", "mine", "de", "ner f1", 50.0)])
    with pytest.raises(XalignError, match=r"(?s)no published figures.*bert"):
        find_published("bert")


@pytest.mark.parametrize(
    ("row", "problem"),
    [(("2", "Ours", "de", "xnli accuracy", "73,5"), "is not a figure"), (("2", "Ours", "de"), "is not a figure")],
)
def test_a_malformed_row_is_reported_with_its_line(tmp_path, row, problem):
    with pytest.raises(XalignError, match=f"(?s){problem}.*line 2"):
        read_published(write(tmp_path, row))


@pytest.mark.parametrize("name", PAPERS)
def test_the_papers_figures_are_found_by_name_and_by_path(name):
    path = find_published(name)
    assert path == find_published(str(path)) == find_published(str(path.parent)) and len(read_published(path)) > 80


AS_PRINTED = ("1", "mBERT+WEAM", "mlqa em")  # 51.7, but the mean of the row is 51.9


@pytest.mark.parametrize("name", ("ppa", "weam", "xlm_align", "explicit_alignments"))
def test_an_average_is_that_of_its_row(name):
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
