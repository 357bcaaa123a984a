"""Data-bins by their manifests."""

from pathlib import Path

from xalign_fairseq.trainer.report.data import data_section
from xalign_fairseq.trainer.report.trained_run import DataFolder, read_run


def test_pairs_languages_and_hashes(run_folder):
    [data] = read_run(run_folder).data
    text = data_section([data])
    for part in ("en-de", "1,600 pairs", "2 empty source", "18,031 en, 19,638 de", "7,083 sure, 1 possible",
                 "300 sentences", "501 symbols", f"sha256 {data.digest}", "f00"):  # fmt: skip
        assert part in text
    assert "empty target" not in text


def test_a_folder_without_manifest_is_said_to_have_none():
    assert "no manifest" in data_section([DataFolder(Path("gone"), None, None)]) and data_section([]) == ""
