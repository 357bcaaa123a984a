"""The tables of scripts/results are what each report generates from its data."""

from pathlib import Path

import pytest

from xalign_fairseq.core.json_files import read_json

RESULTS = Path(__file__).parents[2] / "scripts/results"


@pytest.mark.parametrize(
    ("module", "function", "name", "table"),
    [
        ("benchmark_aligner", "render", "aligner", "aligner"),
        ("sinkhorn_report", "render", "sinkhorn", "sinkhorn"),
        ("sinkhorn_report", "render", "intel/sinkhorn", "intel/sinkhorn"),
        ("from_scratch_report", "write_table", "from_scratch", "from_scratch"),
        ("from_scratch_report", "write_sizes", "from_scratch", "from_scratch_sizes"),
        ("faults_operations", "render", "operations", "operations"),
        *(
            ("training_report", "render", f"{machine}training", f"{machine}training")
            for machine in ("", "intel/", "zen4/", "zen4-small/", "zen4-more/")
        ),
    ],
)
def test_a_table_is_of_its_results(script, module, function, name, table):
    devices = {device: RESULTS / f"{name}-{device}.json" for device in ("cpu", "cuda")}
    of_devices = {device: read_json(path) for device, path in devices.items() if path.is_file()}
    found = getattr(script(module), function)(of_devices or read_json(RESULTS / f"{name}.json"))
    assert found == (RESULTS / f"{table}.md").read_text()


def test_every_published_figure_has_a_source(script):
    peers = script("peers")
    for row in read_json(RESULTS / f"{Path(peers.PUBLISHED).name}.json")["rows"]:
        assert "https://" in row["source"] and row["conditions"] and row["aer"].keys() <= set(peers.COLUMNS)
