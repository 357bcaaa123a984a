import json

import pytest

from xalign_fairseq.transfer.report import make_report
from xalign_fairseq.transfer.report_files import draw_report, write_report


def test_a_report_is_written_and_drawn(write_run, right, tmp_path):
    pytest.importorskip("matplotlib")
    for seed in (1, 2):
        write_run("none", {"en": right(15), "de": right(9, seed=seed)}, seed=seed)
    report, folder = make_report(tmp_path), tmp_path / "report"
    texts = write_report(report, folder)
    draw_report(report, folder)
    assert {name: (folder / name).read_text(encoding="utf-8") for name in texts} == texts
    assert json.loads(texts["report.json"]) == json.loads(json.dumps(report.as_dict()))
    assert sorted(path.name for path in folder.iterdir()) == ["gaps.png", *sorted(texts), "scores.png"]
