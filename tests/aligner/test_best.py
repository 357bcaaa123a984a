"""The folder of an aligner made by all steps: its parts, and the options that it sets itself."""

import json
import shutil

import pytest

from xalign_fairseq.aligner.best import BestParts, best_options, read_best
from xalign_fairseq.aligner.load import check_options, load_aligner
from xalign_fairseq.aligner.options import AlignerOptions
from xalign_fairseq.aligner.run_record import model_state
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.linking import Linking


@pytest.fixture
def folder(tiny_checkpoint, tmp_path):
    """One without statistics."""
    (tmp_path / "encoder").mkdir()
    shutil.copy(tiny_checkpoint, tmp_path / "encoder" / "checkpoint_last.pt")
    parts = {"encoder": "encoder", "method": "grow", "scorer": "", "statistics": "", "steps": {}}
    (tmp_path / "best.json").write_text(json.dumps(parts))
    return tmp_path


def test_the_parts_are_those_below_the_folder(folder):
    assert read_best(folder) == BestParts(str(folder / "encoder"), Linking("grow"), None)
    content = {"encoder": "e5-small", "method": "scored", "scorer": "s/scorer.npz", "statistics": "statistics"}
    (folder / "best.json").write_text(json.dumps({**content, "steps": {}}))
    scored = Linking("scored", {"scorer": str(folder / "s" / "scorer.npz")})
    assert read_best(folder) == BestParts("e5-small", scored, folder / "statistics")
    assert read_best(folder / "encoder") is None


def test_links_are_those_of_its_encoder(folder):
    text = ["the red house", "a cat sees dogs"], ["house the red", "dogs see a cat"]
    with (
        load_aligner(folder, device="cpu") as ours,
        load_aligner(folder / "encoder", linking=Linking("grow"), device="cpu") as theirs,
    ):
        assert [pair.links for pair in ours.align(*text)] == [pair.links for pair in theirs.align(*text)]


def test_options_that_choose_links_are_taken_and_others_refused(folder):
    parts = read_best(folder)
    chosen = best_options(parts, AlignerOptions(linking=Linking(options={"threshold": 0.3})))
    assert chosen.linking == Linking("grow", {"threshold": 0.3})
    for options in ({"linking": Linking("argmax")}, {"units": "subword"}, {"statistics": "statistics"}):
        with pytest.raises(XalignError, match="sets this option itself"):
            check_options(folder, AlignerOptions(**options))
    with pytest.raises(XalignError, match="has learned already"):
        check_options(folder, AlignerOptions(), "statistics")


def test_its_state_changes_with_its_parts(folder):
    before = model_state(folder)
    (folder / "best.json").write_text((folder / "best.json").read_text() + "\n")
    assert model_state(folder) != before
