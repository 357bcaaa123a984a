import json

import pytest

from xalign_fairseq.aligner.kinds import Best, BitextAlone, EncoderAlone, Guided, find_kind
from xalign_fairseq.aligner.options import AlignerOptions, BestParts
from xalign_fairseq.aligner.statistical.folder import DONE
from xalign_fairseq.core.errors import XalignError
from xalign_fairseq.transport.linking import Linking


@pytest.fixture
def folders(tmp_path):
    """Folders of statistics and of ``train-aligner --best``."""
    for name in ("statistics", "text.aligner", "best"):
        (tmp_path / name).mkdir()
    for name in ("statistics", "text.aligner"):
        (tmp_path / name / DONE).write_text("{}")
    parts = {"encoder": "e5-small", "gold": "", "method": "grow", "trained": "", "statistics": ""}
    (tmp_path / "best" / "best.json").write_text(json.dumps({**parts, "steps": {}}))
    return tmp_path


def test_what_names_each_kind(folders):
    statistics, best = folders / "statistics", folders / "best"
    for asked, kind in (
        (("e5-small",), EncoderAlone("e5-small")),
        ((None,), BitextAlone(None)),
        ((statistics,), BitextAlone(statistics)),
        (("e5-small", None, True), Guided("e5-small", None)),
        (("e5-small", str(statistics)), Guided("e5-small", str(statistics))),
        ((best,), Best(BestParts("e5-small", "grow"))),
    ):
        assert find_kind(*asked) == kind


def test_an_aligner_that_takes_no_statistics(folders):
    for learns, folder in ((True, None), (False, "folder")):
        with pytest.raises(XalignError, match="need an encoder"):
            find_kind(folders / "statistics", folder, learns)
    with pytest.raises(XalignError, match="has learned already"):
        find_kind(folders / "best", learns=True)


@pytest.mark.parametrize(
    ("kind", "accepted", "refused"),
    [
        (EncoderAlone("e5-small"), {"linking": Linking("argmax")}, {"linking": Linking("argmax", {"mu": 1.0})}),
        (BitextAlone(None), {"min_probability": 0.5}, {"device": "cpu"}),
        (Guided("e5-small", None), {"linking": Linking("grow"), "maps": True}, {"linking": Linking("argmax")}),
        (BitextAlone(None), {}, {"linking": Linking(layers=(3,))}),
        (BitextAlone(None), {}, {"processes": 2}),
        (Guided("e5-small", None), {}, {"linking": Linking(options={"growth": 2.0})}),
        (Best(BestParts("e5-small", "grow")), {"device": "cpu"}, {"maps": True}),
        (Best(BestParts("e5-small", "grow")), {"linking": Linking(options={"threshold": 0.3})}, {"statistics": "a"}),
        (Best(BestParts("e5-small", "grow")), {}, {"linking": Linking("argmax")}),
    ],
)
def test_the_options_of_each_kind(kind, accepted, refused):
    kind.check(AlignerOptions(**accepted))
    with pytest.raises(XalignError):
        kind.check(AlignerOptions(**refused))
    with pytest.raises(XalignError, match="out of range"):
        kind.check(AlignerOptions(min_probability=2.0))


def test_a_folder_without_statistics(folders):
    with pytest.raises(XalignError, match=r"no statistics[\s\S]*learn them by"):
        Guided("e5-small", str(folders)).check(AlignerOptions())
    with pytest.raises(XalignError, match=r"no statistics[\s\S]*use statistics=.*text.aligner"):
        Guided("e5-small", str(folders / "text")).check(AlignerOptions())
    (folders / "other").write_text("a\n")
    with pytest.raises(XalignError, match="give it before"):
        Guided("e5-small", str(folders / "other")).check(AlignerOptions())


def test_devices_are_resolved_if_there_is_an_encoder():
    assert EncoderAlone("e5-small").check(AlignerOptions(device="cpu", processes=2)).device == "cpu,cpu"
    assert BitextAlone(None).check(AlignerOptions()) == AlignerOptions()
