import json
import shutil

import pytest

from xalign_fairseq.aligner.load import load_aligner
from xalign_fairseq.aligner.neural.aligner import Aligner
from xalign_fairseq.aligner.options import AlignerOptions, BestParts, read_best
from xalign_fairseq.aligner.run_record import model_state
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.linking import Linking


def test_options_have_their_command_line_names():
    assert AlignerOptions().given() == {}
    linking = Linking("softmax", {"threshold": 0.1}, (6, 7), encoding="joint")
    options = AlignerOptions(linking, maps=True, processes=2)
    assert options.given() == {
        **{"layer": "6-7", "method": "softmax", "threshold": 0.1, "encoding": "joint"},
        **{"maps": True, "processes": 2},
    }


def test_an_unknown_option():
    with pytest.raises(XalignError, match="does not have this option") as raised:
        load_aligner("e5-small", AlignerOptions(), layer=3)
    assert raised.value.parameters == ("layer",) and "linking" in raised.value.expected


@pytest.mark.parametrize("option", ["threshold", "growth"])
def test_links_are_chosen_in_one_way(option):
    with pytest.raises(XalignError, match="exclude each other") as raised:
        load_aligner("e5-small", min_probability=0.5, linking=Linking("grow", {option: 0.5}))
    assert set(raised.value.parameters) == {"min_probability", option}
    with pytest.raises(XalignError, match="probability is out of range"):
        AlignerOptions(min_probability=1.5)


def test_an_option_by_name_changes_given_options(tiny_checkpoint):
    options = AlignerOptions(device="cpu", processes=2, dtype="float32").on_devices()
    assert (options.device, options.processes) == ("cpu,cpu", 1) and options.on_devices() == options
    with pytest.raises(XalignError, match="number of processes"):
        AlignerOptions(device="cpu", processes=100_000).on_devices()
    for load in (load_aligner, Aligner.from_pretrained):
        assert load(tiny_checkpoint, options, device="cpu", linking=Linking("argmax")).linking.method == "argmax"


@pytest.fixture
def folder(tiny_checkpoint, tmp_path):
    """One without statistics; both encoders are the same."""
    (tmp_path / "encoder").mkdir()
    shutil.copy(tiny_checkpoint, tmp_path / "encoder" / "checkpoint_last.pt")
    write(tmp_path, encoder=str(tiny_checkpoint))
    return tmp_path


def write(folder, **parts):
    usual = {"encoder": "e5-small", "gold": "", "method": "grow", "trained": "encoder", "statistics": ""}
    (folder / "best.json").write_text(json.dumps({**usual, **parts, "steps": {}}))


def test_the_parts_are_those_below_the_folder(folder, tiny_checkpoint):
    assert read_best(folder) == BestParts(str(tiny_checkpoint), "grow", str(folder / "encoder"))
    write(folder, method="scored", gold="gold/encoder.npz", trained="", statistics="links.txt.aligner")
    encoder, statistics = folder / "gold" / "encoder.npz", folder / "links.txt.aligner"
    assert read_best(folder) == BestParts(str(encoder), "scored", statistics=statistics)
    write(folder, trained="")
    assert read_best(folder) == BestParts("e5-small", "grow")
    assert read_best(folder / "encoder") is None


def test_the_mean_of_two_equal_encoders_equals_one(folder, tiny_checkpoint):
    text = ["the red house", "a cat sees dogs", ""], ["house the red", "dogs see a cat", "big"]
    single = load_aligner(tiny_checkpoint, linking=Linking("grow", {"threshold": 0.3}), device="cpu")
    with single, load_aligner(folder, min_probability=0.3, device="cpu") as both:
        for one, two in zip(single.align(*text), both.align(*text), strict=True):
            chosen = {} if one.matrix is None else {(i, j) for i, j in zip(*(one.matrix >= 0.3).nonzero(), strict=True)}
            assert set(two.links) == set(chosen)


def test_its_state_changes_with_its_parts(folder):
    before = model_state(folder)
    (folder / "best.json").write_text((folder / "best.json").read_text() + "\n")
    assert model_state(folder) != before
