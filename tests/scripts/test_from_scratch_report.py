"""Tables of the benchmark from bitext alone, from made-up records."""


def record(pairs, minutes, p=None, **aers):
    systems = {name: {"aer": aer, "precision": 0.5, "recall": 0.5} for name, aer in aers.items()}
    found = {"systems": systems, "calibration_error": [0.1, 0.05]}
    if p is not None:
        found["test"] = {"difference": -0.1, "low": -0.2, "high": 0.0, "p_value": p}
    cost = dict.fromkeys(aers, minutes)
    return {"pairs": pairs, "cpu_minutes": cost, "sets": {"test": found}, "machine": "M", "commit": "C", "command": "R"}


def test_the_table_is_of_the_largest_texts(script):
    records = {
        "ro-en 40 1": record(44, 1.0, 0.01, xalign=0.30, eflomal=0.40),
        "ro-en 40 2": record(44, 3.0, 0.2, xalign=0.34, eflomal=0.40),
        "ro-en": record(99, 5.0, xalign=0.25),
        "de-en": record(50, 2.0, xalign=0.20),
    }
    report = script("from_scratch_report")
    text = report.write_table(records)
    assert "| ro-en | test | 99 | 25.0 |" in text
    assert "| 44 |" not in text
    assert "| mean | test |  | 22.5 |" in text
