"""The summaries of docs/performance.md have the figures of the results files of each machine."""

from pathlib import Path

from xalign_fairseq.core.json_files import write_json


def cells(table, *start):
    [row] = [line for line in table.splitlines() if line.startswith(f"| {' | '.join(start)} | ")]
    return row.strip("| ").split(" | ")[len(start) :]


def test_training_has_a_column_for_each_machine_from_its_last_results(tmp_path, script):
    summaries = script("summaries")
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
