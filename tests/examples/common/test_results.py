import numpy as np

from tests.examples.recipes import load

[results] = load("common", "results")


def test_counts_are_kept_in_the_smallest_integers(tmp_path):
    path = tmp_path / "new/tlm-1.json"
    counts = {"aer": np.array([[1, 300]]), "accuracy": np.array([[0, 1], [1, 1]])}
    results.write(path, {"seed": 1, "name": "é"}, counts)
    record, found = results.read(path)
    assert record == {"seed": 1, "name": "é"}
    assert {name: (table.dtype, table.tolist()) for name, table in found.items()} == {
        "aer": (np.uint16, [[1, 300]]),
        "accuracy": (np.uint8, [[0, 1], [1, 1]]),
    }
    assert path.read_text().startswith('{\n "seed": 1,')
