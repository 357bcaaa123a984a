"""The papers' pages, their tables and pictures."""

import json

from tests.examples.xlm_align.continued.made_up import papers, record, study


def test_a_papers_page_has_its_settings_and_their_control():
    records = {"none-1": record("none", 1, 22.0), "weam-1": record("weam", 1, 21.0)}
    row = {"checkpoint": "none", "zero_shot": {"mean": 0.85, "deviation": None, "runs": 1}}
    tasks = [
        {"title": title, "scored_by": ["accuracy"], "rows": {"accuracy": [row]}} for title in papers.TASKS.values()
    ]
    change = {"checkpoint": "weam", "difference": 0.02, "low": 0.01}
    tested = [
        {**change, "high": high, "task": title, "over": over}
        for title in papers.TASKS.values()
        for over, high in (("en", 0.5), ("zero-shot", 0.03))
    ]
    test = {"difference": -0.01, "low": -0.02, "high": -0.001, "p_holm": 0.01}
    report = {"tasks": tasks, "findings": {"averages": tested}}
    made = papers.page(("none", "tlm30", "weam"), "tlm30", records, {"none": {"weam": test}, "tlm30": {}}, report)
    assert made.splitlines()[2:] == [
        "| none |  |  | 22.00 |  |  | 85.0 | 85.0 | 85.0 | 85.0 |",
        f"| weam | tlm + word_exchange | 1 | 21.00 | −1.0 (−2.0 to −0.1) |  {4 * '| +2.0 (+1.0 to +3.0) '}|",
    ]


def test_pages_show_settings_of_the_study():
    for settings, control in papers.PAGES.values():
        assert set(settings) <= study.SETTINGS.keys() and control in settings


def test_pictures_show_tested_settings(tmp_path):
    test = {"difference": -0.01, "low": -0.02, "high": -0.001}
    papers.draw(("none", "tlm", "weam"), {"weam": test}, tmp_path / "picture.svg")
    assert "weam" in (tmp_path / "picture.svg").read_text()


def test_cosines_of_embeddings_are_means_over_seeds(tmp_path):
    checkpoints = [("none", 0.1), ("weam-1/checkpoint_last.pt", 0.2), ("weam-2/checkpoint_last.pt", 0.4)]
    path = tmp_path / "cosines.json"
    assert papers.cosines_of(path) == {}
    path.write_text(json.dumps({"checkpoints": [{"checkpoint": name, "cosine": each} for name, each in checkpoints]}))
    records = {name: record(name.partition("-")[0], 1, 21.0) for name in ("none-1", "weam-1", "tlm30-1")}
    table = papers.mechanism(("none", "weam", "tlm30"), records, papers.cosines_of(path))
    assert [row.split(" | ")[-1] for row in table.splitlines()[2:]] == ["0.1000 |", "0.3000 |", " |"]
    assert "0.1" not in papers.mechanism(("none",), records, {})
