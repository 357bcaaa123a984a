"""The summaries of docs/performance.md have the figures of the results files of each machine."""

from pathlib import Path

import pytest

from xalign_fairseq.core.json_files import read_json, write_json

ROOT = Path(__file__).parents[2]


@pytest.fixture
def summaries(script):
    return script("summaries")


def cells(table, *start):
    [row] = [line for line in table.splitlines() if line.startswith(f"| {' | '.join(start)} | ")]
    return row.strip("| ").split(" | ")[len(start) :]


def test_training_has_a_column_for_each_machine_from_its_last_results(summaries, tmp_path):
    which = {"arch": "base", "vocabulary": "whole", "pairs": "any", "processes": 1}
    places = [*(Path(folder, "training-cpu.json") for folder in summaries.MACHINES), Path("training-cuda.json")]
    for number, place in enumerate(places, start=1):
        rows = [{**which, "dtype": "bfloat16", "contestant": "fairseq"}]  # not measured
        measured = {"tokens_per_second": [1000.0 * number, 1.0, 2.0], "times_fairseq": [number, 0.5, 9]}
        rows += [{**which, "dtype": "float32", "contestant": name, **measured} for name in ("fairseq", summaries.OURS)]
        if number == 1:
            rows.append({**which, "dtype": "float16", "contestant": summaries.OURS, **measured})
        path = tmp_path / "scripts/results" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {"rows": rows})
    table = summaries.training_speed(tmp_path)
    assert table.splitlines()[0] == "| setting | AMD Zen 5 | AMD Zen 4 | Intel | H100 |"
    assert len(table.splitlines()) == 2 + 2
    assert cells(table, "base, float32, whole vocabulary, pairs of any length") == ["1.00", "4.00", "5.00", "6.00"]
    assert cells(table, "base, float16, whole vocabulary, pairs of any length") == ["1.00", "–", "–", "–"]


def test_self_labelling_is_in_float32_on_one_thread(summaries):
    table = summaries.self_labelling(ROOT)
    found = {
        row["size"]: f"{row['times_bmm']:.2f}"
        for row in read_json(ROOT / "scripts/results/sinkhorn-cpu.json")["rows"]
        if (row["program"], row["dtype"], row["threads"], row["iterations"]) == ("POT", "float32", 1, 2)
    }
    assert cells(table, "AMD Zen 5", "POT", "plan") == [found[size] for size in summaries.SIZES]
    assert "bmm" not in table


def test_without_a_results_file_there_is_no_table(summaries, tmp_path):
    assert summaries.training_speed(tmp_path) is None and summaries.self_labelling(tmp_path) is None
