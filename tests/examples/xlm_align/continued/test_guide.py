"""The pairs and links of so-guided."""

import pytest

from tests.examples.xlm_align.continued.made_up import guide, study
from xalign_fairseq.core.errors import XalignError


def test_pairs_to_guide_are_drawn_once_side_by_side(tmp_path, monkeypatch):
    called, text = [], tmp_path / "text"
    monkeypatch.setattr(guide, "DRAWN", 20)
    monkeypatch.setattr(guide.subprocess, "run", lambda line, check: called.append([str(each) for each in line]))
    for pair in study.PAIRS:
        folder = text / "-".join(pair)
        folder.mkdir(parents=True)
        for side in pair:
            lines = [f"{side} {i}" for i in range(40)] + ["", "too long " * 40]
            (folder / f"train.{side}").write_text("".join(f"{line}\n" for line in lines))

    def numbers(side):
        drawn = (text / f"guided/de-en/train.{side}").read_text().splitlines()
        return [line.removeprefix(f"{side} ") for line in drawn]

    with pytest.raises(XalignError, match=r"so-grow-1/checkpoint_last\.pt"):
        guide.main(text, tmp_path / "so-grow-1", tmp_path / "bin")
    assert not called
    (tmp_path / "so-grow-1").mkdir()
    (tmp_path / "so-grow-1/checkpoint_last.pt").touch()
    guide.main(text, tmp_path / "so-grow-1", tmp_path / "bin")
    first = numbers("de")
    assert first == numbers("en") and len(set(first)) == 20 and first != [str(i) for i in range(20)]
    *aligned, prepared = called
    assert [line[3:5] for line in aligned] == [["--model", f"{tmp_path}/so-grow-1/checkpoint_last.pt"]] * 4
    assert prepared.count("--pair") == 4 and f"train={text}/guided/ro-en/train.links" in prepared
    for pair in study.PAIRS:
        (text / "guided" / "-".join(pair) / "train.links").touch()
        (text / "-".join(pair) / "train.en").write_text("")  # existing pairs are kept
    called.clear()
    guide.main(text, tmp_path / "so-grow-1", tmp_path / "bin")
    assert called == [prepared] and numbers("de") == first
    called.clear()
    (tmp_path / "bin").mkdir()
    guide.main(text, tmp_path / "so-grow-1", tmp_path / "bin")
    assert not called
